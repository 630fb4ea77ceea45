"""Each operation of the table for ATen: PyTorch's against the nodes that its rule makes, on numbers of all kinds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from entry_by_entry import by_entries

torch = pytest.importorskip("torch")

from scanproof.proofs.doors.aten.lowering import Lowering, Notes  # noqa: E402
from scanproof.proofs.doors.aten.refusal import Refused  # noqa: E402
from scanproof.proofs.doors.aten.sizes import Sizes  # noqa: E402
from scanproof.proofs.doors.aten.table import RULES  # noqa: E402
from scanproof.proofs.doors.aten.transforms import CONVOLUTION, convolution  # noqa: E402
from scanproof.proofs.doors.aten.values import format_of  # noqa: E402
from scanproof.proofs.doors.aten.writing import Writes  # noqa: E402
from scanproof.proofs.doors.infinities import Odd, Value  # noqa: E402
from scanproof.proofs.readings.floats import Floats  # noqa: E402
from scanproof.proofs.statement import nodes  # noqa: E402

DRAWS = [(10, 1), pytest.param(25, 5, marks=pytest.mark.long)]
"""How many calls are drawn, and how many at least are lowered: a rule that refuses all of them is not tested."""
POOL = (0.0, 0.0, 1.0, 1.0, -1.0, 2.0, 0.5, -0.5, 3.0, -2.5, 0.25, 7.0)
"""Signs, zeros, ties, halves that are rounded."""
Rng = np.random.Generator
Call = tuple[list[Any], dict[str, Any]]


def reals(rng: Rng, *shape: int) -> Any:
    """An array of which half the entries are of the pool."""
    chosen = rng.choice(POOL, shape)
    return torch.as_tensor(np.where(rng.random(shape) < 0.5, chosen, rng.normal(size=shape)))


def wholes(rng: Rng, low: int, high: int, *shape: int) -> Any:
    return torch.as_tensor(rng.integers(low, high, shape))


def truths(rng: Rng, *shape: int) -> Any:
    return torch.as_tensor(rng.random(shape) < 0.5)


def lengths(rng: Rng, low: int = 0, high: int = 4) -> tuple[int, ...]:
    return tuple(int(n) for n in rng.integers(1, 4, rng.integers(low, high)))


def some(rng: Rng, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that fits this one: axes of length 1, and fewer in front."""
    kept = [1 if rng.random() < 0.3 else n for n in shape]
    return tuple(kept[rng.integers(0, 2) if shape else 0 :])


def dim(rng: Rng, shape: tuple[int, ...]) -> int:
    return int(rng.integers(-len(shape), len(shape)))


def drawn(name: str, rng: Rng) -> Call:
    """Arguments of an operation, by what its schema calls them."""
    schema = operation(name)._schema
    shape = lengths(rng, 0 if name.split(".")[0] not in ALONG else 1)
    args, kwargs = [], {}
    for one in schema.arguments:
        value = by_type(one, name, shape, rng)
        if value is None and (one.has_default_value() or one.kwarg_only):
            continue
        if one.kwarg_only:
            kwargs[one.name] = value
        else:
            args.append((one.name, value))
    return [v for _, v in args], kwargs


ALONG = {
    *("sum", "mean", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "logsumexp", "prod"),
    *(
        "_softmax",
        "_safe_softmax",
        "_log_softmax",
        "amax",
        "amin",
        "argmax",
        "argmin",
        "max",
        "min",
        "any",
        "all",
        "flip",
    ),
    *("unsqueeze", "squeeze", "unbind", "roll", "var", "std", "var_mean", "unsqueeze_copy"),
    "squeeze_copy",
}
TRUTHS = ("bitwise_", "logical_", "any", "all")
WHOLE_TOO = ("add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge", "neg", "abs", "sum", "cumsum")


def by_type(one: Any, name: str, shape: tuple[int, ...], rng: Rng) -> Any:
    """A value for one argument of the schema."""
    kind, called, base = str(one.type), one.name, name.split(".")[0]
    if kind in ("Tensor", "Optional[Tensor]"):
        if called == "condition" or base.startswith(TRUTHS) or called == "mask":
            return truths(rng, *shape)
        own = shape if called == "self" else some(rng, shape)
        if base in WHOLE_TOO and rng.random() < 0.3:
            return wholes(rng, -3, 4, *own)
        return reals(rng, *own)
    if called in ("dim", "dims"):
        if kind == "int" or (kind == "Optional[int]" and rng.integers(2)):
            return dim(rng, shape)
        if kind == "Optional[int]":
            return None
        every = rng.permutation(len(shape))[: rng.integers(1, len(shape) + 1)]
        return [int(k) for k in every]
    if kind == "bool":
        return bool(rng.random() < 0.5) if called in ("keepdim", "upper", "left") else None
    if base.startswith(TRUTHS) and kind == "number":
        return bool(rng.random() < 0.5)
    if kind in ("number", "Optional[number]", "float") and called not in ("correction", "ord"):
        return rng.choice([1, 2, -1, 0.5, 3, 1.5]).item()
    if called == "correction":
        return int(rng.integers(0, 2))
    return None


def at_least_square(rng: Rng) -> tuple[int, ...]:
    return (*lengths(rng, 0, 2), *(int(n) for n in rng.integers(1, 4, 2)))


def system(rng: Rng, *, names: tuple[str, ...] = (), swapped: bool = False) -> Call:
    n, m = rng.integers(1, 4, 2)
    matrix = reals(rng, n, n) + 5 * torch.eye(n)
    options = {k: bool(rng.random() < 0.5) for k in names}
    right = reals(rng, n, m)
    return ([right, matrix] if swapped else [matrix, right]), options


def solving(rng: Rng) -> Call:
    (matrix, right), options = system(rng, names=("upper", "left", "unitriangular"))
    return [matrix, right if options["left"] else right.mT.contiguous()], options


def reshape(rng: Rng) -> Call:
    old = reals(rng, *lengths(rng))
    ways = [(-1,), (*old.shape, 1), (1, *old.shape), tuple(old.shape)]
    if old.dim() > 1:
        ways.append((old.shape[0] * old.shape[1], *old.shape[2:]))
    return [old, list(ways[rng.integers(len(ways))])], {}


def grown(rng: Rng) -> Call:
    shape = lengths(rng)
    one = reals(rng, *some(rng, shape))
    return [one, list(shape)], {}


def parts(rng: Rng) -> Call:
    shape = list(lengths(rng, 1))
    k = dim(rng, tuple(shape))
    made = []
    for _ in range(rng.integers(1, 4)):
        shape[k] = int(rng.integers(0, 3))
        made.append(reals(rng, *shape))
    return [made, k], {}


def indexed(rng: Rng) -> Call:
    shape = lengths(rng, 1)
    k = int(rng.integers(len(shape)))
    index = wholes(rng, -shape[k], shape[k], *lengths(rng, 0, 3))
    return [reals(rng, *shape), [*[None] * k, index]], {}


def put(rng: Rng) -> Call:
    shape = lengths(rng, 1)
    k = int(rng.integers(len(shape)))
    start, count = np.sort(rng.integers(0, shape[k] + 1, 2))
    accumulate = bool(rng.random() < 0.5)
    if rng.random() < 0.3:
        index = wholes(rng, -shape[k], shape[k])
        inner = ()
    elif accumulate:
        index = wholes(rng, 0, shape[k], 3)
        inner = (3,)
    else:
        index = torch.arange(start, max(count, start + 1))
        index = index[index < shape[k]] if start < shape[k] else torch.arange(1)
        inner = tuple(index.shape)
    values = reals(rng, *some(rng, (*shape[:k], *inner, *shape[k + 1 :])))
    return [reals(rng, *shape), [*[None] * k, index], values, accumulate], {}


def added(rng: Rng) -> Call:
    shape = lengths(rng, 1)
    k = dim(rng, shape)
    own = list(shape)
    own[k] = 3
    given = reals(rng, *[n + int(rng.integers(2)) for n in own])
    return [reals(rng, *shape), k, wholes(rng, 0, shape[k], *own), given], {}


def gathered(rng: Rng) -> Call:
    shape = lengths(rng, 1)
    k = dim(rng, shape)
    own = list(shape)
    own[k] = int(rng.integers(1, 4))
    return [reals(rng, *shape), k, wholes(rng, 0, shape[k], *own)], {}


def scattered(rng: Rng, value: bool) -> Call:
    shape = lengths(rng, 1)
    k = dim(rng, shape)
    own = list(shape)
    own[k] = 1
    index = wholes(rng, 0, shape[k], *own)
    return [reals(rng, *shape), k, index, 2.5 if value else reals(rng, *own)], {}


def taken(rng: Rng) -> Call:
    shape = lengths(rng, 1)
    k = dim(rng, shape)
    start, end = (int(n) for n in rng.integers(-shape[k], shape[k] + 2, 2))
    return [reals(rng, *shape), k, start, end, int(rng.integers(1, 3))], {}


def written(rng: Rng) -> Call:
    shape = lengths(rng, 1)
    k = dim(rng, shape)
    start, end = sorted(int(n) for n in rng.integers(0, shape[k] + 1, 2))
    step = int(rng.integers(1, 4))
    if step > 1:
        shape = [step * n if j == k % len(shape) else n for j, n in enumerate(shape)]
        start, end = int(rng.integers(0, step)), shape[k]
    whole = reals(rng, *shape)
    part = torch.zeros_like(torch.ops.aten.slice.Tensor(whole, k, start, end, step))
    return [whole, part + reals(rng, *part.shape), k, start, end, step], {}


def convolved(rng: Rng) -> Call:
    count = int(rng.integers(1, 3))
    groups = int(rng.integers(1, 3))
    n, inner, outer = rng.integers(1, 3, 3)
    kernel = [int(k) for k in rng.integers(1, 4, count)]
    length = [int(k) for k in rng.integers(7, 9, count)]
    each = [[int(k) for k in rng.integers(low, 3, count)] for low in (1, 0, 1)]
    bias = reals(rng, outer * groups) if rng.random() < 0.5 else None
    weight = reals(rng, outer * groups, inner, *kernel)
    return [
        reals(rng, n, inner * groups, *length),
        weight,
        bias,
        *each,
        False,
        [0] * count,
        groups,
    ], {}


def pooled(count: int) -> Callable[[Rng], Call]:
    def draw(rng: Rng) -> Call:
        taps, strides = ([int(k) for k in rng.integers(1, 4, count)] for _ in range(2))
        ends = [int(rng.integers(0, k // 2 + 1)) for k in taps]
        batch = [2, 1][: int(rng.integers(1, 3))]
        array = reals(rng, *batch, *(int(n) for n in rng.integers(4, 6, count)))
        return [array, taps, strides if rng.random() < 0.7 else [], ends], {}

    return draw


def padded(rng: Rng) -> Call:
    shape = lengths(rng, 1)
    ends = [int(n) for n in rng.integers(0, 3, 2 * rng.integers(1, len(shape) + 1))]
    return [reals(rng, *shape), ends, float(rng.choice([0, 1.5, -math.inf]))], {}


def norm_of_groups(rng: Rng) -> Call:
    n, g, c, length = (int(k) for k in rng.integers(1, 4, 4))
    one = reals(rng, n, g * c, length + 2)
    return [one, reals(rng, g * c), reals(rng, g * c), n, g * c, length + 2, g, 1e-5], {}


def matrices(rng: Rng, batch: bool, added: bool = False) -> Call:
    b, i, k, j = (int(n) for n in rng.integers(1, 4, 4))
    front = (b,) if batch else ()
    factors = [reals(rng, *front, i, k), reals(rng, *front, k, j)]
    options = {"beta": 2, "alpha": 0.5} if rng.random() < 0.5 and added else {}
    return [*([reals(rng, *some(rng, (*front, i, j)))] if added else []), *factors], options


def raised(rng: Rng) -> Call:
    one, exponent = square(rng), float(rng.choice([0, 1, 2, 3, -1, -2, 0.5, -0.5, 1.5]))
    return [one if exponent.is_integer() else one.abs(), exponent], {}


def conv(rng: Rng, *shapes: Any) -> Call:
    return [reals(rng, *s) if isinstance(s, tuple) else s for s in shapes], {}


def square(rng: Rng) -> Any:
    return reals(rng, *at_least_square(rng))


SPECIAL: dict[str, Callable[[Rng], Call]] = {
    **dict.fromkeys(("view", "_unsafe_view", "view_copy"), reshape),
    **dict.fromkeys(("expand", "expand_copy"), grown),
    **dict.fromkeys(("cat", "concat"), parts),
    "view_as_complex": lambda rng: ([reals(rng, *lengths(rng), 2)], {}),
    "view_as_real": lambda rng: ([torch.view_as_complex(reals(rng, *lengths(rng), 2))], {}),
    "circular_convolution": lambda rng: ([reals(rng, *(s := lengths(rng))), reals(rng, *s)], {}),
    "stack": lambda rng: ([[reals(rng, *(s := lengths(rng))), torch.ones(s)], int(rng.integers(len(s) + 1))], {}),
    "full": lambda rng: ([list(lengths(rng)), float(rng.choice([2, 0.5, -math.inf]))], [{}, {"dtype": torch.complex128}][rng.integers(2)]),
    "scalar_tensor": lambda rng: ([float(rng.choice([2, 0.5, math.inf]))], {}),
    "full_like": lambda rng: ([reals(rng, *lengths(rng)), -2], {}),
    "new_full": lambda rng: ([reals(rng, 2), list(lengths(rng)), -2], {}),
    "fill.Scalar": lambda rng: ([reals(rng, *lengths(rng)), 1.5], {}),
    "fill.Tensor": lambda rng: ([reals(rng, *lengths(rng)), reals(rng)], {}),
    "arange.start_step": lambda rng: ([int(rng.integers(-3, 4)), int(rng.integers(4, 11)), int(rng.integers(1, 4))], {}),
    "eye": lambda rng: ([int(rng.integers(1, 4))], {}),
    "eye.m": lambda rng: ([int(n) for n in rng.integers(1, 4, 2)], {}),
    **{n: (lambda rng: ([(x := square(rng)), [int(k) for k in rng.permutation(x.dim())]], {})) for n in ("permute", "permute_copy")},
    **{n: (lambda rng: ([(x := square(rng)), dim(rng, x.shape), dim(rng, x.shape)], {})) for n in ("transpose.int", "transpose_copy.int")},
    "t": lambda rng: ([reals(rng, *lengths(rng, 0, 3))], {}),
    **{n: (lambda rng: ([(x := square(rng)), dim(rng, x.shape), dim(rng, x.shape[:1])], {})) for n in ("select.int", "select_copy.int")},
    **dict.fromkeys(("slice.Tensor", "slice_copy.Tensor"), taken),
    **{n: (lambda rng: ([(x := square(rng)), 2, dim(rng, x.shape)], {})) for n in ("split.Tensor", "split_copy.Tensor")},
    **{n: (lambda rng: ([reals(rng, 3, 2), [1, 2], 0], {})) for n in ("split_with_sizes", "split_with_sizes_copy")},
    "roll": lambda rng: ([square(rng), [int(rng.integers(-3, 4))], [-1]], {}),
    "repeat": lambda rng: ([square(rng), [int(n) for n in rng.integers(1, 3, 4)]], {}),
    **{n: (lambda rng: ([square(rng), int(rng.integers(-2, 3))], {})) for n in ("tril", "triu")},
    **{n: (lambda rng: ([square(rng), int(rng.integers(-1, 2)), -2, -1], {})) for n in ("diagonal", "diagonal_copy")},
    "unfold": lambda rng: ([reals(rng, 2, 7), -1, int(rng.integers(1, 4)), int(rng.integers(1, 3))], {}),
    "constant_pad_nd": padded,
    **dict.fromkeys(("index.Tensor", "_unsafe_index.Tensor"), indexed),
    "index_select": lambda rng: ([(x := square(rng)), (k := dim(rng, x.shape)), wholes(rng, 0, x.shape[k], 3)], {}),
    "embedding": lambda rng: ([reals(rng, 3, 2), wholes(rng, 0, 3, *lengths(rng, 0, 3))], {}),
    "gather": gathered,
    "select_scatter": lambda rng: ([(x := square(rng)), torch.zeros_like(x.select(1, 0)) + 2, 1, int(rng.integers(-x.shape[1], x.shape[1]))], {}),
    "slice_scatter": written,
    **dict.fromkeys(("index_put", "_unsafe_index_put"), put),
    "scatter_add": added,
    "scatter.value": lambda rng: scattered(rng, True),
    "scatter.src": lambda rng: scattered(rng, False),
    "empty.memory_format": lambda rng: ([[2]], {}),
    "new_empty": lambda rng: ([reals(rng, 2), [2]], {}),
    "empty_strided": lambda rng: ([[2], [1]], {}),
    "empty_permuted": lambda rng: ([[2], [0]], {}),
    "mm": lambda rng: matrices(rng, False),
    "bmm": lambda rng: matrices(rng, True),
    "addmm": lambda rng: matrices(rng, False, True),
    "baddbmm": lambda rng: matrices(rng, True, True),
    "mv": lambda rng: conv(rng, (2, 3), (3,)),
    "addmv": lambda rng: conv(rng, (2,), (2, 3), (3,)),
    **dict.fromkeys(("dot", "vdot"), lambda rng: conv(rng, (3,), (3,))),
    "convolution": convolved,
    "avg_pool2d": pooled(2),
    "avg_pool3d": pooled(3),
    "linalg_solve_triangular": solving,
    "triangular_solve": lambda rng: system(rng, names=("upper", "transpose", "unitriangular"), swapped=True),
    "native_layer_norm": lambda rng: ([(x := square(rng)), list(x.shape[-1:]), reals(rng, x.shape[-1]), None, 1e-5], {}),
    "native_group_norm": norm_of_groups,
    "native_dropout": lambda rng: ([square(rng), 0.5, False], {}),
    "_softmax": lambda rng: ([(x := square(rng)), dim(rng, x.shape), False], {}),
    "_log_softmax": lambda rng: ([(x := square(rng)), dim(rng, x.shape), False], {}),
    "linalg_vector_norm": lambda rng: ([(x := square(rng)), float(rng.choice([0, 1, 2, 3, 2.5, -1, math.inf, -math.inf])), [dim(rng, x.shape)], bool(rng.integers(2))], {}),
    "_to_copy": lambda rng: ([reals(rng, *lengths(rng))], {"dtype": [torch.bool, torch.int64, torch.float64, torch.complex128][rng.integers(4)]}),
    "div.Tensor_mode": lambda rng: ([square(rng), reals(rng)], {"rounding_mode": [None, "floor", "trunc"][rng.integers(3)]}),
    "div.Scalar_mode": lambda rng: ([square(rng), 2], {"rounding_mode": [None, "floor", "trunc"][rng.integers(3)]}),
    "pow.Tensor_Scalar": raised,
    "pow.Tensor_Tensor": lambda rng: conv(rng, reals(rng, 2, 3).abs() + 0.25, reals(rng, 3)),
    "pow.Scalar": lambda rng: ([float(rng.choice([2, 0.5, 3])), reals(rng, *lengths(rng))], {}),
    "gelu": lambda rng: ([reals(rng, *lengths(rng))], {"approximate": ["none", "tanh"][rng.integers(2)]}),
    "lift_fresh_copy": lambda rng: ([square(rng)], {}),
    "contiguous": lambda rng: ([square(rng)], {}),
    "round.decimals": lambda rng: ([square(rng)], {"decimals": 0}),
    **{n: (lambda rng: ([reals(rng, *(s := lengths(rng))), reals(rng, *some(rng, s)), reals(rng, *some(rng, s)) + 1], {})) for n in ("clamp.Tensor",)},
}  # fmt: skip
WITHOUT_VALUE = ("_safe_softmax", "xlogy.Tensor", "xlogy.Scalar_Self", "xlogy.Scalar_Other")
"""PyTorch has 0 where a row is −∞ alone, and for 0 log 0; the nodes divide by 0 there, or have log 0, which a condition of
the statement rules out."""
UNKNOWN = ("empty.memory_format", "new_empty", "empty_strided", "empty_permuted")
"""Of what these return nothing is known."""


def operation(name: str) -> Any:
    if f"{name}.default" == CONVOLUTION:
        return convolution()._opoverload
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def exists(name: str) -> bool:
    try:
        operation(name)
    except AttributeError:
        return False
    return True


def lowered(
    name: str, call: Call, infinite: Any, apart: bool = False
) -> tuple[list[Any], list[Any]]:
    """What PyTorch computes, and what the nodes do that the rule makes, entry by entry too if wanted."""
    graph = torch.fx.Graph()
    given: list[Any] = []
    inputs: dict[str, Any] = {}

    def placed(value: Any) -> Any:
        if isinstance(value, list):
            return [placed(one) for one in value]
        if not isinstance(value, torch.Tensor):
            return value
        called = f"x{len(inputs)}"
        inputs[called] = in_parts(value)
        node = nodes.Input(called, tuple(in_parts(value).shape), format_of(value.dtype))
        odd = None
        if infinite is not None and not given and value.is_floating_point():
            at = infinite.expand(value.shape)
            inputs["where"] = at.double()
            where = nodes.Input("where", tuple(value.shape), format_of(torch.bool))
            odd = Odd(-math.inf, where)
        given.append(Value(node, value.dtype, odd))
        return graph.placeholder(called)

    args = placed(call[0])
    made = graph.call_function(operation(name), tuple(args), placed_kwargs(call[1], placed))
    graph.output(made)
    real = list(call[0])
    if infinite is not None and real[0].is_floating_point():
        real[0] = torch.where(infinite, -math.inf, real[0])
    try:
        wanted = operation(name)(*real, **call[1])
    except (RuntimeError, IndexError) as error:  # no such call, which PyTorch says itself
        raise Refused(str(error)) from error
    made.meta["val"] = wanted
    lowering = Lowering(torch.fx.GraphModule({}, graph), Sizes({}), given, Notes(), Writes())
    found = lowering.outputs()
    floats = Floats({}, {k: v.double().numpy() for k, v in inputs.items()})
    values = []
    for one in found:
        if one is None:
            values.append(None)
            continue
        array = np.asarray(floats(one.node), float)
        if apart:
            by_entries(one.node, {}, floats.inputs)
        if one.odd is not None:
            array = np.where(floats(one.odd.where) == 1, one.odd.number, array)
        values.append(array)
    return values, list(wanted) if isinstance(wanted, list | tuple) else [wanted]


def placed_kwargs(given: dict[str, Any], placed: Callable[[Any], Any]) -> dict[str, Any]:
    return {k: placed(v) for k, v in given.items()}


def in_parts(tensor: Any) -> Any:
    """A complex tensor with its real and its imaginary parts along a last axis."""
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def name_in_table(name: str) -> str:
    return name.removesuffix(".default")


@pytest.mark.short(3)
@pytest.mark.parametrize(("draws", "fewest"), DRAWS)
@pytest.mark.parametrize("name", [name_in_table(n) for n in RULES if exists(name_in_table(n))])
def test_an_operation_is_what_pytorch_computes(name, draws, fewest):
    rng = np.random.default_rng(len(name))
    done, why = 0, ""
    for draw in range(draws):
        call = SPECIAL[name](rng) if name in SPECIAL else drawn(name, rng)
        first = next((a for a in call[0] if isinstance(a, torch.Tensor)), None)
        infinite = None
        if draw % 5 == 4 and call[0] and call[0][0] is first and first is not None:
            infinite = truths(rng, *first.shape)
        try:
            with np.errstate(all="ignore"):
                found, wanted = lowered(name, call, infinite, apart=draw % 4 == 0)
        except Refused as refused:
            why = str(refused)
            continue
        done += infinite is None
        if name in UNKNOWN:
            continue
        for one, other in zip(found, wanted, strict=False):
            if one is None:
                continue
            theirs = in_parts(other).double().numpy()
            assert one.shape == theirs.shape, (name, call)
            if name in WITHOUT_VALUE:
                theirs = np.where(np.isnan(one), np.nan, theirs)
            seen = ~np.isnan(theirs) if infinite is not None else np.isfinite(theirs)
            np.testing.assert_allclose(
                one[seen], theirs[seen], rtol=1e-9, atol=1e-9, err_msg=f"{call}"
            )
    assert done >= fewest, why


def test_every_rule_is_of_an_operation_of_pytorch():
    assert [name for name in RULES if not exists(name_in_table(name))] == []


@pytest.mark.parametrize(
    ("name", "call", "words"),
    [
        (
            "bitwise_and.Tensor",
            ([torch.tensor([3]), torch.tensor([5])], {}),
            "bits of whole numbers",
        ),
        ("round.decimals", ([torch.ones(2)], {"decimals": 2}), "a rounding to decimals"),
        ("mul.Tensor", ([torch.ones(2), torch.tensor([0.0, 1.0])], {}), "∞ with what may be 0"),
        ("cummax", ([torch.ones(0), 0], {}), "there may be none"),
        ("sort", ([torch.ones(2)], {}), "it has no rule"),
        ("topk", ([torch.ones(2), 1], {}), "it has no rule"),
    ],
)
def test_what_a_rule_does_not_bind_is_refused_by_its_name(name, call, words):
    infinite = torch.tensor([True, False]) if name == "mul.Tensor" else None
    with pytest.raises(Refused, match=rf"^aten\.{name.split('.')[0]}.*{words}"):
        lowered(name, call, infinite)
