// The page of a race: its verdict in words, the table of its candidates.

import { count, field, getJson, put, show, signed } from './common.js';
import { raceChart, refresh } from './charts.js';
import { breakdown } from './breakdown.js';
import { followRun, numbers, runId } from './run.js';

const AGAIN_MS = 5000;
let asked = 0;
let drawn = -1;
/** @type {any} */
let chart = null;
/** @type {any} */
let race = null;
/** The ways of the candidates: a column of pairs, then one for each. @type {any[]} */
let data = [[]];

/** Bounds move with the family and with what reports overshoot: the outermost of those that are open. */
const bounds = () => {
  const open = race.candidates.filter((c) => c.state === 'open');
  const some = open.length ? open : race.candidates;
  return { lower: Math.min(...some.map((c) => c.lower)), upper: Math.max(...some.map((c) => c.upper)) };
};
/** @param {number | null} at */
const readout = (at) => {
  if (!race || !data[0].length) return;
  const place = at ?? data[0].length - 1;
  const value = (column) => column.slice(0, place + 1).findLast((v) => v != null);
  const told = race.candidates.map((c, i) => `${c.name} ${signed(value(data[i + 1]))}`);
  show('readout', told.length > 6 ? '' : `${at == null ? 'now' : `at ${count(data[0][place])} pairs each`}: ${told.join(', ')}`);
};
const table = numbers(() => ({
  head: ['pairs', ...(race?.candidates ?? []).map((c) => c.name)],
  lines: data[0].map((pairs, at) => [pairs, ...data.slice(1).map((column) => column[at])]),
  text: (value, column) => (column ? (value == null ? '' : signed(value)) : count(value)),
}));
/** The ways come from the ledger when they are asked for: now and then while the race goes on. @param {any} run */
const ways = async (run) => {
  const over = run.state === 'finished' || run.state === 'stopped';
  if (run.counted_pairs === drawn || (!over && Date.now() - asked < AGAIN_MS)) return;
  [asked, drawn] = [Date.now(), run.counted_pairs];
  try {
    const curves = await getJson(`/api/runs/${runId}/curves`);
    const places = [...new Set(curves.flatMap((curve) => curve.points.map((p) => p.pairs)))].sort((a, b) => a - b);
    data = [places, ...curves.map(({ points }) => {
      const at = new Map(points.map((p) => [p.pairs, p.llr]));
      return places.map((pairs) => at.get(pairs) ?? null);
    })];
    if (chart) refresh(chart, data); else chart = raceChart(field('chart'), curves.map((curve) => curve.name), bounds, data, readout);
    readout(chart.cursor.idx ?? null);
    table();
  } catch (error) {
    show('readout', /** @type {Error} */ (error).message);
  }
};

/**
 * The verdict as a word and as a sentence.
 * @param {any} run @param {any} race @returns {[string, string]}
 */
const verdict = (run, race) => {
  const after = `after ${count(run.counted_pairs)} pairs`;
  const accepted = race.candidates.filter((c) => c.state === 'accepted');
  const winner = race.candidates[race.winner];
  if (race.verdict === 'accepted') return ['Accepted', `${accepted.length > 1 ? `${accepted.length} candidates pass; ${winner.name} has shown most` : `${winner.name} passes`}, ${after}.`];
  if (race.verdict === 'rejected') return ['Rejected', `No candidate has the gain asked for, ${after}.`];
  if (race.verdict === 'inconclusive') return ['Inconclusive', `The budget ended before any candidate passed, ${after}.`];
  if (run.state === 'stopped') return ['No verdict', `Stopped by hand ${after}.`];
  return [run.state === 'paused' ? 'Paused, undecided' : 'Undecided so far', `Of those that are open, the one that may be strongest plays next; ${count(run.counted_pairs)} pairs so far.`];
};

const DECIDED = { open: 'running', accepted: 'finished', rejected: 'stopped' };

followRun((run) => {
  race = run.progress.race;
  const [word, why] = verdict(run, race);
  show('verdict-word', word);
  show('verdict-why', why);
  field('verdict').dataset.verdict = race.verdict ?? 'open';
  const number = (state) => race.candidates.filter((c) => c.state === state).length;
  show('open', `${number('open')} open`);
  show('decided', `${number('accepted')} accepted, ${number('rejected')} rejected`);
  [...field('candidates').children].forEach((row, i) => {
    const candidate = race.candidates[i];
    const pairs = candidate.tally.pentanomial.reduce((a, b) => a + b, 0);
    const cell = (name, text) => put(row.querySelector(`[data-c="${name}"]`), text);
    cell('state', i === race.winner ? 'winner' : candidate.state);
    row.querySelector('[data-c="state"]').dataset.state = DECIDED[candidate.state];
    cell('pairs', count(pairs));
    cell('llr', signed(candidate.llr));
    cell('lower', signed(candidate.lower));
    cell('upper', signed(candidate.upper));
    cell('elo', pairs ? signed(candidate.corrected.elo, 1) : '–');
    cell('from', pairs ? signed(candidate.corrected.elo_low, 1) : '–');
    cell('to', pairs ? signed(candidate.corrected.elo_high, 1) : '–');
  });
  ways(run);
  breakdown(run);
});
