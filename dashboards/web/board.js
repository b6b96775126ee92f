// A game on its board: go through it with buttons or arrow keys, see what the searches said.

import { count, downloads, el, field, fromAddress, getJson, inAddress, put, short, show, showIf, signed } from './common.js';
import { evalChart } from './charts.js';
import { picture } from './pieces.js';

const { run, pair, kind } = /** @type {HTMLElement} */ (document.querySelector('main')).dataset;
const SIDES = kind === 'tune' ? ['Plus', 'Minus'] : ['Candidate', 'Base'];
/** @type {any} */
let told = null;
let which = fromAddress('game') === '2' ? 1 : 0;
let ply = Number(fromAddress('ply')) || 0;
let turned = false;
/** @type {HTMLElement[]} */
let buttons = [];
/** @type {any} */
let chart = null;

const game = () => (which ? told.base_first : told.candidate_first);
const moves = () => (game().moves ? game().moves.split(' ').filter(Boolean) : []);
const positions = () => told.positions[which];
/** What the search said of a move, if it is kept. @param {number} at */
const evalOf = (at) => {
  const said = game().evals[at];
  if (!said) return null;
  const [score, depth, nodes] = said;
  return { score, depth, nodes };
};
/** Who makes the move of this place. @param {number} at */
const mover = (at) => SIDES[(at + which) % 2];
/** The score for the first side of the run, in pawns. @param {number} at */
const score = (at) => {
  const said = evalOf(at);
  return said ? (mover(at) === SIDES[0] ? 1 : -1) * said.score / 100 : null;
};
/** Seconds that a move took, if it is kept. @param {number} at @returns {number | undefined} */
const timeOf = (at) => (game().times[at] == null ? undefined : game().times[at] / 1e6);
const spent = (seconds) => (seconds < 1 ? `${Number((1000 * seconds).toPrecision(2))} ms` : `${seconds.toFixed(1)} s`);
const evalText = (at) => {
  const [said, seconds] = [evalOf(at), timeOf(at)];
  const time = seconds === undefined ? '' : ` · ${spent(seconds)}`;
  return said ? `${signed(said.score / 100)} · depth ${said.depth} · ${short(said.nodes)} nodes${time}` : '';
};

const rows = () => ({
  head: ['ply', 'move', 'by', 'score', 'depth', 'nodes', 'seconds'],
  lines: moves().map((move, i) => [i + 1, move, mover(i).toLowerCase(), evalOf(i)?.score, evalOf(i)?.depth, evalOf(i)?.nodes, timeOf(i)]),
});

const draw = () => {
  const all = moves();
  ply = Math.max(0, Math.min(ply, all.length));
  const text = positions()[ply] ?? told.opening;
  field('board').replaceChildren(picture(told.game, text, ply ? all[ply - 1] : '', turned));
  const said = ply ? `Move ${ply} of ${all.length}: ${mover(ply - 1)} played ${all[ply - 1]}. ${evalText(ply - 1)}` : `The opening; ${mover(0)} begins.`;
  show('said', said);
  field('board').setAttribute('aria-label', `Board. ${said} ${text}`);
  show('position-text', text);
  const within = field('moves').contains(document.activeElement);
  buttons.forEach((button, i) => {
    // One stop of the Tab key for all moves; the arrow keys go on from there.
    button.tabIndex = i + 1 === Math.max(1, ply) ? 0 : -1;
    if (within && button.tabIndex === 0) button.focus({ preventScroll: true });
    if (i + 1 === ply) {
      button.setAttribute('aria-current', 'true');
      // Only its own list scrolls, not the page.
      const list = field('moves');
      if (button.offsetTop < list.scrollTop || button.offsetTop + button.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = button.offsetTop - list.clientHeight / 2;
    } else button.removeAttribute('aria-current');
  });
  inAddress({ game: which ? '2' : '', ply: ply ? String(ply) : '' });
  chart?.setCursor({ left: chart.valToPos(ply, 'x'), top: 10 }, false);
};
const go = (to) => { ply = to; draw(); };

/** A game from its beginning. */
const begin = () => {
  const { score: result, termination } = game();
  show('players', `${mover(0)} begins, ${mover(1)} answers`);
  const word = { win: `${SIDES[0]} wins`, draw: 'Drawn', loss: `${SIDES[1]} wins` }[String(result).toLowerCase()] ?? String(result);
  show('ending', `${word}: ${String(termination).replaceAll('_', ' ')}, ${count(game().plies)} plies, ${short(game().nodes)} nodes`);
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-game]'))) button.setAttribute('aria-pressed', String(Number(button.dataset.game) === which + 1));
  buttons = moves().map((move, i) => {
    const button = el('button', mover(i) === SIDES[0] ? 'move own' : 'move', el('span', 'dim', `${i + 1}`), el('b', '', move), el('span', 'sub', evalText(i)));
    button.setAttribute('type', 'button');
    button.addEventListener('click', () => go(i + 1));
    return button;
  });
  field('moves').replaceChildren(...buttons.map((button) => el('li', '', button)));
  showIf('no-moves', buttons.length ? '' : 'The moves of this game are not kept; `keep` in the file of a run says which are.');
  const known = game().evals.length > 0;
  field('evals').hidden = !known;
  chart?.destroy();
  chart = null;
  if (known) chart = evalChart(field('eval-chart'), [moves().map((_, i) => i + 1), moves().map((_, i) => score(i))], SIDES[0].toLowerCase(), (at) => { if (at != null) go(at); });
  fill();
  draw();
};

const box = field('numbers');
box.append(downloads(`run-${run}-pair-${pair}`, rows));
const fill = () => {
  if (!box.open || !told) return;
  const { head, lines } = rows();
  const line = (tag, cells) => { const node = el('tr', ''); for (const cell of cells) node.append(el(tag, '', cell == null ? '–' : String(cell))); return node; };
  box.querySelector('thead').replaceChildren(line('th', head));
  box.querySelector('tbody').replaceChildren(...lines.map((cells) => line('td', cells)));
};
box.addEventListener('toggle', fill);

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-game]'))) {
  button.addEventListener('click', () => { which = Number(button.dataset.game) - 1; ply = 0; begin(); });
}
const WAYS = { first: () => 0, back: () => ply - 1, on: () => ply + 1, last: () => moves().length };
for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-go]'))) {
  button.addEventListener('click', () => {
    if (button.dataset.go === 'turn') turned = !turned; else ply = WAYS[button.dataset.go ?? 'first']();
    draw();
  });
}
const KEYS = { ArrowLeft: 'back', ArrowRight: 'on', Home: 'first', End: 'last' };
document.addEventListener('keydown', (event) => {
  const way = KEYS[event.key];
  const node = /** @type {HTMLElement} */ (event.target);
  if (!told || !way || event.ctrlKey || event.altKey || event.metaKey || node.matches('input, select, textarea')) return;
  event.preventDefault();
  go(WAYS[way]());
});

try {
  told = await getJson(`/api/runs/${run}/pairs/${pair}/replay`);
  begin();
} catch (error) {
  put(field('said'), /** @type {Error} */ (error).message);
  showIf('no-moves', /** @type {Error} */ (error).message);
}
