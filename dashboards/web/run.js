// What the pages of tunes, tests and races share: following one run, progress, games, leases.

import { count, downloads, duration, field, fixed, follow, percent, put, show, showIf, spark, stamp } from './common.js';

const CELLS = ['ll', 'ld', 'mid', 'dw', 'ww'];
const rate = spark(field('spark'));

/**
 * The noise: the standard deviation of the result of one pair in Elo, as `runs show` tells it. An empty
 * cell counts a thousandth.
 * @param {number[]} cells
 */
const pairDeviation = (cells) => {
  const filled = cells.map((cell) => cell || 1e-3);
  const all = filled.reduce((a, b) => a + b, 0);
  const mean = filled.reduce((sum, cell, i) => sum + cell * i / 4, 0) / all;
  const variance = filled.reduce((sum, cell, i) => sum + cell * (i / 4 - mean) ** 2, 0) / all;
  return 1600 / Math.LN10 * Math.sqrt(variance);
};

/** @param {any} run */
const shared = (run) => {
  const over = run.state === 'finished' || run.state === 'stopped';
  show('state', run.state);
  field('state').dataset.state = run.state;
  showIf('reason', run.state_reason);
  const left = run.excluded_pairs ? `${count(run.excluded_pairs)} pairs do not count: their workers are excluded. ` : '';
  showIf('warning', `${left}${run.warning ?? ''}`.trim());
  for (const node of document.querySelectorAll('[data-when]')) {
    /** @type {HTMLElement} */ (node).hidden = !/** @type {HTMLElement} */ (node).dataset.when?.split(' ').includes(run.state);
  }
  showIf('ended', run.ended_at_unix_ms ? `ended ${stamp(run.ended_at_unix_ms)}` : '');

  show('share', percent(run.counted_pairs, run.asked_pairs));
  const part = (pairs) => `${100 * Math.min(1, pairs / run.asked_pairs)}%`;
  field('bar').style.width = part(run.counted_pairs);
  field('bar-leased').style.width = part(Math.min(run.leased_pairs, run.asked_pairs - run.counted_pairs));
  show('pairs', `${count(run.counted_pairs)} of ${count(run.asked_pairs)} pairs`);
  show('rate', fixed(run.pairs_per_second, 1));
  rate(run.pairs_per_second);
  show('eta', over ? 'the run is over' : run.eta_seconds == null ? 'no rate yet' : `${duration(run.eta_seconds)} left at most`);

  const { wins, draws, losses } = run.tally.wdl;
  const games = wins + draws + losses;
  show('wdl', `${count(wins)} / ${count(draws)} / ${count(losses)}`);
  show('score', games ? `score ${fixed(100 * (wins + draws / 2) / games)} %, draws ${percent(draws, games)}` : '');
  for (const [name, value] of [['w', wins], ['d', draws], ['l', losses]]) field(`bar-${name}`).style.width = `${games ? 100 * value / games : 0}%`;

  const cells = run.tally.pentanomial;
  const pairs = cells.reduce((a, b) => a + b, 0);
  const top = Math.max(1, ...cells);
  [...field('penta').children].forEach((row, i) => {
    const bar = row.querySelector('i');
    bar.className = CELLS[i];
    bar.style.width = `${100 * cells[i] / top}%`;
    put(row.querySelector('b'), count(cells[i]));
    put(row.querySelector('[data-c]'), percent(cells[i], pairs));
  });
  show('pair-deviation', pairs ? `${fixed(pairDeviation(cells), 0)} Elo is the deviation of a pair` : '');
  for (const [name, value] of Object.entries(run.leases)) put(document.querySelector(`[data-lease="${name}"]`), count(Number(value)));
  show('leased', count(run.leased_pairs));
  show('reports', count(run.reports));
  show('audited', `${percent(run.audited_pairs, run.counted_pairs)}${run.mismatched_pairs ? `, ${count(run.mismatched_pairs)} differ` : ''}`);
};

/**
 * Follows the run of this page.
 * @param {(run: any) => void} draw is called with the whole run, its trace complete up to now
 * @param {string} [words] what the stream is asked for: `?filter=…`
 * @returns what takes a stream of other words in its place
 */
export const followRun = (draw, words) => {
  /** @type {any} */
  let run = null;
  const take = (next) => {
    run = next;
    shared(run);
    draw(run);
  };
  const address = `/events/runs/${runId}`;
  const again = follow(address + (words ?? ''), take, ({ keep, run: news }) => {
    const [[before], [after]] = [Object.values(run.progress), Object.values(news.progress)];
    if (after.trace) after.trace = before.trace.slice(0, keep).concat(after.trace);
    take({ ...run, ...news });
  });
  return (/** @type {string} */ other) => again(address + other);
};
/** The number of the run of this page. */
export const runId = document.querySelector('main')?.dataset.run ?? '';

/**
 * The numbers of the charts as a table, while it is open: at most forty lines, newest first; and all of
 * them as files.
 * @param {() => {head: string[], lines: any[][], text: (value: any, column: number) => string}} rows
 * @returns {() => void} to be called when they have changed
 */
export const numbers = (rows) => {
  const box = field('numbers');
  box.append(downloads(`run-${runId}`, rows));
  const fill = () => {
    if (!box.open) return;
    const { head, lines, text } = rows();
    const step = Math.ceil(lines.length / 40);
    const some = [...lines].reverse().filter((_, i) => i % step === 0).map((line) => line.map(text));
    const line = (tag, cells) => {
      const row = document.createElement('tr');
      for (const text of cells) row.appendChild(document.createElement(tag)).textContent = text;
      return row;
    };
    box.querySelector('thead').replaceChildren(line('th', head));
    box.querySelector('tbody').replaceChildren(...some.map((cells) => line('td', cells)));
  };
  box.addEventListener('toggle', fill);
  return fill;
};
