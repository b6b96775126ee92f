// The page of a tune: where the parameters came from and where they are going.

import { count, el, field, fixed, inSteps, put, show, showIf, signed } from './common.js';
import { lineStyle, refresh, tracesChart } from './charts.js';
import { followRun, numbers } from './run.js';

const FIRST_SHOWN = 12;
/** @type {any} */
let chart = null;
/** @type {any} */
let run = null;
let relative = true;
/** @type {boolean[]} */
let shown = [];
/** @type {HTMLElement[]} */
let chips = [];
/** @type {any[]} */
let data = [];

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

/** @param {any} p @param {Maybe} value @typedef {number | null | undefined} Maybe */
const text = (p, value) => (relative ? signed(value, 1) : inUnit(value, p));

/** @param {number | null} at */
const readout = (at) => {
  if (!run || !data.length) return;
  const place = at ?? data[0].length - 1;
  show('readout', `${at == null ? 'now' : `at ${count(data[0][place])} pairs`}, in ${relative ? 'units of c_end' : 'own units'}`);
  run.spec.job.tune.parameters.forEach((p, i) => {
    if (chips[i]) put(chips[i].lastElementChild, text(p, data[i + 1][place]));
  });
};

const build = () => {
  const { parameters } = run.spec.job.tune;
  const names = parameters.map((p) => p.name);
  // Of many parameters, those that moved most are shown at first.
  const way = (i) => Math.abs(steps(run.progress.tune.theta[i], parameters[i]));
  const order = names.map((_, i) => i).sort((a, b) => way(b) - way(a));
  shown = names.map(() => names.length <= FIRST_SHOWN);
  order.slice(0, FIRST_SHOWN).forEach((i) => { shown[i] = true; });
  data = columns();
  chart = tracesChart(field('chart'), names, shown, data, readout);
  const all = el('button', 'chip all', 'Show all');
  const none = el('button', 'chip all', 'Hide all');
  chips = names.map((name, i) => {
    const chip = el('button', 'chip', el('i', ''), el('span', '', name), el('b', '', '–'));
    chip.style.setProperty('--c', `var(--${lineStyle(i).name})`);
    chip.addEventListener('click', () => toggle(i, !shown[i]));
    for (const [event, on] of /** @type {[string, boolean][]} */ ([['pointerenter', true], ['pointerleave', false], ['focus', true], ['blur', false]])) {
      chip.addEventListener(event, () => { if (shown[i]) chart.setSeries(on ? i + 1 : null, { focus: on }); });
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
  field('chips').replaceChildren(...(names.length > FIRST_SHOWN ? [all, none, ...chips] : [...chips, all, none]));
  for (const button of field('chips').children) button.type = 'button';
};

const buttons = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-scale]'));
for (const button of buttons) {
  button.addEventListener('click', () => {
    relative = button.dataset.scale === 'relative';
    buttons.forEach((other) => other.setAttribute('aria-pressed', String(other === button)));
    if (!chart) return;
    chart.axes[1].label = relative ? 'units of c_end from the start' : 'value';
    draw(run);
  });
}

const table = numbers(() => {
  const { parameters } = run.spec.job.tune;
  const seen = parameters.map((p, i) => ({ p, i })).filter(({ i }) => shown[i]);
  return {
    head: ['pairs', ...seen.map(({ p }) => p.name)],
    lines: data[0].map((pairs, at) => [count(pairs), ...seen.map(({ p, i }) => text(p, data[i + 1][at]))]),
  };
});

/** @param {any} now */
const draw = (now) => {
  run = now;
  const { parameters } = run.spec.job.tune;
  const { theta, suggested, estimate, verdict, choices } = run.progress.tune;
  if (!chart) build();
  data = columns();
  refresh(chart, data);
  readout(chart.cursor.idx ?? null);
  table();
  [...field('params').rows].forEach((row, i) => {
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
    for (const name of ['name', 'min', 'max', 'start']) cell(name, String(p[name]));
    cell('now', inUnit(theta[i], p));
    cell('moved', p.kind === 'categorical' ? (theta[i] === p.start ? 'same' : 'other') : signed(steps(theta[i], p), 1));
    const advice = suggested[p.name];
    cell('suggested', p.kind.endsWith('int') ? fixed(advice, 0) : inUnit(advice, p));
    if (verdict) cell('effect', verdict.chance[i] >= 0.01 ? 'placebo' : 'shown');
    if (estimate) {
      cell('deviation', inSteps(estimate.deviation[i], isLog(p) ? theta[i] * p.c_end : p.c_end));
      cell('signal', fixed(estimate.signal_to_noise[i], 1));
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
    show('gain-range', `at least ${signed(estimate.gain_low, 1)}`);
    show('gain-left', `${fixed(estimate.remaining_loss, 1)} left to the optimum`);
  }
};

followRun(draw);
