// Every worker, live: who is there, how fast, and why one is idle.

import { anchor, count, duration, field, fillRows, follow, fromAddress, inAddress, percent, residual, row, short, show } from './common.js';

const form = field('filters');
const find = form.elements.namedItem('q');
const which = form.elements.namedItem('which');
find.value = fromAddress('q');
which.value = fromAddress('which');
/** @type {any[]} */
let workers = [];
let drawn = '';

/** @param {any} worker */
const status = (worker) => {
  if (worker.on_hold) return `on hold: ${worker.on_hold}`;
  if (worker.excluded) return 'excluded';
  if (worker.suspicion?.named) return 'its results stand out, look at it';
  if (!worker.connected) return `away for ${duration((Date.now() - worker.last_seen_unix_ms) / 1000)}`;
  return worker.idle_reason ? `idle: ${worker.idle_reason}` : 'playing';
};

const draw = () => {
  const words = find.value.trim().toLowerCase();
  const isMeant = (w) => {
    const text = `${w.name} ${w.owner} ${w.platform} ${w.software_version} ${status(w)}`.toLowerCase();
    const fits = { '': true, here: w.connected, idle: w.connected && w.idle_reason !== '', refused: w.refused_reports > 0 }[which.value];
    return fits && text.includes(words);
  };
  const seen = workers.filter(isMeant);
  // Most changes of the cluster are none of these; rows stay where a reader has selected something.
  const now = JSON.stringify([seen, seen.map(status)]);
  if (now === drawn) return;
  drawn = now;
  const rows = seen.map((w) => {
    const { owner } = w;
    const node = row(anchor(`/workers/${w.id}`, w.name || `#${w.id}`), owner ? anchor(`/owners/${encodeURIComponent(owner)}`, owner) : '–', { wide: w.platform },
      { n: `${w.playing_games} / ${w.slots}` }, { n: w.connected ? short(w.nodes_per_second) : '–' }, { wide: count(w.active_leases) },
      { n: count(w.counted_pairs) }, { n: percent(w.audited_pairs, w.counted_pairs) }, { wide: residual(w.suspicion) }, { n: count(w.refused_reports) }, status(w));
    node.dataset.link = w.connected ? (w.idle_reason ? 'idle' : 'live') : 'away';
    node.title = `${w.software_version}, ${w.cores} cores${w.last_refusal && `; refused last: ${w.last_refusal}`}`;
    return node;
  });
  // A row that has the focus is not taken from under it.
  const body = field('workers');
  const at = [...body.querySelectorAll('a')].indexOf(document.activeElement);
  fillRows(body, rows, workers.length ? 'None of the workers is meant by that.' : 'No workers yet. Start one with elomill worker.');
  if (at >= 0) body.querySelectorAll('a')[at]?.focus();
  show('found', `${count(seen.length)} of ${count(workers.length)}`);
};

form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', () => { inAddress({ q: find.value.trim(), which: which.value }); draw(); });
const take = (/** @type {any} */ data) => {
  workers = data.workers;
  draw();
};
follow('/events', take, take);
