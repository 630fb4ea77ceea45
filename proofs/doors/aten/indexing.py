"""Indices that are sizes or numbers of turns: PyTorch asks for their number, where `select` does not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache, reduce
from typing import Any

from ...interpret.questions import place
from .constants import constant_of, note_call, number_questions
from .raising import answered
from .refusal import beside, torch
from .tensors import TENSORS, is_symbol


@cache
def _mode() -> Any:
    from torch.fx import traceback
    from torch.overrides import TorchFunctionMode

    folders = beside()

    class Lines(TorchFunctionMode):
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            traceback.set_stack_trace([place(folders) or " "])
            note_call(function)
            found = without_sizes(function, args, kwargs)
            return function(*args, **(kwargs or {})) if found is None else found[0]

    return Lines


def lines() -> Any:
    """A block in which operations keep the user's line, and indices may be sizes."""
    return _mode()()


def is_size(value: Any) -> bool:
    """Whether a value is a whole number of PyTorch's that may be a symbol."""
    return type(value).__name__ == "SymInt"


def without_sizes(function: Any, args: Any, options: Any = None) -> tuple[Any, bool] | None:
    """What PyTorch's functions are that ask for the number of a size, by others that do not.

    These are `x[k]` and `x[k] = y`, tensors of a range over a size, `unbind` along a size, norms of a size's groups,
    labels of a size's classes, distances, Kronecker's products, and pools of whole axes.

    None for other functions, and other arguments.

    Returns:
        The result, and whether it is one.
    """
    t = torch()
    if function in (t.tensor, t.as_tensor, t.Tensor.new_tensor):
        place_of = 1 if function is t.Tensor.new_tensor else 0
        numbers = getattr(args[place_of], "numbers", None) if len(args) > place_of else None
        if numbers is None:
            return _of_tensors(args[0], options or {}) if function is t.tensor and args else None
        return numbers.to((options or {}).get("dtype", t.int64)), True
    if function in (t.unbind, t.Tensor.unbind):
        axis = args[1] if len(args) > 1 else (options or {}).get("dim", 0)
        many = is_symbol(args[0].shape[axis])
        return (TENSORS.rows(TENSORS, args[0].movedim(axis, 0)), True) if many else None
    if function in (t.split, t.Tensor.split):
        named = {**dict(zip(SPLIT, args, strict=False)), **(options or {})}
        return _split(args[0], named.get("size", named.get("split_size")), named.get("dim", 0))
    if function in number_questions():
        value = constant_of(args[0])
        if value is not None:
            with t._C.DisableTorchFunction():
                return function(value), True
    if function is t.Tensor.item and all(n == 1 for n in args[0].shape) and _is_for_truth():
        answer = answered()
        return None if answer is None else (answer, True)
    if function is t.nn.functional.one_hot:
        named = {**dict(zip(HOT, args, strict=False)), **(options or {})}
        count = named.get("num_classes", -1)
        if not is_size(count) and count < 1:
            return None
        return (named["tensor"][..., None] == t.arange(count)).to(t.int64), True
    if function is t.cdist:
        named = {**dict(zip(("x1", "x2", "p"), args, strict=False)), **(options or {})}
        gap = named["x1"].unsqueeze(-2) - named["x2"].unsqueeze(-3)
        return t.linalg.vector_norm(gap, named.get("p", 2.0), -1), True
    if function in (t.kron, t.Tensor.kron):
        return _kron(*args, **(options or {})), True
    if function in _pools():
        return _over_all(function, args, options or {})
    if function is t.nn.functional.group_norm:
        named = {**dict(zip(GROUPS, args, strict=False)), **(options or {})}
        return (_group_norm(**named), True) if is_symbol(named["num_groups"]) else None
    reads, writes = function is t.Tensor.__getitem__, function is t.Tensor.__setitem__
    if not (reads or writes):
        return None
    keys = args[1] if isinstance(args[1], tuple) else (args[1],)
    if not any(map(is_size, keys)):
        return None
    part, rest = selected(args[0], keys)
    whole = all(isinstance(k, slice) and k == slice(None) for k in rest)
    if reads:
        return (part if whole else part[rest]), True
    if whole:
        value = args[2]
        part.copy_(value) if isinstance(value, t.Tensor) else part.fill_(value)
    else:
        part[rest] = args[2]
    return None, True


def _is_for_truth() -> bool:
    """Whether `if`, `assert` or the like ask, of which PyTorch makes a question for the number."""
    frame = sys._getframe(2)
    while frame.f_code.co_name == "__torch_function__" and frame.f_back is not None:
        frame = frame.f_back
    code = frame.f_code
    return code.co_name == "__bool__" and code.co_filename.startswith(beside())


def _of_tensors(rows: Any, options: dict[str, Any]) -> tuple[Any, bool] | None:
    """`torch.tensor` of sizes, numbers and tensors with one entry each, in lists or not; None where all are numbers."""
    t = torch()

    def as_tensor(one: Any) -> Any:
        if isinstance(one, t.SymInt | t.SymFloat):
            kind = t.int64 if isinstance(one, t.SymInt) else t.get_default_dtype()
            return t.scalar_tensor(one, dtype=kind)
        return one if isinstance(one, t.Tensor) else t.tensor(one)

    def flat(one: Any) -> Iterator[Any]:
        if isinstance(one, list | tuple):
            for each in one:
                yield from flat(each)
        else:
            yield one

    every, symbols = list(flat(rows)), t.SymInt | t.SymFloat
    if not isinstance(rows, list | tuple | symbols):
        return None
    plain = all(isinstance(one, t.Tensor | symbols | bool | int | float) for one in every)
    if not plain or not any(isinstance(one, t.Tensor | symbols) for one in every):
        return None
    if set(options) - {"dtype", "device"}:
        return None
    entries = map(as_tensor, every)
    dtype = options.get("dtype") or reduce(t.promote_types, (one.dtype for one in entries))

    def made(one: Any) -> Any:
        if isinstance(one, list | tuple):
            return t.stack([made(each) for each in one])
        return as_tensor(one).detach().reshape(()).to(dtype)

    return made(rows), True


HOT = ("tensor", "num_classes")
GROUPS = ("input", "num_groups", "weight", "bias", "eps")


SPLIT = ("tensor", "size", "dim")


def _split(tensor: Any, size: Any, dim: int) -> tuple[Any, bool] | None:
    """Parts of so many entries along a size, of which there are as many as another size says."""
    axis = dim % tensor.dim()
    if not isinstance(size, int) or not is_symbol(tensor.shape[axis]):
        return None
    parts = tensor.unflatten(axis, (-1, size))
    return TENSORS.rows(TENSORS, parts.movedim(axis, 0)), True


@cache
def _pools() -> dict[Any, tuple[int, str]]:
    """PyTorch's averages and maxima over windows, with how many axes they are along."""
    t = torch()
    return {
        getattr(module, name): (count, kind)
        for kind in ("avg", "max")
        for count in (1, 2, 3)
        for module in (t, t.nn.functional)
        if hasattr(module, name := f"{kind}_pool{count}d")
    }


POOL = {
    "avg": ("ceil_mode", "count_include_pad", "divisor_override"),
    "max": ("dilation", "ceil_mode", "return_indices"),
}
"""What PyTorch's functions take behind the array, the lengths of windows, their stride and padding."""


def _over_all(function: Any, args: Any, options: Any) -> tuple[Any, bool] | None:
    """An average or a maximum over one window, whose lengths are those of the axes; None over others."""
    count, kind = _pools()[function]
    names = ("input", "kernel_size", "stride", "padding", *POOL[kind])
    named = {**dict(zip(names, args, strict=False)), **options}

    def along(name: str, otherwise: int) -> list[Any]:
        given = named.get(name, otherwise)
        return [*given] if isinstance(given, tuple | list) else [given] * count

    array, lengths, axes = named["input"], along("kernel_size", 0), tuple(range(-count, 0))
    plain = {*along("padding", 0)} <= {0} and {*along("dilation", 1)} <= {1}
    if named.get("divisor_override") is not None or named.get("return_indices") or not plain:
        return None
    if not any(map(is_symbol, lengths)) or any(
        array.shape[k] - n != 0 for k, n in zip(axes, lengths, strict=True)
    ):
        return None
    return (array.mean if kind == "avg" else array.amax)(axes, keepdim=True), True


def _kron(input: Any, other: Any) -> Any:
    """Each entry of one array times all of another one."""
    rank = max(input.dim(), other.dim())
    one, two = ((*[1] * (rank - x.dim()), *x.shape) for x in (input, other))
    left = input.reshape([n for length in one for n in (length, 1)])
    right = other.reshape([n for length in two for n in (1, length)])
    return (left * right).reshape([n * m for n, m in zip(one, two, strict=True)])


def _group_norm(
    input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Each group of channels less its mean, over its deviation; then weights and biases by channel."""
    rows = input.reshape(input.shape[0], num_groups, -1)
    rows = rows - rows.mean(-1, keepdim=True)
    rows = rows / (rows.square().mean(-1, keepdim=True) + eps).sqrt()
    found = rows.reshape(input.shape)
    channels = (-1, *(1 for _ in input.shape[2:]))
    found = found if weight is None else found * weight.reshape(channels)
    return found if bias is None else found + bias.reshape(channels)


def selected(tensor: Any, keys: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """A view at those indices that are sizes, and the other indices."""
    lengths = [0 if k is None or k is Ellipsis else k.dim() if _is_mask(k) else 1 for k in keys]
    left = tensor.dim() - sum(lengths)
    axis, rest = 0, []
    for k, length in zip(keys, lengths, strict=True):
        if is_size(k):
            tensor = tensor.select(axis, k)
            continue
        rest.append(k)
        axis += left if k is Ellipsis else length
    return tensor, tuple(rest)


def _is_mask(key: Any) -> bool:
    return isinstance(key, torch().Tensor) and key.dtype == torch().bool
