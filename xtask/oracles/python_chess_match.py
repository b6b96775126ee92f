"""Plays a match again through python-chess and says whether every move is the same.

usage: python_chess_match.py RECORD ENGINE NODES [NAME=VALUE…]

RECORD is what `elomill match --record` wrote of ENGINE against itself at NODES nodes a move with these
options on both sides. python-chess owns the processes, the protocol and the rules here; each game gets
`ucinewgame`, and both players stay from game to game, as in a slot of the match.
"""

import json
import sys

import chess
import chess.engine

REASONS = {
    chess.Termination.CHECKMATE: "no_move",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "dead_position",
    chess.Termination.FIFTY_MOVES: "move_limit",
    chess.Termination.THREEFOLD_REPETITION: "repetition",
}


def replay(engines, fen, moves, limit, game):
    """The first half-move that differs, with what was chosen here; None when there is none."""
    board = chess.Board(fen)
    for ply, text in enumerate(moves):
        found = engines[ply % 2].play(board, limit, game=game).move
        if found.uci() != text:
            return ply + 1, found.uci(), text
        board.push(found)
    return board


def main():
    record, command, nodes, *options = sys.argv[1:]
    limit = chess.engine.Limit(nodes=int(nodes))
    engines = []
    for _ in range(2):
        engine = chess.engine.SimpleEngine.popen_uci(command)
        engine.configure(dict(option.split("=", 1) for option in options))
        engines.append(engine)
    games = plies = 0
    try:
        with open(record, encoding="utf-8") as lines:
            for line in lines:
                game = json.loads(line)
                moves = [move["move"] for move in game["moves"]]
                # The first engine has the first move in the first game of a pair.
                sides = engines if game["game"] % 2 else engines[::-1]
                board = replay(sides, game["opening"], moves, limit, object())
                games += 1
                plies += len(moves)
                if isinstance(board, tuple):
                    sys.exit(f"game {games}: half-move {board[0]}: here {board[1]}, there {board[2]}")
                outcome = board.outcome(claim_draw=True)
                reason = REASONS.get(outcome.termination) if outcome else "ply_limit"
                if reason != game["termination"]:
                    sys.exit(f"game {games}: here {reason}, there {game['termination']}")
    finally:
        for engine in engines:
            engine.quit()
    if games == 0:
        sys.exit("no game in the record")
    print(f"{games} games, {plies} half-moves: all the same")


main()
