// Charts: uPlot with this project's colours, direct labels, reference lines and bands.

import { signed, whenThemeChanges } from './common.js';

/** @type {any} */
const uPlot = /** @type {any} */ (window).uPlot;
/** @type {Set<any>} */
const charts = new Set();
/** @type {Map<string, string>} */
const inks = new Map();
const probe = document.body.appendChild(document.createElement('span'));
probe.hidden = true;
whenThemeChanges(() => { inks.clear(); charts.forEach((chart) => chart.redraw(false)); });

/** A colour of the style sheet as a canvas understands it. @param {string} name */
export const ink = (name) => {
  if (!inks.has(name)) {
    probe.style.color = `var(--${name})`;
    inks.set(name, getComputedStyle(probe).color);
  }
  return /** @type {string} */ (inks.get(name));
};

const PALETTE = 10;
/** The style of the i-th of many lines: ten colours, then the same dashed. @param {number} i */
export const lineStyle = (i) => ({
  name: `s${i % PALETTE}`,
  dash: [[], [7, 4], [2, 3]][Math.floor(i / PALETTE) % 3],
});

/** From this width on there is room for names at the ends of the lines. */
const LABELLED = 700;
const FONT = '12px Inter, system-ui, sans-serif';
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });
/** @param {string} label @param {(v: number) => string} text */
const axis = (label, text) => ({
  stroke: () => ink('dim'), font: FONT, labelFont: FONT, label, 
  labelSize: 18, labelGap: 0, gap: 6, size: label === 'pairs' || label === 'ply' ? 24 : 46,
  grid: { stroke: () => ink('grid'), width: 1 }, ticks: { show: false },
  values: (_, at) => at.map(text),
});

/**
 * A chart that fills its box and follows its size.
 * @param {HTMLElement} box @param {any} options @param {any[]} data
 */
const mount = (box, options, data) => {
  const size = () => ({ width: Math.max(200, box.clientWidth), height: box.clientHeight });
  const chart = new uPlot({
    ...size(), legend: { show: false }, padding: [12, 14, 0, 0], ...options,
    axes: [options.axis ?? axis('pairs', (v) => compact.format(v)), axis(options.label, options.text ?? ((v) => String(v).replace('-', '−')))],
    scales: { x: { time: options.time ?? false }, y: { range: options.range } },
  }, data, box);
  charts.add(chart);
  const sizes = new ResizeObserver(() => chart.setSize(size()));
  sizes.observe(box);
  const destroy = chart.destroy;
  chart.destroy = () => { sizes.disconnect(); charts.delete(chart); destroy(); };
  return chart;
};

/** New data, without undoing a zoom of the reader. @param {any} chart @param {any[]} data */
export const refresh = (chart, data) => {
  const { min, max } = chart.scales.x;
  const old = chart.data[0];
  const zoomed = old.length > 1 && (min > old[0] || max < old[old.length - 1]);
  chart.setData(data, !zoomed);
  if (zoomed) chart.redraw(false);
};

/** @param {(at: number | null) => void} act */
const onCursor = (act) => [(u) => act(u.cursor.idx ?? null)];

/**
 * A horizontal line with a word on it.
 * @param {any} u @param {number} value @param {string} color @param {string} text
 * @param {boolean} above @param {'left' | 'right'} side
 */
const rule = (u, value, color, text, above, side) => {
  const { ctx, bbox } = u;
  const y = Math.round(u.valToPos(value, 'y', true));
  if (y < bbox.top - 1 || y > bbox.top + bbox.height + 1) return;
  const dpr = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.lineWidth = 1.5 * dpr;
  ctx.setLineDash([6 * dpr, 4 * dpr]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `600 ${12 * dpr}px Inter, system-ui, sans-serif`;
  ctx.textAlign = side;
  ctx.textBaseline = above ? 'bottom' : 'top';
  ctx.fillText(text, side === 'left' ? bbox.left + 6 * dpr : bbox.left + bbox.width - 6 * dpr, y + (above ? -3 : 4) * dpr);
  ctx.restore();
};

/** @param {any} u @param {number} from @param {number} to @param {string} color */
const zone = (u, from, to, color) => {
  const { ctx, bbox } = u;
  const [a, b] = [u.valToPos(from, 'y', true), u.valToPos(to, 'y', true)];
  ctx.fillStyle = color;
  ctx.fillRect(bbox.left, Math.min(a, b), bbox.width, Math.abs(b - a));
};

/** The names at the ends of the lines, pushed apart. @param {any} u */
const endLabels = (u) => {
  const shown = u.series.filter((s, i) => i > 0 && s.show);
  if (u.width < LABELLED || shown.length > 24) return;
  const { ctx, bbox, data } = u;
  const dpr = devicePixelRatio;
  const step = 15 * dpr;
  const last = u.series[0].idxs[1];
  const labels = u.series
    // A line may end before the last place.
    .map((s, i) => ({ s, v: i && s.show ? data[i].slice(0, last + 1).findLast((v) => v != null) : null }))
    .filter((l) => l.v != null)
    .map((l) => ({ s: l.s, y: u.valToPos(l.v, 'y', true) }))
    .sort((a, b) => a.y - b.y);
  for (let i = 1; i < labels.length; i++) labels[i].y = Math.max(labels[i].y, labels[i - 1].y + step);
  let floor = bbox.top + bbox.height;
  for (const label of labels.reverse()) { label.y = Math.min(label.y, floor); floor = label.y - step; }
  ctx.save();
  ctx.font = `500 ${12 * dpr}px Inter, system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const { s, y } of labels) {
    ctx.fillStyle = s.stroke(u);
    ctx.fillText(s.label.length > 20 ? `${s.label.slice(0, 19)}…` : s.label, bbox.left + bbox.width + 8 * dpr, y);
  }
  ctx.restore();
};

/**
 * Many lines from one start.
 * @param {HTMLElement} box @param {string[]} names @param {boolean[]} shown @param {any[]} data
 * @param {(at: number | null) => void} cursor
 * @param {() => {band: number[][] | null, style: string}} marked the band of one of them, low and high
 */
export const tracesChart = (box, names, shown, data, cursor, marked) => mount(box, {
  label: 'units of c_end from the start',
  padding: [12, (u) => (u.width < LABELLED ? 14 : 150), 0, 0],
  focus: { alpha: 0.2 },
  cursor: { focus: { prox: 16 }, y: false },
  range: (_, min, max) => {
    const pad = 0.06 * (max - min) || 1;
    return [min - pad, max + pad];
  },
  series: [{}, ...names.map((label, i) => ({
    label, show: shown[i], stroke: () => ink(lineStyle(i).name), dash: lineStyle(i).dash, width: 2,
    points: { show: false },
  }))],
  hooks: { drawClear: [(u) => shade(u, marked())], draw: [endLabels], setCursor: onCursor(cursor) },
}, data);

/** The area between the lows and the highs of a band. @param {any} u @param {{band: number[][] | null, style: string}} of */
const shade = (u, { band, style }) => {
  if (!band || band.length < 2 || band.length !== u.data[0].length) return;
  const { ctx, bbox } = u;
  const at = (i, side) => [u.valToPos(u.data[0][i], 'x', true), u.valToPos(band[i][side], 'y', true)];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.beginPath();
  band.forEach((_, i) => { const [x, y] = at(i, 1); if (i) ctx.lineTo(x, y); else ctx.moveTo(x, y); });
  for (let i = band.length - 1; i >= 0; i--) ctx.lineTo(...at(i, 0));
  ctx.closePath();
  ctx.globalAlpha = 0.18;
  ctx.fillStyle = ink(style);
  ctx.fill();
  ctx.restore();
};

/**
 * The LLR between its bounds.
 * @param {HTMLElement} box @param {{lower: number, upper: number}} bounds @param {any[]} data
 * @param {(at: number | null) => void} cursor
 */
export const llrChart = (box, { lower, upper }, data, cursor) => mount(box, {
  label: 'LLR',
  cursor: { sync: { key: 'test' }, y: false },
  range: (_, min, max) => {
    const pad = 0.16 * (upper - lower);
    return [Math.min(lower - pad, min - 0.3), Math.max(upper + pad, max + 0.3)];
  },
  series: [{}, { stroke: () => ink('accent'), width: 2.5, fill: () => ink('accent-soft'), fillTo: 0, points: { show: false } }],
  hooks: {
    drawClear: [(u) => {
      zone(u, upper, u.scales.y.max, ink('good-soft'));
      zone(u, lower, u.scales.y.min, ink('bad-soft'));
    }],
    draw: [(u) => {
      rule(u, upper, ink('good'), `accept at ${signed(upper)}`, true, 'left');
      rule(u, lower, ink('bad'), `reject at ${signed(lower)}`, false, 'left');
    }],
    setCursor: onCursor(cursor),
  },
}, data);

/**
 * The LLRs of the candidates of a race, each over its own pairs, between the outermost bounds.
 * @param {HTMLElement} box @param {string[]} names @param {() => {lower: number, upper: number}} bounds @param {any[]} data
 * @param {(at: number | null) => void} cursor
 */
export const raceChart = (box, names, bounds, data, cursor) => mount(box, {
  label: 'LLR',
  padding: [12, (u) => (u.width < LABELLED ? 14 : 150), 0, 0],
  focus: { alpha: 0.3 },
  cursor: { focus: { prox: 16 }, y: false },
  range: (_, min, max) => {
    const { lower, upper } = bounds();
    const pad = 0.16 * (upper - lower);
    return [Math.min(lower - pad, min ?? 0), Math.max(upper + pad, max ?? 0)];
  },
  series: [{}, ...names.map((label, i) => ({
    label, stroke: () => ink(lineStyle(i).name), dash: lineStyle(i).dash, width: 2, points: { show: false }, spanGaps: true,
  }))],
  hooks: {
    draw: [(u) => {
      const { lower, upper } = bounds();
      rule(u, upper, ink('good'), `accept at ${signed(upper)}`, true, 'left');
      rule(u, lower, ink('bad'), `reject at ${signed(lower)}`, false, 'left');
      endLabels(u);
    }],
    setCursor: onCursor(cursor),
  },
}, data);

/**
 * Elo within its interval. The first tenth of the way, where the interval is as wide as anything,
 * does not set the scale.
 * @param {HTMLElement} box @param {number[]} marks hypotheses on this scale @param {any[]} data
 * @param {(at: number | null) => void} cursor
 */
export const eloChart = (box, marks, data, cursor) => mount(box, {
  label: 'Elo',
  cursor: { sync: { key: 'test' }, y: false },
  range: (u) => {
    const from = Math.floor(u.data[0].length / 10);
    const seen = [u.data[2], u.data[3]].flatMap((line) => line.slice(from)).filter((v) => v != null);
    const [low, high] = [Math.min(0, ...marks, ...seen), Math.max(0, ...marks, ...seen)];
    const pad = 0.08 * (high - low) || 1;
    return [low - pad, high + pad];
  },
  bands: [{ series: [3, 2], fill: () => ink('accent-soft') }],
  series: [{},
    { stroke: () => ink('accent'), width: 2.5, points: { show: false } },
    { stroke: () => ink('accent-line'), width: 1, points: { show: false } },
    { stroke: () => ink('accent-line'), width: 1, points: { show: false } }],
  hooks: {
    draw: [(u) => {
      if (!marks.includes(0)) rule(u, 0, ink('dim'), '', false, 'right');
      marks.forEach((mark, i) => rule(u, mark, ink('dim'), `H${i}`, i === 1, 'right'));
    }],
    setCursor: onCursor(cursor),
  },
}, data);

/**
 * What the searches of a game said, for the first side of the run.
 * @param {HTMLElement} box @param {any[]} data @param {string} side @param {(at: number | null) => void} chosen the move that is clicked on
 */
export const evalChart = (box, data, side, chosen) => {
  const limit = 10;
  const chart = mount(box, {
    label: `pawns for the ${side}`,
    axis: axis('ply', (v) => String(v)),
    cursor: { y: false },
    range: (_, min, max) => [Math.max(-limit, Math.min(-1, min)), Math.min(limit, Math.max(1, max))],
    series: [{}, { stroke: () => ink('accent'), width: 2, fill: () => ink('accent-soft'), fillTo: 0, points: { show: false } }],
    hooks: { draw: [(u) => rule(u, 0, ink('dim'), '', false, 'right')] },
  }, data);
  chart.over.addEventListener('click', () => chosen(chart.cursor.idx == null ? null : data[0][chart.cursor.idx]));
  return chart;
};

/**
 * The totals of a line of champions over time, with their intervals, and matches against its start.
 * @param {HTMLElement} box @param {any[]} data times in seconds, totals, lows, highs, matches, their lows and highs
 */
export const lineageChart = (box, data) => mount(box, {
  label: 'Elo over the start',
  time: true,
  axis: { stroke: () => ink('dim'), font: FONT, grid: { stroke: () => ink('grid'), width: 1 }, ticks: { show: false } },
  cursor: { y: false },
  range: (_, min, max) => [Math.min(0, min) - 2, Math.max(0, max) + 2],
  bands: [{ series: [3, 2], fill: () => ink('accent-soft') }],
  series: [{},
    { stroke: () => ink('accent'), width: 2.5, points: { show: true, size: 8, fill: () => ink('accent') }, spanGaps: true },
    { stroke: () => ink('accent-line'), width: 1, points: { show: false }, spanGaps: true },
    { stroke: () => ink('accent-line'), width: 1, points: { show: false }, spanGaps: true },
    { stroke: () => ink('s1'), paths: () => null, points: { show: true, size: 9, fill: () => ink('s1') } },
    { stroke: 'transparent', paths: () => null, points: { show: false } },
    { stroke: 'transparent', paths: () => null, points: { show: false } }],
  hooks: { draw: [whiskers] },
}, data);

/** Lines from the lows to the highs of the matches. @param {any} u */
const whiskers = (u) => {
  const { ctx } = u;
  ctx.save();
  ctx.strokeStyle = ink('s1');
  ctx.lineWidth = 2 * devicePixelRatio;
  u.data[0].forEach((time, i) => {
    if (u.data[4][i] == null) return;
    const x = u.valToPos(time, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, u.valToPos(u.data[5][i], 'y', true));
    ctx.lineTo(x, u.valToPos(u.data[6][i], 'y', true));
    ctx.stroke();
  });
  ctx.restore();
};
