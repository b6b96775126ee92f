// The lineages of champions: what each accepted test gained, and what has come of it in all.

import { anchor, count, downloads, el, field, fillRows, getJson, row, signed, stamp } from './common.js';
import { lineageChart } from './charts.js';

const interval = (s) => `${signed(s.low, 1)} to ${signed(s.high, 1)}`;
/** @param {string} text */
const head = (text, right = false) => { const node = el('th', right ? 'n' : '', text); node.setAttribute('scope', 'col'); return node; };
/** A table with a heading for each column; those that begin with > hold numbers. @param {string} name @param {string[]} titles @param {Node[]} rows @param {string} none */
const table = (name, titles, rows, none) => {
  const body = el('tbody', '');
  const node = el('div', 'scroll', el('table', '', el('thead', '', el('tr', '', ...titles.map((t) => head(t.replace('>', ''), t.startsWith('>'))))), body));
  node.setAttribute('tabindex', '0');
  node.setAttribute('role', 'region');
  node.setAttribute('aria-label', name);
  fillRows(/** @type {HTMLElement} */ (body), rows, none);
  return node;
};

/** @param {any} line @param {number} place */
const lineage = (line, place) => {
  const { steps, regressions } = line;
  const last = steps[steps.length - 1];
  const title = el('h2', '', `${line.game}, engine ${line.engine}: ${signed(last.total.elo, 1)} Elo in ${count(steps.length)} step${steps.length === 1 ? '' : 's'}`);
  title.id = `line-${place}`;
  const chart = el('div', 'chart');
  chart.setAttribute('role', 'img');
  chart.setAttribute('aria-label', `Total Elo of the champions over time, ${signed(last.total.elo, 1)} at the end, 95 %: ${interval(last.total)}`);
  const rows = steps.map((s) => row(
    anchor(`/runs/${s.run}`, s.name || `run #${s.run}`), s.candidate_run ? anchor(`/runs/${s.candidate_run}`, `#${s.candidate_run}`) : '–',
    stamp(s.ended_at_unix_ms), { n: signed(s.gain.elo, 1) }, { n: interval(s.gain) }, { n: signed(s.total.elo, 1) }, { n: interval(s.total) }));
  const matches = regressions.map((m) => row(
    anchor(`/runs/${m.run}`, m.name || `run #${m.run}`), anchor(`/runs/${m.champion}`, `champion of #${m.champion}`), stamp(m.ended_at_unix_ms),
    { n: count(m.pairs) }, { n: signed(m.strength.elo, 1) }, { n: interval(m.strength) }));
  const files = downloads(`lineage-${line.game}-${last.run}`, () => ({
    head: ['run', 'name', 'tune', 'ended_at_unix_ms', 'gain', 'gain_low', 'gain_high', 'total', 'total_low', 'total_high'],
    lines: steps.map((s) => [s.run, s.name, s.candidate_run, s.ended_at_unix_ms, s.gain.elo, s.gain.low, s.gain.high, s.total.elo, s.total.low, s.total.high]),
  }));
  const card = el('section', 'card', title, chart,
    table('Champions', ['Test', 'Tune', 'Ended', '>Gain', '>95 %', '>Total', '>95 %'], rows, ''), files,
    el('h3', '', 'Matches against the start of the line'),
    table('Matches against the start', ['Match', 'Champion', 'Ended', '>Pairs', '>Elo', '>95 %'], matches, 'None yet: elomill campaign regress plays one, or a match of a champion against the values at the start.'));
  card.setAttribute('aria-labelledby', title.id);
  // Steps and matches on one axis of time.
  const start = (steps[0].ended_at_unix_ms - 60000) / 1000;
  const points = [[start, 0, 0, 0, null, null, null],
    ...steps.map((s) => [s.ended_at_unix_ms / 1000, s.total.elo, s.total.low, s.total.high, null, null, null]),
    ...regressions.map((m) => [m.ended_at_unix_ms / 1000, null, null, null, m.strength.elo, m.strength.low, m.strength.high])]
    .sort((a, b) => Number(a[0]) - Number(b[0]));
  return { card, draw: () => lineageChart(chart, [0, 1, 2, 3, 4, 5, 6].map((column) => points.map((p) => p[column]))) };
};

try {
  const lines = (await getJson('/api/progress')).map(lineage);
  field('lineages').replaceChildren(...(lines.length
    ? lines.map((line) => line.card)
    : [el('p', 'card empty', 'No test has accepted a candidate yet. ', el('code', '', 'elomill campaign start FILE'), ' tunes, tests and crowns by itself; a single accepted test shows here, too.')]));
  for (const line of lines) line.draw();
} catch (error) {
  field('lineages').replaceChildren(el('p', 'card empty', /** @type {Error} */ (error).message));
}
