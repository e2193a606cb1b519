"""What a frame on the studio's stage costs beside its simulation: ratios measured in one run, with a page connected.

python bench/studio_frame.py [--rounds 100]

The frame is what the server does for it (`Stage.update`): poses, colours and, of the muscle man, 928 pieces of muscles.
What a browser then draws is not counted.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from lactic.studio.server import Studio

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "studio")]

from hand import Hand  # noqa: E402


def timed(act, *given) -> float:
    """Milliseconds of processor time of this thread in one call."""
    start = time.thread_time_ns()
    act(*given)
    return 1e-6 * (time.thread_time_ns() - start)


def main() -> None:
    """Step and show in turn, and print medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    print(f"{'character':14} {'control step':>13} {'frame':>9} {'ratio':>6} {'unchanged':>10}")
    for name in ("pace", "muscle-arms"):
        studio = Studio(name, port=0)
        hand = Hand(studio)
        try:
            rows = []
            for _ in range(rounds + 10):
                step = timed(studio.engine.advance)
                shown, again = (timed(studio.stage.update, 0.03) for _ in range(2))
                rows.append((step, shown, again))
            step, shown, again = np.array(rows[10:]).T
            a, b, ratio, c = (np.median(x) for x in (step, shown, shown / step, again))
            print(f"{name:14} {a:10.2f} ms {b:6.2f} ms {ratio:6.2f} {c:7.2f} ms")
        finally:
            hand.close()
            studio.close()


if __name__ == "__main__":
    main()
