// Fairy-Stockfish through `ffish`: xiangqi, chess, shogi and othello, the same program as `pyffish`, but
// with a board that is kept from move to move. It speaks the lines that protocol.py describes.

// Emscripten would fetch its module by URL where there is a `fetch`, and from a file where not.
delete globalThis.fetch;

// The program says there which moves it refuses; the answers say so, too.
console.warn = () => {};

const path = require('node:path');
const readline = require('node:readline');
const zlib = require('node:zlib');

const home = path.dirname(require.resolve('ffish', { paths: [process.argv[2] ?? '.'] }));
const { version } = require(path.join(home, 'package.json'));
const ffish = require(home);

// What has happened from the view of the side to move.
const OUTCOMES = {
  '*': ['-', '-'],
  '1-0': ['w', 'l'],
  '0-1': ['l', 'w'],
  '1/2-1/2': ['d', 'd'],
};

const movesOf = (board) => board.legalMoves().split(' ').filter(Boolean);

// A pass is written as the square of a disc, twice.
const isPass = (move) => move.length % 2 === 0 && move === move.slice(move.length / 2).repeat(2);

// The moves and the result. At the end of a game of othello the program asks for passes; the game is
// over without them.
function judge(board, variant) {
  const moves = movesOf(board);
  if (variant !== 'flipello' || moves.length !== 1 || !isPass(moves[0])) {
    return { moves, result: board.result(true) };
  }
  board.push(moves[0]);
  const replies = movesOf(board);
  const isOver = replies.every(isPass);
  if (isOver && replies.length) board.push(replies[0]);
  const result = board.result(true);
  if (isOver && replies.length) board.pop();
  board.pop();
  return isOver ? { moves: [], result } : { moves: ['pass'], result: board.result(true) };
}

function opinion(board, variant) {
  const { moves, result } = judge(board, variant);
  const text = moves.sort().join(' ');
  const hash = zlib.crc32(text).toString(16).padStart(8, '0');
  const check = board.isCheck() ? '+' : '.';
  return { word: hash + check + OUTCOMES[result][board.turn() ? 0 : 1], moves: text };
}

// Makes a move, or the pass that the program has in its place.
function push(board, move) {
  const text = move === 'pass' ? movesOf(board)[0] : move;
  if (!board.push(text)) throw new Error(`${move} is refused in ${board.fen()}`);
}

function answer(request) {
  const [verb, variant, fen, moves] = request.split('\t');
  const chess960 = variant === 'chess960';
  const board = new ffish.Board(chess960 ? 'chess' : variant, fen, chess960);
  try {
    const opinions = [opinion(board, variant)];
    for (const move of moves.split(' ').filter(Boolean)) {
      push(board, move);
      opinions.push(opinion(board, variant));
    }
    if (verb === 'line') return `ok\t${opinions.map(({ word }) => word).join(' ')}`;
    const { word, moves: legal } = opinions.at(-1);
    if (verb === 'last') return `ok\t${word}\t${legal}`;
    throw new Error(`no request begins with ${verb}`);
  } finally {
    board.delete();
  }
}

ffish.onRuntimeInitialized = () => {
  // Xiangqi with the limit of 60 moves; of itself the program takes the 50 of chess.
  ffish.loadVariantConfig('[xiangqi60:xiangqi]\nnMoveRule = 60');
  console.log(`ready\tffish ${version}`);
  readline.createInterface({ input: process.stdin }).on('line', (request) => {
    let text;
    try {
      text = answer(request);
    } catch (error) {
      text = `error\t${String(error).replaceAll(/[\n\t]/g, ' ')}`;
    }
    console.log(text);
  });
};
