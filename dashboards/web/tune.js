// The page of a tune: where the parameters came from and where they are going.

import { count, el, field, fixed, fromAddress, getJson, inAddress, inSteps, put, show, showIf, signed, soon } from './common.js';
import { lineStyle, refresh, tracesChart } from './charts.js';
import { breakdown } from './breakdown.js';
import { followRun, numbers, runId } from './run.js';
import { choose } from './iteration.js';
import './copying.js';

/** @typedef {number | null | undefined} Maybe */
const FIRST_SHOWN = 12;
const SURE = 1.96;
/** @type {any} */
let chart = null;
/** @type {any} */
let run = null;
let relative = fromAddress('scale') !== 'absolute';
/** @type {boolean[]} */
let shown = [];
/** @type {HTMLElement[]} */
let chips = [];
/** @type {any[]} */
let data = [];
/** The parameter whose band is drawn. */
let marked = -1;
let names = '';

const isLog = (p) => p.kind.startsWith('log-');
const steps = (value, p) => {
  if (p.kind === 'categorical') return Number(value !== p.start);
  return isLog(p) ? Math.log(value / p.start) / p.c_end : (value - p.start) / p.c_end;
};
/** A value with the digits that its `c_end` is worth. */
const inUnit = (value, p) => {
  if (p.kind === 'categorical') return fixed(value, 0);
  return inSteps(value, isLog(p) ? value * p.c_end : p.c_end);
};

/** The way with the start before it and the present after it. */
const columns = () => {
  const { parameters } = run.spec.job.tune;
  const { trace, theta } = run.progress.tune;
  const points = [...trace];
  if (points[0]?.pairs !== 0) points.unshift({ pairs: 0, theta: parameters.map((p) => p.start) });
  if (points[points.length - 1].pairs < run.counted_pairs) points.push({ pairs: run.counted_pairs, theta });
  return [points.map((point) => point.pairs), ...parameters.map((p, i) =>
    points.map((point) => (relative ? steps(point.theta[i], p) : point.theta[i])))];
};

/** @param {any} p @param {Maybe} value */
const text = (p, value) => (relative ? signed(value, 1) : inUnit(value, p));

/**
 * The band of the marked parameter, a low and a high for each point. An optimiser that knows its result
 * tells where the optimum is; for the other it is how far noise alone carries a parameter that does
 * nothing: its deviation now, grown over the pairs as the gains of the specification grow it.
 */
const band = () => {
  const p = run?.spec.job.tune.parameters[marked];
  if (!p || !shown[marked] || p.kind === 'categorical') return null;
  const { estimate, verdict, suggested } = run.progress.tune;
  const move = (value, way) => (isLog(p) ? value * Math.exp(way) : value + way);
  const place = (value) => (relative ? steps(value, p) : value);
  if (estimate) {
    const way = SURE * estimate.deviation[marked];
    const [low, high] = [suggested[p.name] - way, suggested[p.name] + way];
    return data[0].map(() => [place(isLog(p) ? Math.max(low, p.min) : low), place(high)]);
  }
  const noise = verdict?.noise?.[marked];
  if (!noise) return null;
  const { alpha = 0.602, gamma = 0.101, a_ratio: ratio = 0.1 } = run.spec.job.tune.optimizer?.spsa ?? {};
  const grown = [0];
  for (let i = 1; i < data[0].length; i++) {
    const [from, to] = [data[0][i - 1], data[0][i]];
    const at = (from + to) / 2 + 1;
    grown.push(grown[i - 1] + (to - from) * at ** (2 * gamma) / (ratio * run.asked_pairs + at) ** (2 * alpha));
  }
  const all = grown[grown.length - 1] || 1;
  return grown.map((sum) => [-1, 1].map((side) => place(move(p.start, side * SURE * noise * Math.sqrt(sum / all)))));
};

/** @param {number | null} at */
const readout = (at) => {
  if (!run || !data.length) return;
  const place = at ?? data[0].length - 1;
  const last = run.spec.job.tune.parameters[marked];
  const what = run.progress.tune.estimate ? 'where its optimum is believed, 95 %' : 'where noise alone keeps 95 % of those that do nothing';
  const shade = last && band() ? `; shaded for ${last.name}: ${what}` : '';
  show('readout', `${at == null ? 'now' : `at ${count(data[0][place])} pairs`}, in ${relative ? 'units of c_end' : 'own units'}${shade}`);
  run.spec.job.tune.parameters.forEach((p, i) => {
    if (chips[i]) put(chips[i].lastElementChild, text(p, data[i + 1][place]));
  });
};

/** @param {number} i */
const mark = (i) => {
  marked = i;
  if (!chart) return;
  chart.setSeries(i >= 0 && shown[i] ? i + 1 : null, { focus: i >= 0 });
  chart.redraw(false);
  readout(null);
};

const build = () => {
  const { parameters } = run.spec.job.tune;
  const titles = parameters.map((p) => p.name);
  // Of many parameters, those that moved most are shown at first.
  const way = (i) => Math.abs(steps(run.progress.tune.theta[i], parameters[i]));
  const order = titles.map((_, i) => i).sort((a, b) => way(b) - way(a));
  shown = titles.map(() => titles.length <= FIRST_SHOWN);
  order.slice(0, FIRST_SHOWN).forEach((i) => { shown[i] = true; });
  marked = titles.length === 1 ? 0 : -1;
  data = columns();
  chart?.destroy();
  chart = tracesChart(field('chart'), titles, shown, data, readout, () => ({ band: band(), style: lineStyle(Math.max(0, marked)).name }));
  if (!relative) chart.axes[1].label = 'value';
  chart.over.addEventListener('click', () => { if (chart.cursor.idx != null) choose(data[0][chart.cursor.idx]); });
  const all = el('button', 'chip all', 'Show all');
  const none = el('button', 'chip all', 'Hide all');
  chips = titles.map((name, i) => {
    const chip = el('button', 'chip', el('i', ''), el('span', '', name), el('b', '', '–'));
    chip.style.setProperty('--c', `var(--${lineStyle(i).name})`);
    chip.addEventListener('click', () => toggle(i, !shown[i]));
    for (const [event, on] of /** @type {[string, boolean][]} */ ([['pointerenter', true], ['pointerleave', false], ['focus', true], ['blur', false]])) {
      chip.addEventListener(event, () => mark(on ? i : titles.length === 1 ? 0 : -1));
    }
    chip.setAttribute('aria-pressed', String(shown[i]));
    return chip;
  });
  const toggle = (i, on) => {
    shown[i] = on;
    chips[i].setAttribute('aria-pressed', String(on));
    chart.setSeries(i + 1, { show: on });
    table();
  };
  const every = (on) => chart.batch(() => shown.forEach((was, i) => { if (was !== on) toggle(i, on); }));
  all.addEventListener('click', () => every(true));
  none.addEventListener('click', () => every(false));
  field('chips').replaceChildren(...(titles.length > FIRST_SHOWN ? [all, none, ...chips] : [...chips, all, none]));
  for (const button of field('chips').children) button.type = 'button';
  // A row for each, made like the first.
  const body = field('params');
  while (body.rows.length < parameters.length) body.append(body.rows[0].cloneNode(true));
  while (body.rows.length > Math.max(1, parameters.length)) body.lastElementChild.remove();
  body.hidden = !parameters.length;
};

const buttons = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-scale]'));
const press = () => buttons.forEach((button) => button.setAttribute('aria-pressed', String((button.dataset.scale === 'relative') === relative)));
press();
for (const button of buttons) {
  button.addEventListener('click', () => {
    relative = button.dataset.scale === 'relative';
    inAddress({ scale: relative ? '' : 'absolute' });
    press();
    if (!chart) return;
    chart.axes[1].label = relative ? 'units of c_end from the start' : 'value';
    draw(run);
  });
}

const table = numbers(() => {
  if (!run) return { head: ['pairs'], lines: [], text: String };
  const { parameters } = run.spec.job.tune;
  const seen = parameters.map((p, i) => ({ p, i })).filter(({ i }) => shown[i]);
  return {
    head: ['pairs', ...seen.map(({ p }) => p.name)],
    lines: data[0].map((pairs, at) => [pairs, ...seen.map(({ i }) => data[i + 1][at])]),
    text: (value, column) => (column ? text(seen[column - 1].p, value) : count(value)),
  };
});

/** What `spsa` does not know itself is read off its reports, now and then while the page is seen. */
const GAIN_AGAIN_MS = 20000;
let gainAsked = 0;
let gainPairs = -1;
/** @param {any} now */
const askForGain = async ({ counted_pairs: pairs, state }) => {
  const over = state === 'finished' || state === 'stopped';
  if (pairs === gainPairs || pairs === 0 || (!over && Date.now() - gainAsked < GAIN_AGAIN_MS)) return;
  [gainAsked, gainPairs] = [Date.now(), pairs];
  try {
    const { pairs: seen, strength, why } = await getJson(`/api/runs/${runId}/gain`);
    show('gain', strength ? `${signed(strength.elo, 1)} Elo` : '–');
    show('gain-range', strength ? `95 %: ${signed(strength.low, 1)} to ${signed(strength.high, 1)}` : why);
    show('gain-left', strength ? `by ${count(seen)} pairs` : '');
  } catch (error) {
    show('gain-range', /** @type {Error} */ (error).message);
  }
};

/** @param {any} now */
const draw = (now) => {
  run = now;
  const { parameters } = run.spec.job.tune;
  const { theta, suggested, estimate, verdict, choices } = run.progress.tune;
  const these = parameters.map((p) => p.name).join('\n');
  if (!chart || these !== names) {
    names = these;
    build();
  } else {
    data = columns();
    refresh(chart, data);
  }
  readout(chart.cursor.idx ?? null);
  table();
  const of = Number(field('filter').dataset.of);
  show('found', parameters.length === of ? `${count(of)} parameter${of === 1 ? '' : 's'}` : `${count(parameters.length)} of ${count(of)} parameters`);
  if (parameters.length) [...field('params').rows].forEach((row, i) => {
    const p = parameters[i];
    const place = (v) => (isLog(p) ? Math.log(v) : v);
    const at = (v) => 100 * (place(v) - place(p.min)) / (place(p.max) - place(p.min));
    const [way, from, here] = row.querySelectorAll('i');
    from.style.left = `${at(p.start)}%`;
    here.style.left = `${at(theta[i])}%`;
    way.style.left = `${Math.min(at(theta[i]), at(p.start))}%`;
    way.style.width = `${Math.abs(at(theta[i]) - at(p.start))}%`;
    row.style.setProperty('--c', `var(--${lineStyle(i).name})`);
    const cell = (name, value) => put(row.querySelector(`[data-c="${name}"]`), value);
    for (const name of ['name', 'min', 'max']) cell(name, String(p[name]));
    cell('start', p.kind.endsWith('int') ? String(p.start) : inUnit(p.start, p));
    cell('now', inUnit(theta[i], p));
    cell('moved', p.kind === 'categorical' ? (theta[i] === p.start ? 'same' : 'other') : signed(steps(theta[i], p), 1));
    const advice = suggested[p.name];
    cell('suggested', p.kind.endsWith('int') ? fixed(advice, 0) : inUnit(advice, p));
    if (verdict) cell('effect', verdict.chance[i] >= 0.01 ? 'placebo' : 'shown');
    const noise = verdict?.noise?.[i];
    const unit = isLog(p) ? theta[i] * p.c_end : p.c_end;
    if (estimate) {
      cell('deviation', inSteps(estimate.deviation[i], unit));
      cell('signal', fixed(estimate.signal_to_noise[i], 1));
    } else if (noise) {
      cell('deviation', inSteps(isLog(p) ? theta[i] * noise : noise, unit));
      cell('signal', fixed(Math.abs(steps(theta[i], p)) * p.c_end / noise, 1));
    }
  });
  if (verdict) {
    show('convergence', { 'nothing-shown': 'nothing shown', moves: 'still moves', converged: 'converged' }[verdict.convergence]);
    show('convergence-why', verdict.why);
  }
  const odds = (choices ?? []).map(({ name, probabilities }) => {
    const first = parameters.find((p) => p.name === name)?.min ?? 0;
    return `${name}: ${probabilities.map((share, i) => `${first + i} ${fixed(100 * share, 0)} %`).join(', ')}`;
  });
  showIf('choices', odds.length ? `Best choice, ${odds.join('; ')}` : '');
  if (estimate) {
    show('gain', `${signed(estimate.gain, 1)} Elo`);
    show('gain-range', `95 %: ${signed(estimate.gain_low, 1)} to ${signed(estimate.gain_high, 1)}`);
    show('gain-left', `${fixed(estimate.remaining_loss, 1)} left to the optimum`);
  }
  field('iteration-pairs').max = run.counted_pairs;
  if (!estimate) askForGain(run);
  breakdown(run);
};

// The filter is part of the address and of what the stream is asked for, so that ten thousand
// parameters never travel for the sake of a few.
const filter = field('filter');
const order = field('order');
filter.value = fromAddress('filter');
order.value = fromAddress('order') || 'moved';
const words = () => {
  const asked = new URLSearchParams();
  if (filter.value.trim()) asked.set('filter', filter.value.trim());
  if (order.value !== 'moved') asked.set('order', order.value);
  return asked.size ? `?${asked}` : '';
};
const again = followRun(draw, words());
const change = soon(() => {
  inAddress({ filter: filter.value.trim(), order: order.value === 'moved' ? '' : order.value });
  again(words());
});
filter.addEventListener('input', change);
order.addEventListener('change', change);
