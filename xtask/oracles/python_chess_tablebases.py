"""Says whether a match was ended by tables of endings where they end it, and as they say.

usage: python_chess_tablebases.py RECORD FOLDER MEN

RECORD is what `elomill match --tb FOLDER --tbpieces MEN --record` wrote. python-chess has its own reader
of the tables and its own rules. A win is taken right after a capture or a move of a pawn, what is drawn
whenever it is, both up to MEN men and without rights to castle; rules of the game come first.
"""

import json
import sys

import chess
import chess.syzygy


def verdict(tables, board, men):
    """1, 0, -1 for White, or None where the tables say nothing."""
    if board.outcome(claim_draw=True) or board.castling_rights:
        return None
    if chess.popcount(board.occupied) > men:
        return None
    wdl = tables.probe_wdl(board)
    if abs(wdl) < 2:
        return 0
    if board.halfmove_clock:
        return None
    return 1 if (wdl > 0) == board.turn else -1


def main():
    record, folder, men = sys.argv[1:]
    tables = chess.syzygy.open_tablebase(folder)
    games, ended = 0, {1: 0, 0: 0, -1: 0}
    with open(record, encoding="utf-8") as lines:
        for line in lines:
            game = json.loads(line)
            board = chess.Board(game["opening"])
            opener_is_white = board.turn
            moves = [move["move"] for move in game["moves"]]
            found = None
            for ply, text in enumerate(moves, 1):
                board.push_uci(text)
                found = verdict(tables, board, int(men))
                if found is not None and ply < len(moves):
                    sys.exit(f"{line}: half-move {ply}: here {found}, there it goes on")
            games += 1
            if (found is not None) != (game["termination"] == "tablebase"):
                sys.exit(f"{line}: here {found}, there {game['termination']}")
            if found is None:
                continue
            ended[found] += 1
            white, black = game["first"], game["second"]
            if not opener_is_white:
                white, black = black, white
            if game["winner"] != {1: white, 0: None, -1: black}[found]:
                sys.exit(f"{line}: here {found}, there {game['winner']}")
    if not (ended[0] and ended[1] + ended[-1]):
        sys.exit(f"{games} games, ended by tables: {ended}; there must be wins and draws among them")
    print(f"{games} games, ended by tables: {ended[1]} won by White, {ended[0]} drawn, {ended[-1]} by Black")


main()
