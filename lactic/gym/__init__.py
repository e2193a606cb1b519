"""Tasks as Gymnasium environments: `gymnasium.make("lactic/Pace-v0")`, one id for each recipe (needs lactic[gym]).

Importing this registers the ids.
"""

from lactic.errors import needs
from lactic.learn.config import recipes

NAMES = {"actor": "Track"}
"""Recipes whose environment has the name of the task."""


def environments() -> dict[str, str]:
    """The recipe of each id."""
    plain = {recipe: NAMES.get(recipe, recipe.title().replace("-", "")) for recipe in recipes()}
    return {f"lactic/{name}-v0": recipe for recipe, name in plain.items()}


def register() -> None:
    """Tell Gymnasium of all ids."""
    needs("gymnasium", "gym")
    import gymnasium

    for name, recipe in environments().items():
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name,
                entry_point="lactic.gym.environment:TaskEnvironment",
                vector_entry_point="lactic.gym.environment:TaskEnvironments",
                kwargs={"recipe": recipe},
            )


register()

__all__ = ["environments", "register"]
