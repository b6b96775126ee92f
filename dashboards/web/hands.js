// One worker, or all workers of an owner: what they play, and what they have brought.

import { anchor, count, duration, el, field, fillRows, follow, getJson, percent, residual, row, short, show, signed, stamp } from './common.js';

const path = document.querySelector('main')?.dataset.path ?? '';
const AGAIN_MS = 5000;
let asked = 0;
let waiting = false;

/** What pairs did to a run, in words. @param {any} s */
const deed = (s) => {
  const pairs = `${count(s.pairs)} pair${s.pairs === 1 ? '' : 's'}`;
  if (s.llr_moved != null) return `${pairs} moved the LLR by ${signed(s.llr_moved)}`;
  if (s.strength) return `${pairs} say ${signed(s.strength.elo, 0)} Elo, 95 %: ${signed(s.strength.low, 0)} to ${signed(s.strength.high, 0)}`;
  return `${pairs} moved its ${s.kind === 'race' ? 'candidates' : 'parameters'}`;
};
const status = (w) => (w.on_hold ? `on hold: ${w.on_hold}` : w.excluded ? 'excluded' : w.connected ? (w.idle_reason ? `idle: ${w.idle_reason}` : 'playing') : `away for ${duration((Date.now() - w.last_seen_unix_ms) / 1000)}`);

/** @param {any} told */
const draw = ({ workers, out, shares, refusals }) => {
  const sum = (what) => workers.reduce((total, w) => total + w[what], 0);
  const here = workers.filter((w) => w.connected);
  show('connected', workers.length === 1 ? (here.length ? 'yes' : 'no') : `${count(here.length)} of ${count(workers.length)}`);
  show('idle', here.filter((w) => w.idle_reason).map((w) => `${workers.length > 1 ? `${w.name} ` : ''}idle: ${w.idle_reason}`).join('; '));
  show('playing', count(sum('playing_games')));
  show('slots', `in ${count(sum('slots'))} slots`);
  show('nodes', short(sum('nodes_per_second')));
  show('pairs', count(sum('counted_pairs')));
  show('audited', percent(sum('audited_pairs'), sum('counted_pairs')));
  show('differ', sum('mismatched_pairs') ? `${count(sum('mismatched_pairs'))} pairs came out otherwise` : '');
  show('refused', `${count(sum('refused_reports'))} reports refused`);
  const name = new Map(workers.map((w) => [w.id, w.name || `#${w.id}`]));
  fillRows(field('out'), out.map((o) => row(anchor(`/runs/${o.run}`, o.run_name || `#${o.run}`), name.get(o.worker) ?? '–', { n: count(o.leases) }, { n: count(o.pairs) })), 'Nothing at the moment.');
  fillRows(field('shares'), shares.map((s) => {
    const { wins, draws, losses } = s.tally.wdl;
    return row(anchor(`/runs/${s.run}`, s.run_name || `#${s.run}`), { wide: s.worker_name }, { n: count(s.pairs) },
      { wide: `${count(wins)} / ${count(draws)} / ${count(losses)}, ${percent(draws, wins + draws + losses)} drawn` }, deed(s), { wide: stamp(s.last_unix_ms) });
  }), 'No pairs in the ledger yet.');
  field('refusals-card').hidden = !refusals.length;
  field('refusals').replaceChildren(...refusals.map((r) => el('li', '', el('span', 'dim', `${stamp(r.at_unix_ms)} `), anchor(`/runs/${r.run}`, `run #${r.run}`), ` ${r.reason}`)));
  fillRows(field('machines'), workers.map((w) => row(anchor(`/workers/${w.id}`, w.name || `#${w.id}`), w.platform, w.software_version, { n: count(w.cores) }, { n: count(w.slots) }, { wide: residual(w.suspicion) }, status(w))), '');
};

const ask = async () => {
  asked = Date.now();
  waiting = false;
  try { draw(await getJson(path)); } catch (error) { show('idle', /** @type {Error} */ (error).message); }
};
// Any change of the cluster may be one of these workers; they are asked for now and then at most.
const change = () => {
  if (waiting) return;
  waiting = true;
  setTimeout(ask, Math.max(0, asked + AGAIN_MS - Date.now()));
};
follow('/events', change, change);
