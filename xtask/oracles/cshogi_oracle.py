"""Shogi through `cshogi`: moves, checks, fourfold repetition and the declaration of 27 points."""

from importlib.metadata import version

import cshogi
from protocol import Opinion, serve

# What a repetition means for the side to move; inferior and superior hands are no rule of the game.
REPETITIONS = {
    cshogi.REPETITION_DRAW: ("d", "r"),
    cshogi.REPETITION_WIN: ("w", "c"),
    cshogi.REPETITION_LOSE: ("l", "c"),
}


def opinion(board, keys):
    moves = [cshogi.move_to_usi(move) for move in board.legal_moves]
    outcome, reasons = "-", ""
    if not moves:
        outcome, reasons = "l", "n"
    # The library calls the first return a repetition; the rule asks for the fourth occurrence.
    elif keys.count(keys[-1]) >= 4:
        outcome, reasons = REPETITIONS.get(board.is_draw(), ("?", ""))
    if outcome == "-" and board.is_nyugyoku():
        outcome, reasons = "w", "i"
    return Opinion(moves, "+" if board.is_check() else ".", outcome, reasons)


def replay(_variant, fen, moves):
    board = cshogi.Board(fen)
    keys = [board.zobrist_hash()]
    yield opinion(board, keys)
    for move in moves:
        board.push_usi(move)
        keys.append(board.zobrist_hash())
        yield opinion(board, keys)


serve(f"cshogi {version('cshogi')}", replay)
