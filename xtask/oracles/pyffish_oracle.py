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


def is_pass(move):
    """A pass is written as the square of a disc, twice."""
    half = len(move) // 2
    return len(move) % 2 == 0 and move[:half] == move[half:]


class Game:
    def __init__(self, variant, fen):
        self.chess960 = variant == "chess960"
        self.variant = "chess" if self.chess960 else variant
        self.fen = fen

    def ask(self, question, line):
        return question(self.variant, self.fen, line, self.chess960)

    def moves(self, line):
        return self.ask(pyffish.legal_moves, line)

    def outcome(self, line, moves):
        over, value = self.ask(pyffish.is_immediate_game_end, line)
        if not over and all(self.ask(pyffish.has_insufficient_material, line)):
            over, value = True, 0
        if not over and not moves:
            over, value = True, self.ask(pyffish.game_result, line)
        if not over:
            over, value = self.ask(pyffish.is_optional_game_end, line)
        if not over:
            return "-"
        return "w" if value > 0 else "l" if value < 0 else "d"

    def opinion(self, line, is_asked):
        moves = self.moves(line)
        passes = self.variant == "flipello" and len(moves) == 1 and is_pass(moves[0])
        if not passes:
            return Opinion(moves, "?", self.outcome(line, moves) if is_asked else "?")
        # At the end of a game of othello the program asks for passes; the game is over without them.
        passed = line + moves
        replies = self.moves(passed)
        if not all(is_pass(reply) for reply in replies):
            return Opinion(["pass"], "?", self.outcome(line, moves) if is_asked else "?")
        end = passed + replies
        outcome = self.outcome(end, self.moves(end)) if is_asked else "?"
        # One pass turns the view.
        turned = {"w": "l", "l": "w"}.get(outcome, outcome)
        return Opinion([], "?", outcome if replies else turned)


def replay(variant, fen, moves):
    game = Game(variant, fen)
    line = []
    yield game.opinion(line, True)
    for count, move in enumerate(moves, 1):
        line.append(game.moves(line)[0] if move == "pass" else move)
        yield game.opinion(line, count % STRIDE == 0 or count == len(moves))


serve(f"pyffish {version('pyffish')}", replay)
