"""The lines that an oracle in Python speaks with `cargo xtask crosscheck`.

It says `ready`, its name and its version, and then answers each request with one line. A request has
four fields between tabs: `line` or `last`, the variant, the text of a position, and moves between
spaces. The answer to `line` is `ok` and, for the position before the first move and after each one, an
opinion; that to `last` is the opinion on the last position and its legal moves. What goes wrong is
answered with `error` and the reason.

An opinion is one word: the CRC-32 of the sorted legal moves, joined by spaces, in eight hexadecimal
digits; `+` where the side to move is in check, `.` where not, `?` where not asked; `-` where the game
goes on, `w`, `l` or `d` where the side to move has won, lost or drawn, `?` where not asked; and a letter
for each reason of which the oracle knows: `n` no legal move, `s` stalemate, `r` repetition, `c` perpetual
check, `f` move limit, `m` dead by material, `i` impasse.
"""

import sys
import zlib


class Opinion:
    """What an oracle says of one position."""

    def __init__(self, moves, check="?", outcome="?", reasons=""):
        self.moves = " ".join(sorted(moves))
        self.word = f"{zlib.crc32(self.moves.encode()):08x}{check}{outcome}{reasons}"


def answer(request, replay):
    """The answer to one request; `replay` yields the opinions on a line of moves."""
    verb, variant, fen, moves = request.rstrip("\n").split("\t")
    opinions = replay(variant, fen, moves.split())
    if verb == "line":
        return "ok\t" + " ".join(opinion.word for opinion in opinions)
    if verb == "last":
        *_, last = opinions
        return f"ok\t{last.word}\t{last.moves}"
    raise ValueError(f"no request begins with {verb!r}")


def serve(name, replay):
    """Answers requests until there are no more."""
    print(f"ready\t{name}", flush=True)
    for request in sys.stdin:
        try:
            text = answer(request, replay)
        except Exception as error:  # Whatever it is, the other side is told.
            text = "error\t" + f"{type(error).__name__}: {error}".replace("\n", " ").replace("\t", " ")
        print(text, flush=True)
