// Boards and pieces as SVG, from the text of a position: chess, xiangqi, shogi, othello and tic-tac-toe.
// Every shape is drawn here; signs of xiangqi and shogi need a font of the reader's system, and are
// letters where it has none.

const SVG = 'http://www.w3.org/2000/svg';
/** @param {string} tag @param {Record<string, string | number>} of @param {...(Node | string)} inner */
const svg = (tag, of, ...inner) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(of)) node.setAttribute(name, String(value));
  node.append(...inner);
  return node;
};

/** @typedef {{x: number, y: number}} Place in squares from the upper left, the first side below */
/** @typedef {{piece: string, x: number, y: number}} Man */
/** @typedef {{men: Man[], hands?: [string[], string[]], first: boolean}} Position `first`: the side that begins is to move */
/**
 * @typedef {{wide: number, high: number, read: (text: string) => Position,
 *   squares: (move: string) => Place[], board: (turned: boolean) => Node[], man: (piece: string) => Node}} Kind
 */

/** Rows of a position text; digits are empty squares. @param {string} rows @param {RegExp} one */
const rows = (rows, one) => rows.split('/').flatMap((row, y) => {
  let x = 0;
  /** @type {Man[]} */
  const men = [];
  for (const [token] of row.matchAll(one)) {
    if (/^\d+$/.test(token)) x += Number(token);
    else { if (token !== '.' && token !== '-') men.push({ piece: token, x, y }); x += 1; }
  }
  return men;
});
const isUpper = (text) => text !== text.toLowerCase();
const file = (letter) => letter.charCodeAt(0) - 97;

/** Whether the system has the signs: a missing one looks like any other missing one. */
const signs = (() => {
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  if (!pen) return false;
  [canvas.width, canvas.height] = [24, 24];
  const look = (text) => {
    pen.clearRect(0, 0, 24, 24);
    pen.font = '18px sans-serif';
    pen.fillText(text, 2, 19);
    return pen.getImageData(0, 0, 24, 24).data.join();
  };
  return look('帥') !== look('\u{10FFF0}') && look('帥') !== look('馬');
})();

// --- chess ---

const CHESS = {
  p: 'M50 22a12 12 0 0 1 8 21c8 4 11 14 12 27h-40c1-13 4-23 12-27a12 12 0 0 1 8-21zM26 74h48v8H26z',
  r: 'M28 24h10v7h7v-7h10v7h7v-7h10v18l-7 6v22H35V48l-7-6zM26 74h48v8H26z',
  n: 'M34 70c0-14 14-18 14-28-6 4-12 8-20 6l-4-6 16-20 2-6 6 5c18 0 26 16 24 49zM26 74h48v8H26z',
  b: 'M50 16a5 5 0 0 1 3 9c10 6 16 16 12 27-2 5-6 8-8 10l3 8H40l3-8c-2-2-6-5-8-10-4-11 2-21 12-27a5 5 0 0 1 3-9zM26 74h48v8H26z',
  q: 'M22 30l12 16 6-22 10 20 10-20 6 22 12-16-8 40H30zM26 74h48v8H26z',
  k: 'M46 12h8v7h7v7h-7v8c14-6 24 2 22 14-2 10-10 14-10 22H34c0-8-8-12-10-22-2-12 8-20 22-14v-8h-7v-7h7zM26 74h48v8H26z',
};
const checkered = (wide, high) => (/** @type {boolean} */ turned) => {
  const nodes = [];
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) nodes.push(svg('rect', { x: 100 * x, y: 100 * y, width: 100, height: 100, class: (x + y) % 2 ? 'sq dark' : 'sq' }));
  }
  return [...nodes, ...coordinates(wide, high, turned, (i) => String.fromCharCode(97 + i), (i) => String(high - i))];
};
const coordinates = (wide, high, turned, fileName, rankName) => {
  const nodes = [];
  for (let i = 0; i < wide; i++) nodes.push(svg('text', { x: 100 * i + 50, y: 100 * high + 34, class: 'coordinate' }, fileName(turned ? wide - 1 - i : i)));
  for (let i = 0; i < high; i++) nodes.push(svg('text', { x: -24, y: 100 * i + 60, class: 'coordinate' }, rankName(turned ? high - 1 - i : i)));
  return nodes;
};

/** @type {Kind} */
const chess = {
  wide: 8, high: 8,
  read: (text) => { const [board, side] = text.split(' '); return { men: rows(board, /\d+|[a-zA-Z]/g), first: side === 'w' }; },
  squares: (move) => [...move.matchAll(/([a-h])([1-8])/g)].map(([, f, r]) => ({ x: file(f), y: 8 - Number(r) })),
  board: checkered(8, 8),
  man: (piece) => svg('path', { d: CHESS[piece.toLowerCase()] ?? CHESS.p, class: isUpper(piece) ? 'man white' : 'man black' }),
};

// --- xiangqi ---

const XIANGQI = { K: '帥', A: '仕', B: '相', E: '相', N: '傌', H: '傌', R: '俥', C: '炮', P: '兵', k: '將', a: '士', b: '象', e: '象', n: '馬', h: '馬', r: '車', c: '砲', p: '卒' };
/** @type {Kind} */
const xiangqi = {
  wide: 9, high: 10,
  read: (text) => { const [board, side] = text.split(' '); return { men: rows(board, /\d+|[a-zA-Z]/g), first: side !== 'b' }; },
  squares: (move) => [...move.matchAll(/([a-i])(\d)/g)].map(([, f, r]) => ({ x: file(f), y: 9 - Number(r) })),
  board: (turned) => {
    const lines = [];
    const line = (x1, y1, x2, y2) => lines.push(svg('line', { x1: 100 * x1 + 50, y1: 100 * y1 + 50, x2: 100 * x2 + 50, y2: 100 * y2 + 50, class: 'line' }));
    for (let y = 0; y < 10; y++) line(0, y, 8, y);
    for (let x = 0; x < 9; x++) { if (x % 8) { line(x, 0, x, 4); line(x, 5, x, 9); } else line(x, 0, x, 9); }
    for (const y of [0, 7]) { line(3, y, 5, y + 2); line(5, y, 3, y + 2); }
    return [svg('rect', { x: 0, y: 0, width: 900, height: 1000, class: 'sq' }), ...lines, ...coordinates(9, 10, turned, (i) => String.fromCharCode(97 + i), (i) => String(9 - i))];
  },
  man: (piece) => svg('g', { class: isUpper(piece) ? 'disc red' : 'disc green' }, svg('circle', { cx: 50, cy: 50, r: 43 }), svg('circle', { cx: 50, cy: 50, r: 36, class: 'ring' }),
    svg('text', { x: 50, y: signs ? 68 : 66, class: signs ? 'sign' : 'sign letter' }, signs ? XIANGQI[piece] ?? piece : piece.toUpperCase())),
};

// --- shogi ---

const SHOGI = { k: '玉', r: '飛', b: '角', g: '金', s: '銀', n: '桂', l: '香', p: '歩', '+r': '龍', '+b': '馬', '+s': '全', '+n': '圭', '+l': '杏', '+p': 'と' };
/** @type {Kind} */
const shogi = {
  wide: 9, high: 9,
  read: (text) => {
    const [board, side, hand = '-'] = text.split(' ');
    /** @type {[string[], string[]]} */
    const hands = [[], []];
    for (const [, number, piece] of hand.matchAll(/(\d*)([a-zA-Z])/g)) hands[isUpper(piece) ? 0 : 1].push(`${piece}${number || ''}`);
    return { men: rows(board, /\d+|\+?[a-zA-Z]/g), hands, first: side === 'b' };
  },
  squares: (move) => [...move.matchAll(/([1-9])([a-i])/g)].map(([, f, r]) => ({ x: 9 - Number(f), y: file(r) })),
  board: (turned) => {
    const nodes = [svg('rect', { x: 0, y: 0, width: 900, height: 900, class: 'sq' })];
    for (let i = 0; i < 10; i++) {
      nodes.push(svg('line', { x1: 0, y1: 100 * i, x2: 900, y2: 100 * i, class: 'line' }), svg('line', { x1: 100 * i, y1: 0, x2: 100 * i, y2: 900, class: 'line' }));
    }
    return [...nodes, ...coordinates(9, 9, turned, (i) => String(9 - i), (i) => String.fromCharCode(97 + i))];
  },
  man: (piece) => {
    const sign = svg('text', { x: 50, y: 70, class: `${signs ? 'sign' : 'sign letter'}${piece.startsWith('+') ? ' raised' : ''}` }, signs ? SHOGI[piece.toLowerCase()] ?? piece : piece.toUpperCase());
    return svg('g', { class: 'wedge' }, svg('path', { d: 'M50 8L78 20 88 90H12L22 20z' }), sign);
  },
};

// --- othello, tic-tac-toe ---

/** @type {Kind} */
const othello = {
  wide: 8, high: 8,
  read: (text) => {
    const [board, side] = text.split(' ');
    return { men: [...board].flatMap((piece, i) => (/[-.]/.test(piece) ? [] : [{ piece, x: i % 8, y: Math.floor(i / 8) }])), first: /[X*Bb]/.test(side) };
  },
  squares: (move) => [...move.matchAll(/([a-h])([1-8])/g)].map(([, f, r]) => ({ x: file(f), y: Number(r) - 1 })),
  board: (turned) => {
    const nodes = [];
    for (let i = 0; i < 64; i++) nodes.push(svg('rect', { x: 100 * (i % 8), y: 100 * Math.floor(i / 8), width: 100, height: 100, class: 'sq cloth' }));
    return [...nodes, ...coordinates(8, 8, turned, (i) => String.fromCharCode(97 + i), (i) => String(i + 1))];
  },
  man: (piece) => svg('circle', { cx: 50, cy: 50, r: 40, class: /[X*Bb]/.test(piece) ? 'stone black' : 'stone white' }),
};
/** @type {Kind} */
const tictactoe = {
  wide: 3, high: 3,
  read: (text) => { const [board, side] = text.split(' '); return { men: rows(board, /\d+|[.a-zA-Z-]/g), first: side === 'x' }; },
  squares: (move) => [...move.matchAll(/([a-c])([1-3])/g)].map(([, f, r]) => ({ x: file(f), y: 3 - Number(r) })),
  board: checkered(3, 3),
  man: (piece) => (piece.toLowerCase() === 'x'
    ? svg('path', { d: 'M22 22L78 78M78 22L22 78', class: 'cross' })
    : svg('circle', { cx: 50, cy: 50, r: 30, class: 'nought' })),
};

/** @type {Record<string, Kind>} */
export const KINDS = { chess, xiangqi, shogi, othello, tictactoe };

/** Pieces of the second side that look the same are turned. */
const isTurnedMan = (game, piece) => game === 'shogi' && !isUpper(piece);

/**
 * A position as a picture.
 * @param {string} game @param {string} text @param {string} move the move that led to it, or none
 * @param {boolean} turned with the second side below
 */
export const picture = (game, text, move, turned) => {
  const kind = KINDS[game];
  const { men, hands } = kind.read(text);
  const place = ({ x, y }) => (turned ? { x: kind.wide - 1 - x, y: kind.high - 1 - y } : { x, y });
  const nodes = kind.board(turned);
  for (const square of kind.squares(move)) {
    const { x, y } = place(square);
    nodes.push(svg('rect', { x: 100 * x, y: 100 * y, width: 100, height: 100, class: 'moved' }));
  }
  const put = (piece, x, y) => {
    const away = isTurnedMan(game, piece) !== turned && game === 'shogi';
    nodes.push(svg('g', { transform: `translate(${100 * x} ${100 * y})${away ? ' rotate(180 50 50)' : ''}` }, kind.man(piece)));
  };
  for (const man of men) { const { x, y } = place(man); put(man.piece, x, y); }
  let [left, right] = [-50, 100 * kind.wide + 20];
  if (hands) {
    right += 120;
    left -= 110;
    hands.forEach((hand, side) => hand.forEach((held, i) => {
      // The hand of the side below stands on the right, from below; the other's on the left, from above.
      const below = (side === 0) !== turned;
      const [x, y] = below ? [kind.wide + 0.15, kind.high - 1 - i] : [-1.55, i];
      put(held[0], x, y);
      if (held.length > 1) nodes.push(svg('text', { x: 100 * x + 92, y: 100 * y + 96, class: 'coordinate' }, held.slice(1)));
    }));
  }
  return svg('svg', { viewBox: `${left} -10 ${right - left} ${100 * kind.high + 60}`, class: `position ${game}`, 'aria-hidden': 'true' }, ...nodes);
};
