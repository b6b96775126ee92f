"""Chess and Chess960 through `python-chess`: moves, checks, mates and every rule of draws."""

import chess
from protocol import Opinion, serve


def opinion(board):
    moves = [move.uci() for move in board.legal_moves]
    check = board.is_check()
    reasons = ""
    if not moves:
        reasons = "n" if check else "s"
    if board.is_repetition(3):
        reasons += "r"
    if board.halfmove_clock >= 100:
        reasons += "f"
    if board.is_insufficient_material():
        reasons += "m"
    # Mate comes before every draw.
    outcome = "l" if "n" in reasons else "d" if reasons else "-"
    reasons = "n" if "n" in reasons else reasons
    return Opinion(moves, "+" if check else ".", outcome, reasons)


def replay(variant, fen, moves):
    board = chess.Board(fen, chess960=variant == "chess960")
    yield opinion(board)
    for move in moves:
        board.push_uci(move)
        yield opinion(board)


serve(f"python-chess {chess.__version__}", replay)
