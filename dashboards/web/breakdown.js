// What a run is made of: who brought what, how games ended, which openings decide, how late reports
// come, what people did to it. Asked for when its place is first seen, and again while it is seen and
// the run goes on.

import { anchor, count, downloads, duration, el, field, fillRows, fixed, getJson, percent, row, show, signed, stamp } from './common.js';
import { runId } from './run.js';

const AGAIN_MS = 10000;
/** @type {any} */
let told = null;
let asked = 0;
let seen = false;
let over = false;

const strength = (s) => (s ? `${signed(s.elo, 0)} (${signed(s.low, 0)} to ${signed(s.high, 0)})` : '–');

/** @type {Record<string, () => {head: string[], lines: any[][]}>} */
const TABLES = {
  workers: () => ({
    head: ['worker', 'name', 'owner', 'pairs', 'll', 'ld', 'mid', 'dw', 'ww', 'elo', 'elo_low', 'elo_high', 'llr_moved'],
    lines: told.workers.map((w) => [w.worker, w.worker_name, w.owner, w.pairs, ...w.tally.pentanomial,
      w.strength?.elo, w.strength?.low, w.strength?.high, w.llr_moved]),
  }),
  terminations: () => ({
    head: ['reason', 'wins', 'draws', 'losses'],
    lines: told.terminations.map((t) => [t.reason, t.wins, t.draws, t.losses]),
  }),
  openings: () => ({
    head: ['opening', 'pairs', 'score', 'pair'],
    lines: told.openings.told.map((o) => [o.opening, o.pairs, o.score, o.pair]),
  }),
};

const draw = () => {
  const { workers, terminations, openings, lateness, events } = told;
  const all = workers.reduce((sum, w) => sum + w.pairs, 0);
  fillRows(field('by-worker'), workers.map((w) => row(
    anchor(`/workers/${w.worker}`, w.worker_name || `#${w.worker}`),
    w.owner ? anchor(`/owners/${encodeURIComponent(w.owner)}`, w.owner) : '–',
    { n: count(w.pairs) }, { n: percent(w.pairs, all) }, { n: strength(w.strength) },
    { n: w.llr_moved == null ? '–' : signed(w.llr_moved) },
    ...(isAuthor ? [anchor(`/workers/${w.worker}/exclude?run=${runId}`, 'Exclude …')] : []))), 'No pairs yet.');
  const games = terminations.reduce((sum, t) => sum + t.wins + t.draws + t.losses, 0);
  fillRows(field('by-end'), terminations.map((t) => row(
    t.reason.replaceAll('_', ' '), { n: percent(t.wins + t.draws + t.losses, games) },
    { n: count(t.wins) }, { n: count(t.draws) }, { n: count(t.losses) })), 'No games yet.');
  show('openings-sum', openings.pairs
    ? `${count(openings.played)} of the ${count(openings.book)} openings of the book in ${count(openings.pairs)} pairs; ${percent(openings.even_pairs, openings.pairs)} of the pairs came out even.`
    : '');
  fillRows(field('by-opening'), openings.told.map((o) => {
    const text = el('code', 'clip', o.opening);
    text.title = o.opening;
    return row(text, { n: count(o.pairs) }, { n: `${fixed(100 * o.score, 1)} %` }, anchor(`/runs/${runId}/games/${o.pair}`, `pair ${o.pair}`));
  }), 'No pairs yet.');
  show('lateness', lateness
    ? `Half of the last ${count(lateness.reports)} reports came after at most ${count(lateness.median_pairs)} pairs of others, nine of ten after at most ${count(lateness.q90_pairs)}; a lease took ${duration(lateness.mean_seconds)}.`
    : 'No reports yet.');
  field('history').replaceChildren(...events.map((e) => el('li', '', el('span', 'dim', `${stamp(e.at_unix_ms)} `), el('b', '', e.event), e.reason && ` ${e.reason}`)));
};

const ask = async () => {
  asked = Date.now();
  try {
    told = await getJson(`/api/runs/${runId}/breakdown`);
    show('breakdown-note', '');
    draw();
  } catch (error) {
    show('breakdown-note', `${/** @type {Error} */ (error).message}`);
  }
};

/** Authors may take a worker's results out of the run. */
const isAuthor = document.querySelector('[data-author]') !== null;
if (isAuthor) {
  const title = el('th', '', el('span', 'sr', 'Exclude'));
  title.setAttribute('scope', 'col');
  field('by-worker').closest('table').querySelector('thead tr').append(title);
}

/** Called with each state of the run. @param {any} run */
export const breakdown = (run) => {
  const ended = run.state === 'finished' || run.state === 'stopped';
  // Once more when it ends, so that the last word is complete.
  if (seen && ((!over && ended) || (!ended && Date.now() - asked > AGAIN_MS))) ask();
  over = ended;
};

for (const [name, rows] of Object.entries(TABLES)) {
  field(`${name}-files`).append(downloads(`run-${runId}-${name}`, () => (told ? rows() : { head: [], lines: [] })));
}
new IntersectionObserver((entries) => {
  const now = entries.some((entry) => entry.isIntersecting);
  if (now && !told) ask();
  seen = now;
}).observe(field('breakdown'));
