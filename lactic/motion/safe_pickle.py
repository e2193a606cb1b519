"""Reading the pickles of NumPy's object arrays without running them.

A pickle is a program. This reader walks its opcodes with a small machine of its own that knows containers, numbers,
text and bytes; the few globals NumPy's arrays name are placeholders that only this file interprets, and any other
global is refused. No class is looked up, no constructor called.
"""

import math
import pickletools
from typing import Any

import numpy as np

_RECONSTRUCT = {("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct")}
_SCALAR = {("numpy.core.multiarray", "scalar"), ("numpy._core.multiarray", "scalar")}
_FROM_BUFFER = {("numpy.core.numeric", "_frombuffer"), ("numpy._core.numeric", "_frombuffer")}
_NDARRAY, _DTYPE = ("numpy", "ndarray"), ("numpy", "dtype")
_ORDERED, _ENCODE = ("collections", "OrderedDict"), ("_codecs", "encode")
_ALLOWED = _RECONSTRUCT | _SCALAR | _FROM_BUFFER | {_NDARRAY, _DTYPE, _ORDERED, _ENCODE}
_DTYPES = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1", "O8", "O"}
_VALUES = {
    "BININT", "BININT1", "BININT2", "INT", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "UNICODE", "BINUNICODE",
    "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BINSTRING", "SHORT_BINSTRING",
    "BYTEARRAY8",
}  # fmt: skip
_IGNORED = {"PROTO", "FRAME"}


class RefusedPickle(ValueError):
    """The pickle names something that is not plain data."""


class _Mark:
    pass


class _Global(tuple):
    pass


class _Dtype:
    """A dtype being built: its name, then its byte order."""

    def __init__(self, name: Any) -> None:
        if not isinstance(name, str) or name not in _DTYPES:
            raise RefusedPickle(f"array type {name!r:.40}")
        self.name, self.order = name, "<"

    def numpy(self) -> np.dtype:
        """The NumPy type of plain numbers."""
        return np.dtype(self.name if self.name in ("i1", "u1", "b1") else self.order + self.name)


class _Array:
    """An array being built; `value` is set by its state: an ndarray, or a list for object arrays."""

    value: Any = None


def loads(data: bytes) -> Any:
    """The plain data in a pickle: dicts, lists, tuples, numbers, text, bytes and NumPy arrays of numbers."""
    stack: list[Any] = []
    memo: dict[int, Any] = {}

    def since_mark() -> list[Any]:
        items: list[Any] = []
        while not isinstance(stack[-1], _Mark):
            items.append(stack.pop())
        stack.pop()
        return items[::-1]

    operation: Any
    for operation in pickletools.genops(data):
        name, argument = operation[0].name, operation[1]
        if name in _IGNORED:
            continue
        if name in _VALUES:
            stack.append(argument.encode("latin-1") if name in ("BINSTRING", "SHORT_BINSTRING") else argument)
        elif name in ("NONE", "NEWTRUE", "NEWFALSE"):
            stack.append({"NONE": None, "NEWTRUE": True, "NEWFALSE": False}[name])
        elif name in ("EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE"):
            stack.append({"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple}[name]())
        elif name == "MARK":
            stack.append(_Mark())
        elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
            count = int(name[-1])
            stack[-count:] = [tuple(stack[-count:])]
        elif name == "TUPLE":
            stack.append(tuple(since_mark()))
        elif name == "LIST":
            stack.append(since_mark())
        elif name in ("APPEND", "APPENDS"):
            items = since_mark() if name == "APPENDS" else [stack.pop()]
            _of(stack[-1], list).extend(items)
        elif name in ("SETITEM", "SETITEMS", "DICT"):
            items = [stack.pop(-2), stack.pop()] if name == "SETITEM" else since_mark()
            if name == "DICT":
                stack.append({})
            _of(stack[-1], dict).update(zip(items[::2], items[1::2], strict=True))
        elif name in ("BINPUT", "LONG_BINPUT", "PUT"):
            memo[int(argument)] = stack[-1]
        elif name == "MEMOIZE":
            memo[len(memo)] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET", "GET"):
            stack.append(memo[int(argument)])
        elif name in ("GLOBAL", "STACK_GLOBAL"):
            pair = tuple(argument.split(" ", 1)) if name == "GLOBAL" else (stack.pop(-2), stack.pop())
            if pair not in _ALLOWED:
                raise RefusedPickle(f"it would call {'.'.join(map(str, pair))[:60]}")
            stack.append(_Global(pair))
        elif name == "REDUCE":
            arguments = _of(stack.pop(), tuple)
            stack.append(_reduce(_of(stack.pop(), _Global), arguments))
        elif name == "BUILD":
            state = stack.pop()
            _build(stack[-1], state)
        elif name == "STOP":
            return _plain(stack.pop())
        else:
            raise RefusedPickle(f"it uses the instruction {name}")
    raise RefusedPickle("it does not end")


def _of(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise RefusedPickle("its instructions do not fit together")
    return value


def _reduce(function: _Global, arguments: tuple) -> Any:
    if function in _RECONSTRUCT:
        return _Array()
    if function in _FROM_BUFFER:
        raw, dtype, shape, order = arguments
        return _numbers(raw, dtype, shape, order == "F")
    if function == _DTYPE:
        return _Dtype(arguments[0])
    if function in _SCALAR:
        dtype, raw = arguments
        return np.frombuffer(_of(raw, bytes), _of(dtype, _Dtype).numpy(), 1)[0].item()
    if function == _ENCODE:
        return _of(arguments[0], str).encode("latin-1")
    if function == _ORDERED:
        return dict(_of(arguments[0], list)) if arguments else {}
    raise RefusedPickle("it calls what cannot be called")


def _build(target: Any, state: Any) -> None:
    if isinstance(target, _Dtype):
        order = _of(state, tuple)[1]
        target.order = order if order in ("<", ">") else "<"
    elif isinstance(target, _Array):
        _, shape, dtype, fortran, raw = _of(state, tuple)
        if _of(dtype, _Dtype).name.startswith("O"):
            if len(_of(raw, list)) != math.prod(_of(shape, tuple)):
                raise RefusedPickle("an object array of the wrong length")
            target.value = raw[0] if shape == () else raw
        else:
            target.value = _numbers(raw, dtype, shape, bool(fortran))
    else:
        raise RefusedPickle("it sets the state of an object")


def _numbers(raw: Any, dtype: Any, shape: Any, fortran: bool) -> np.ndarray:
    """An array of plain numbers from its bytes, copied."""
    kind = _of(dtype, _Dtype).numpy()
    shape = tuple(_of(n, int) for n in _of(shape, tuple))
    raw = bytes(raw) if isinstance(raw, bytearray) else _of(raw, bytes)
    if kind.hasobject or min(shape, default=1) < 0 or len(raw) != math.prod(shape) * kind.itemsize:
        raise RefusedPickle("an array of the wrong length")
    return np.frombuffer(raw, kind).reshape(shape, order="F" if fortran else "C").copy()


def _plain(value: Any, depth: int = 0) -> Any:
    """The result with array placeholders replaced by what they hold."""
    if depth > 50:
        raise RefusedPickle("nested too deeply")
    if isinstance(value, _Array):
        return _plain(value.value, depth + 1)
    if isinstance(value, dict):
        return {_plain(k, depth + 1): _plain(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple) and not isinstance(value, _Global):
        return type(value)(_plain(v, depth + 1) for v in value)
    return value
