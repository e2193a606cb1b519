"""An hour in the studio without a browser: three bodies, sliders that move, pushes, other skills, as fast as it goes.

    python bench/studio_hour.py [--minutes 60] [--page] [--every 60] [--seed 0]

It does to the studio's engine what a person does on the page, at random: a slider of fitness, speed, heading or gravity
moves, a limb is exhausted, everybody is pushed, the ghost comes and goes. That is twice a simulated second, and another
skill comes on stage every minute (`--every`, in simulated seconds). It prints how many numbers were not finite, how
often a simulation was lost, and by how much memory grew from the second turn of all skills to the last one. Ctrl-C
ends it early, with a report.

Time is compressed: control steps follow each other without waiting. With `--page` viser's server is there too, and
every step is drawn and sent to a client, which reads it.
"""

import argparse
import gc
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from lactic import fatigue
from lactic.errors import InputError
from lactic.stopping import StopRequest
from lactic.studio.engine import MOST, Engine
from lactic.studio.panels import PUSHED
from lactic.studio.server import READ, Studio
from lactic.studio.skill import opening_fitness, regions

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "studio")]

from hand import Hand  # noqa: E402

SKILLS = ("pace", "kick", "hop", "ant")
PRESETS = ("human-30", "human", "cheema2023", "off")
EVERY = 0.5  # simulated seconds between two things that are done
SETTLED = len(SKILLS)  # changes until every skill has been on stage
ALLOWED = 0.05


def resident() -> float:
    """Megabytes of this process in memory (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


class Page:
    """The studio's server with a client, drawn at every step instead of thirty times a second."""

    def __init__(self, said: list[str]):
        self.studio = Studio(SKILLS[0], port=0)
        self.engine, self._turn = self.studio.engine, 0
        self.engine.notify = said.append
        self._hand = Hand(self.studio)
        while not self.studio.server.get_clients():
            time.sleep(0.01)

    def draw(self) -> None:
        """What the page's loop does."""
        self.studio.stage.update(self.engine.dt)
        if self._turn % READ == 0:
            self.studio.panels.update()
        self.studio.server.flush()
        self._turn += 1

    def close(self) -> None:
        """Leave."""
        self._hand.close()
        self.studio.close()


class Visitor:
    """Somebody at the page who never rests."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine, self.rng = engine, np.random.default_rng(seed)
        self.done: Counter[str] = Counter()
        self.deeds = (self.slide, self.slide, self.push, self.exhaust, self.walk, self.gravity, self.ghost, self.stick)

    def act(self) -> None:
        """Do one thing; what the page would refuse in one line counts as refused."""
        deed = self.deeds[self.rng.integers(len(self.deeds))]
        try:
            deed()
            self.done[deed.__name__] += 1
        except InputError:
            self.done["refused"] += 1

    def _pick(self, values):
        return values[self.rng.integers(len(values))]

    def slide(self) -> None:
        """Move one slider of one body's fitness, over the slider's whole range."""
        engine, index = self.engine, int(self.rng.integers(MOST))
        fitness = engine.cast[index].fitness
        usual = fatigue.preset(fitness.name)
        most = {"F": 4 * usual.F or 4.0, "R": 6 * usual.R or 0.06, "r": 30.0}
        most["time_scale"] = 100.0 if usual.F < 0.2 else 4.0
        name = self._pick(tuple(most))
        low = most[name] / 400 if name == "time_scale" else 0.0
        value = float(self.rng.uniform(low, most[name]))
        engine.set_fitness(index, fitness.altered(**{name: value}), tires=self.rng.random() > 0.1)

    def push(self) -> None:
        """Push everyone, as hard as the slider goes."""
        force, way, seconds = self.rng.uniform((10, -180, 0.1), (1500, 180, 3.0))
        there = self.engine.body.bodies
        self.engine.push(force, way, seconds, self._pick([part for part in PUSHED if part in there] or there[:1]))

    def exhaust(self) -> None:
        """Exhaust or refresh a region."""
        region = self._pick(tuple(regions(self.engine.body)))
        self.engine.exhaust(int(self.rng.integers(MOST)), region, self._pick((0.0, 0.9)))

    def walk(self) -> None:
        """Ask for another speed or pose and heading, or for the skill's own programme."""
        self.engine.ask(self._pick((None, float(self.rng.uniform(0, 4)))))
        self.engine.set_heading(float(self.rng.uniform(-np.pi, np.pi)))

    def gravity(self) -> None:
        """Another gravity; mostly the Earth's."""
        self.engine.set_gravity(self._pick((9.81, 9.81, 9.81, float(self.rng.uniform(0, 20)))))

    def ghost(self) -> None:
        """The ghost comes or goes."""
        self.engine.show_ghost(self.engine.ghost is None)

    def stick(self) -> None:
        """A gamepad's stick moves, or is let go."""
        self.engine.pad[:] = 0.0
        self.engine.pad[:2] = self._pick((np.zeros(2), self.rng.uniform(-1, 1, 2)))


def not_finite(engine: Engine) -> int:
    """How many numbers of state, fatigue and torque are not finite."""
    arrays = [(a.player.world.qpos, a.player.world.qvel, a.player.fatigue, a.player.given) for a in engine.actors]
    return sum(int(np.count_nonzero(~np.isfinite(x))) for row in arrays for x in row)


def main() -> None:
    """Simulate, and say what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0, help="simulated minutes")
    parser.add_argument("--page", action="store_true", help="with the server, and a client that is sent every step")
    parser.add_argument("--every", type=float, default=60.0, help="simulated seconds until another skill comes")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    said: list[str] = []
    page = Page(said) if asked.page else None
    engine = page.engine if page else Engine(SKILLS[0], said.append)
    engine.compare([opening_fitness(name) for name in PRESETS[:MOST]])
    visitor, bad, clock = Visitor(engine, asked.seed), 0, 0.0
    memory: dict[int, float] = {}
    began, change = time.perf_counter(), 0
    with StopRequest() as stop:
        while clock < 60 * asked.minutes and not stop.asked:
            visitor.act()
            for _ in range(round(EVERY / engine.dt)):
                engine.advance()
                if page:
                    page.draw()
                bad += not_finite(engine)
                clock += engine.dt
            if clock >= asked.every * (change + 1):
                change += 1
                memory[change] = resident()
                spent = time.perf_counter() - began
                left = spent / clock * (60 * asked.minutes - clock)
                seen = f"{engine.skill.name}, {memory[change]:.0f} MB, {len(said)} lost, {bad} not finite"
                print(f"change {change}: {seen}, {clock / spent:.1f} × real time, {left:.0f} s left", flush=True)
                engine.load(SKILLS[change % len(SKILLS)])
                engine.compare([opening_fitness(visitor.rng.choice(PRESETS)) for _ in range(MOST)])
    if page:
        page.close()
    print(f"{clock / 60:.1f} simulated minutes; done: {dict(sorted(visitor.done.items()))}")
    print(f"numbers that were not finite: {bad}; simulations that were lost and started again: {len(said)}")
    if change >= 3 * SETTLED:
        first, last = (
            np.mean([memory[k] for k in turn])
            for turn in (range(SETTLED + 1, 2 * SETTLED + 1), range(change - SETTLED + 1, change + 1))
        )
        growth = last / first - 1
        print(f"memory: {first:.1f} MB in the second turn of all skills, {last:.1f} MB in the last: {growth:+.1%}")
        raise SystemExit(int(bad > 0 or growth > ALLOWED))
    print(f"too short to say how memory grows: let skills change {3 * SETTLED} times")


if __name__ == "__main__":
    main()
