// Fairy-Stockfish through `ffish`: xiangqi, chess, shogi and othello, the same program as `pyffish`, but
// with a board that is kept from move to move. It speaks the lines that protocol.py describes.

// Emscripten would fetch its module by URL where there is a `fetch`, and from a file where not.
delete globalThis.fetch;

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

function opinion(board) {
  const moves = board.legalMoves().split(' ').sort().join(' ');
  const hash = zlib.crc32(moves).toString(16).padStart(8, '0');
  const check = board.isCheck() ? '+' : '.';
  const outcome = OUTCOMES[board.result(true)][board.turn() ? 0 : 1];
  return { word: hash + check + outcome, moves };
}

function answer(request) {
  const [verb, variant, fen, moves] = request.split('\t');
  const chess960 = variant === 'chess960';
  const board = new ffish.Board(chess960 ? 'chess' : variant, fen, chess960);
  try {
    const opinions = [opinion(board)];
    for (const move of moves.split(' ').filter(Boolean)) {
      if (!board.push(move)) throw new Error(`${move} is refused in ${board.fen()}`);
      opinions.push(opinion(board));
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
