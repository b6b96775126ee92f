// The page of a test: the LLR on its way to a bound, Elo in its interval, the verdict in words. A
// match is a test without hypotheses: all but the LLR, its bounds and what they decide.

import { count, field, fixed, setGauge, show, signed } from './common.js';
import { eloChart, llrChart, refresh } from './charts.js';
import { breakdown } from './breakdown.js';
import { followRun, numbers } from './run.js';

/** @type {any} */
let charts = null;
/** @type {any[]} */
let points = [];

/** @param {string} key @returns {(number | null)[]} */
const column = (key) => points.map((point) => point[key]);
const llrData = () => [column('pairs'), column('llr')];
const eloData = () => [column('pairs'), column('elo'), column('elo_low'), column('elo_high')];

const interval = (p) => `${signed(p.elo_low)} to ${signed(p.elo_high)}`;
/** @param {number | null} at */
const readout = (at) => {
  const point = points[at ?? points.length - 1];
  if (!point) return;
  const when = at == null ? 'now' : `at ${count(point.pairs)} pairs`;
  if (charts.llr) show('llr-readout', `${when}: ${signed(point.llr)}`);
  show('elo-readout', `${when}: ${signed(point.elo)}, 95 %: ${interval(point)}`);
};

/**
 * The verdict as a word and as a sentence.
 * @param {any} run @param {any} test @returns {[string, string]}
 */
const verdict = (run, test) => {
  const after = `after ${count(run.counted_pairs)} pairs`;
  if (test.llr == null) {
    const elo = `${signed(test.elo, 1)} Elo, 95 %: ${interval(test)}`;
    if (run.state === 'finished') return ['Played to its end', `${elo}, ${after}.`];
    if (run.state === 'stopped') return ['Stopped by hand', `${elo}, ${after}.`];
    return [run.state === 'paused' ? 'Paused' : 'Being played', `All ${count(run.asked_pairs)} pairs are played; there is no verdict.`];
  }
  const llr = `the LLR stands at ${signed(test.llr)}`;
  if (test.verdict === 'accepted') return ['Accepted', `The candidate passes: ${llr}, and ${signed(test.upper)} accepts, ${after}.`];
  if (test.verdict === 'rejected') return ['Rejected', `The candidate fails: ${llr}, and ${signed(test.lower)} rejects, ${after}.`];
  if (test.verdict === 'inconclusive' && run.counted_pairs < run.asked_pairs) return ['Inconclusive', `Ended as futile ${after}: ${llr}, and the budget left too little chance to pass.`];
  if (test.verdict === 'inconclusive') return ['Inconclusive', `The budget ended between the bounds: ${llr} ${after}.`];
  if (run.state === 'stopped') return ['No verdict', `Stopped by hand ${after}; ${llr}.`];
  return [run.state === 'paused' ? 'Paused, undecided' : 'Undecided so far', `After ${count(run.counted_pairs)} pairs ${llr}; ${signed(test.upper)} accepts, ${signed(test.lower)} rejects.`];
};

const table = numbers(() => {
  const llr = charts?.llr ? (text) => [text] : () => [];
  return {
    head: ['pairs', ...llr('LLR'), 'Elo', '95 % from', 'to'],
    lines: points.map((p) => [p.pairs, ...llr(p.llr), p.elo, p.elo_low, p.elo_high]),
    text: (value, column) => (column ? signed(value) : count(value)),
  };
});

/**
 * Normalised Elo: the mean score above a half in deviations of one game, times 800 / ln 10 (M. Van den
 * Bergh, 2020). Its naive interval depends on the number of games alone; the corrected one is that of the
 * corrected Elo on this scale. An empty cell counts a thousandth, as everywhere.
 * @param {number[]} cells @param {any} corrected
 */
const normalized = (cells, corrected) => {
  const unit = 800 / Math.LN10;
  const filled = cells.map((cell) => cell || 1e-3);
  const pairs = filled.reduce((a, b) => a + b, 0);
  const mean = filled.reduce((sum, cell, i) => sum + cell * i / 4, 0) / pairs;
  const variance = filled.reduce((sum, cell, i) => sum + cell * (i / 4 - mean) ** 2, 0) / pairs;
  const scale = (score) => unit * (score - 0.5) / Math.sqrt(2 * variance);
  const margin = unit * 1.96 / Math.sqrt(2 * pairs);
  const of = (elo) => scale(1 / (1 + 10 ** (-elo / 400)));
  return {
    value: scale(mean), low: scale(mean) - margin, high: scale(mean) + margin,
    corrected: corrected && { elo: of(corrected.elo), elo_low: of(corrected.elo_low), elo_high: of(corrected.elo_high) },
  };
};

followRun((run) => {
  const test = run.progress.test;
  points = [...test.trace];
  if (run.counted_pairs > (points[points.length - 1]?.pairs ?? 0)) points.push({ ...test, pairs: run.counted_pairs });
  if (!charts) {
    const box = field('elo-chart');
    const marks = box.dataset.elo0 === undefined ? [] : [Number(box.dataset.elo0), Number(box.dataset.elo1)];
    charts = { llr: test.llr == null ? null : llrChart(field('llr-chart'), test, llrData(), readout), elo: eloChart(box, marks, eloData(), readout) };
  } else {
    if (charts.llr) refresh(charts.llr, llrData());
    refresh(charts.elo, eloData());
  }
  readout((charts.llr ?? charts.elo).cursor.idx ?? null);
  table();

  const [word, why] = verdict(run, test);
  show('verdict-word', word);
  show('verdict-why', why);
  field('verdict').dataset.verdict = test.verdict ?? 'open';
  if (charts.llr) setGauge(field('gauge'), test);
  show('elo', run.counted_pairs ? `${signed(test.elo, 1)} ± ${fixed((test.elo_high - test.elo_low) / 2, 1)}` : '–');
  show('elo-range', interval(test));
  const scaled = normalized(run.tally.pentanomial, test.corrected);
  show('nelo', run.counted_pairs ? `${signed(test.normalized_elo, 1)} ± ${fixed((scaled.high - scaled.low) / 2, 1)}` : '–');
  show('nelo-corrected', run.counted_pairs && scaled.corrected ? `corrected ${signed(scaled.corrected.elo, 1)}, 95 %: ${interval(scaled.corrected)}` : '');
  breakdown(run);
  show('los', test.los == null ? '' : `likely stronger: ${fixed(100 * test.los, 1)} %`);
  if (!charts.llr) return;
  const { corrected, outlook } = test;
  show('corrected', run.counted_pairs && corrected ? `${signed(corrected.elo, 1)} ± ${fixed((corrected.elo_high - corrected.elo_low) / 2, 1)}` : '–');
  show('corrected-range', corrected ? interval(corrected) : '');
  show('passes', outlook ? `${fixed(100 * outlook.pass_probability, 0)} % to pass` : '–');
  show('remaining', outlook ? `${count(Math.round(2 * outlook.mean_pairs))} more games on average; half of such tests ${count(Math.round(2 * outlook.median_pairs))}, 95 of 100 ${count(Math.round(2 * outlook.q95_pairs))} at most` : 'the test is over');
});
