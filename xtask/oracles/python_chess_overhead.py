"""What a half-move costs python-chess beside its engines, for comparison with `elomill bench arena`.

usage: python_chess_overhead.py ELOMILL [GAMES]

The same engine that answers at once (`elomill bench echo`), one game at a time, 300 half-moves at most.
"""

import sys
import time

import chess
import chess.engine


def main():
    command, games = [sys.argv[1], "bench", "echo"], int(sys.argv[2]) if len(sys.argv) > 2 else 6
    engines = [chess.engine.SimpleEngine.popen_uci(command) for _ in range(2)]
    limit = chess.engine.Limit(nodes=1)
    plies, wall, cpu = 0, time.perf_counter(), time.process_time()
    for _ in range(games):
        board, game = chess.Board(), object()
        while not board.is_game_over() and len(board.move_stack) < 300:
            engine = engines[len(board.move_stack) % 2]
            board.push(engine.play(board, limit, game=game).move)
        plies += len(board.move_stack)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    for engine in engines:
        engine.quit()
    print(f"{wall / plies * 1e6:.0f} µs a half-move, {cpu / plies * 1e6:.0f} µs of this process")


main()
