"""Reading the pickles of NumPy's object arrays; whatever is not plain data is refused.

A pickle names the functions it calls. `find_class` answers the few that arrays need with stand-ins written here, and
refuses all others. A stand-in checks its arguments, makes only numbers, bytes, dicts and arrays, and cannot be changed
by the pickle. What it makes is counted, since a pickle can ask for the same thing again and again.
"""

import io
import math
import pickle
import pickletools
from collections.abc import Callable
from typing import Any

import numpy as np

from lactic.errors import InputError

_DTYPES = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1", "O8", "O"}
_ALLOWANCE = 4  # times its own size that a pickle may take: as text, as bytes, as an array, and once to spare


def loads(data: bytes) -> Any:
    """The plain data in a pickle: dicts, lists, tuples, numbers, text, bytes and NumPy arrays."""
    try:
        _check_claims(data)
        value = _Unpickler(data).load()
    except InputError:
        raise
    except Exception as error:  # a damaged pickle fails in every possible way
        raise InputError("damaged file") from error
    return value.item() if isinstance(value, _Array) and value.shape == () else value


def _check_claims(data: bytes) -> None:
    """Refuse lengths beyond the file and far memo places: Python would reserve the memory before it looks."""
    for count, (opcode, argument, _) in enumerate(pickletools.genops(data)):
        if opcode.name in ("PUT", "BINPUT", "LONG_BINPUT") and int(argument or 0) > count:
            raise InputError("it claims more memory than it needs")


class _Unpickler(pickle.Unpickler):
    """An unpickler that looks nothing up: the functions a pickle names are those in `allowed`."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data), encoding="bytes")
        self.left = _ALLOWANCE * len(data)
        array = {"_reconstruct": self._array, "scalar": self._scalar, "_frombuffer": self._from_buffer}
        homes = {"_reconstruct": "multiarray", "scalar": "multiarray", "_frombuffer": "numeric"}
        allowed: dict[tuple[str, str], Callable[..., Any]] = {
            ("numpy", "dtype"): _Dtype,
            ("numpy", "ndarray"): _refuse,  # named as the kind of an array, never called
            ("collections", "OrderedDict"): _ordered,
            ("_codecs", "encode"): self._encode,
        }
        for core in ("numpy.core", "numpy._core"):
            allowed |= {(f"{core}.{homes[name]}", name): make for name, make in array.items()}
        self.allowed = allowed

    def find_class(self, module: str, name: str) -> Any:
        """The stand-in for a function that arrays need; no module is imported."""
        if (module, name) not in self.allowed:
            raise InputError(f"it would call {ascii(f'{module}.{name}')[1:-1][:60]}")
        return _StandIn(self.allowed[module, name])

    def _claim(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise InputError("it claims more memory than it needs")

    def _array(self, *_: Any) -> "_Array":
        empty = np.empty(0).view(_Array)
        empty.claim = self._claim
        return empty

    def _from_buffer(self, raw: Any, dtype: Any, shape: Any, order: Any) -> "_Array":
        array = self._array()
        array.__setstate__((1, shape, dtype, order == "F", bytes(_of(raw, bytes, bytearray))))
        return array

    def _scalar(self, dtype: Any, raw: Any) -> Any:
        return np.frombuffer(_of(raw, bytes), _of(dtype, _Dtype).numbers(), 1)[0].item()

    def _encode(self, text: Any, *_: Any) -> bytes:
        """Bytes as protocol 2 writes them."""
        self._claim(len(_of(text, str)))
        return text.encode("latin-1")


class _StandIn:
    """A function that a pickle may call and may not change."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make

    def __call__(self, *arguments: Any) -> Any:
        return self._make(*arguments)

    def __setstate__(self, state: Any) -> None:
        _refuse()


class _Dtype:
    """The type of an array's numbers: its name, then its byte order."""

    __slots__ = ("name", "order")

    def __init__(self, name: Any, *_: Any) -> None:
        name = name.decode("latin-1") if isinstance(name, bytes) else name
        if not isinstance(name, str) or name not in _DTYPES:
            raise InputError(f"array type {ascii(name) if isinstance(name, str) else type(name).__name__:.40}")
        self.name, self.order = name, "<"

    def __setstate__(self, state: Any) -> None:
        self.order = ">" if _of(state, tuple)[1] in (">", b">") else "<"

    def numbers(self) -> np.dtype:
        """The NumPy type, which must be one of plain numbers."""
        if self.name.startswith("O"):
            raise InputError("an array of objects where numbers belong")
        return np.dtype(self.order + self.name)


class _Array(np.ndarray):
    """An array whose state is checked before NumPy sets it."""

    claim: Callable[[int], None]

    def __setstate__(self, state: Any) -> None:  # type: ignore[override]
        _, shape, dtype, fortran, raw = _of(state, tuple)
        shape = tuple(_of(n, int) for n in _of(shape, tuple))
        if len(shape) > 32 or min(shape, default=1) < 0:
            raise InputError("an array of an impossible shape")
        if _of(dtype, _Dtype).name.startswith("O"):
            kind, held = np.dtype(object), 8 * len(_of(raw, list))
        else:
            kind, held = dtype.numbers(), len(_of(raw, bytes))
        if held != math.prod(shape) * kind.itemsize:
            raise InputError("an array of the wrong length")
        self.claim(held)
        super().__setstate__((1, shape, kind, bool(fortran), raw))  # type: ignore[arg-type]


def _ordered() -> dict:
    """A dict, which keeps its order too."""
    return {}


def _of(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        _refuse()
    return value


def _refuse(*_: Any) -> None:
    raise InputError("its instructions do not fit together")
