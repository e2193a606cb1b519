"""Vectors whose parts have names: what a policy sees, does and is told."""


class Layout(dict[str, slice]):
    """Where each part of a vector lies, by name and in order."""

    def __init__(self, **sizes: int):
        super().__init__()
        self.size = 0
        for name, size in sizes.items():
            self[name] = slice(self.size, self.size + size)
            self.size += size

    @property
    def sizes(self) -> list[int]:
        """How many numbers each part has."""
        return [part.stop - part.start for part in self.values()]

    def without(self, *names: str) -> "Layout":
        """The other parts, moved together."""
        sizes = zip(self, self.sizes, strict=True)
        return Layout(**{name: size for name, size in sizes if name not in names})
