"""Fairy-Stockfish through `pyffish`: xiangqi, chess, shogi and othello.

Every question makes it build its tables and the position anew, which takes more than a millisecond. So
whether the game is over is asked at the end of a line and at every eighth position alone. `ffish.js` asks
the same program everything.
"""

from importlib.metadata import version

import pyffish
from protocol import Opinion, serve

# Xiangqi with the limit of 60 moves; of itself the program takes the 50 of chess.
pyffish.load_variant_config("[xiangqi60:xiangqi]\nnMoveRule = 60")

# Positions between two questions whether the game is over.
STRIDE = 8


def outcome(variant, fen, line, moves, chess960):
    over, value = pyffish.is_immediate_game_end(variant, fen, line, chess960)
    if not over and all(pyffish.has_insufficient_material(variant, fen, line, chess960)):
        over, value = True, 0
    if not over and not moves:
        over, value = True, pyffish.game_result(variant, fen, line, chess960)
    if not over:
        over, value = pyffish.is_optional_game_end(variant, fen, line, chess960)
    if not over:
        return "-"
    return "w" if value > 0 else "l" if value < 0 else "d"


def replay(variant, fen, moves):
    chess960 = variant == "chess960"
    variant = "chess" if chess960 else variant
    for count in range(len(moves) + 1):
        line = moves[:count]
        legal = pyffish.legal_moves(variant, fen, line, chess960)
        if count % STRIDE and count < len(moves):
            yield Opinion(legal)
        else:
            yield Opinion(legal, "?", outcome(variant, fen, line, legal, chess960))


serve(f"pyffish {version('pyffish')}", replay)
