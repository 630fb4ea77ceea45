"""PyTorch traces a function itself: at example sizes that stand for symbols, with what it asked of them kept.

A trace holds for the formats of its inputs, its device and its gradient mode. That what a function asks of sizes has
one answer at all of them is checked here; sizes 0 and 1 are no special cases of the tracer's.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from types import CodeType
from typing import Any, NamedTuple

from ...interpret.questions import place, raised_at
from ...statement import binding
from ...statement.order import nonnegative
from ...statement.whole import Number, Position, Size, Whole, at, spelled, whole
from ..caught import errors_seen
from ..refused import Depends
from . import texts
from .complex_numbers import by_parts
from .constants import staying
from .indexing import lines
from .lowering import SIZES
from .memory import Shared
from .raising import Asked, asked_of_sizes, going_on
from .refusal import Decided, Refused, beside, torch
from .sizes import Sizes, Unsaid, examples
from .table import RULES
from .validity import taken_as_valid


class Given(NamedTuple):
    """An input: its shape in sizes, and PyTorch's format."""

    shape: tuple[Number, ...]
    dtype: Any


@dataclass(frozen=True)
class Traced:
    """What PyTorch made of a function."""

    graph: Any
    sizes: Sizes
    tree: Any
    """How its outputs are nested."""
    formats: tuple[str, ...]
    """The formats of its inputs, for which it holds."""
    places: tuple[Position | None, ...]
    """Further inputs: arrays that are longer by 1 than the number of a turn, this position; None where unused."""
    at_one: frozenset[str]
    """Sizes of which PyTorch itself asked whether they are 1; there the graph is to be compared with the function."""
    taken: tuple[str, ...]
    """What is taken for granted, in words."""


def numbers_in(code: CodeType) -> Iterator[int]:
    """The whole numbers in a function's code, and in that of functions inside it."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from numbers_in(one)
        for number in one if isinstance(one, tuple) else (one,):
            if type(number) is int:
                yield abs(number)


def example_sizes(given: Sequence[Given], numbers: set[int]) -> dict[str, int]:
    """Numbers for the sizes that make different lengths different, and none a number of the source."""
    lengths = list(dict.fromkeys(n for one in given for n in one.shape))
    sizes = {
        s.name: s for n in lengths if isinstance(n, Whole) for s in n.symbols if isinstance(s, Size)
    }
    least = {name: one.least for name, one in sizes.items()}
    for found in examples(sorted(sizes), least, numbers):
        values = [_number(n, found) for n in lengths]
        symbolic = {v for n, v in zip(lengths, values, strict=True) if isinstance(n, Whole)}
        if len(set(values)) == len(values) and symbolic.isdisjoint(numbers):
            return found
    raise Refused("there are too many sizes, or numbers in the source, to tell them apart")


def _number(length: Number, sizes: Mapping[str, int]) -> int:
    return at(length, lambda symbol: sizes[getattr(symbol, "name", "")])


def example_inputs(given: Sequence[Given], sizes: dict[str, int]) -> list[Any]:
    """Tensors of these sizes."""
    t = torch()
    found = []
    generator = t.Generator().manual_seed(0)
    for one in given:
        shape = [_number(n, sizes) for n in one.shape]
        if one.dtype.is_floating_point or one.dtype.is_complex:
            tensor = t.rand(shape, generator=generator, dtype=t.float64).to(one.dtype)
        else:
            tensor = t.randint(0, 2, shape, generator=generator).to(one.dtype)
        found.append(tensor)
    return found


@dataclass
class Turns:
    """Symbols for the numbers of turns: `symbols` are handed out, and `used` says of how many turns each is."""

    symbols: list[Any]
    used: list[tuple[Any, Any, Any]]
    shared: Shared
    """What turns make share memory."""


def trace(
    function: Callable[..., Any],
    given: Sequence[Given],
    numbers: set[int],
    turns: Turns | None = None,
    most: int = 0,
) -> Traced:
    """The graph of a function on tensors of these shapes and formats, as it goes on where it may raise instead.

    Args and errors are those of `_trace`.
    """

    def once() -> Traced:
        return _trace(function, given, numbers, turns, most)

    try:
        return once()
    except Asked as error:
        asked = error
    sizes = example_sizes(given, numbers)

    def run(more: int) -> Any:
        return function(*example_inputs(given, {n: value + more for n, value in sizes.items()}))

    found, taken = going_on(once, [partial(run, more) for more in range(2)], asked)
    return replace(found, taken=(*found.taken, *taken))


def _trace(
    function: Callable[..., Any],
    given: Sequence[Given],
    numbers: set[int],
    turns: Turns | None,
    most: int,
) -> Traced:
    """The graph of a function on tensors of these shapes and formats.

    Args:
        function: of tensors.
        given: its inputs.
        numbers: those of the source, which no example size may be.
        turns: where loops over sizes find the numbers of their turns.
        most: how many of these there may be.

    Raises:
        Refused: if it cannot be traced.
        Decided: if it asks something of sizes that holds at some of them only.
    """
    t = torch()
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch._subclasses.functional_tensor import dispatch_functionalize
    from torch.fx import traceback
    from torch.fx.experimental import _config
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.fx.experimental.symbolic_shapes import DimDynamic as D
    from torch.utils import _pytree

    for n in dict.fromkeys(n for one in given for n in one.shape):
        if not nonnegative(n - 1):  # PyTorch takes for granted that a size is no 0
            raise Decided(f"it takes {spelled(n)} ≥ 1", f"{spelled(n)} ≥ 1", n - 1, "≥ 0")
    sizes = example_sizes(given, numbers)
    env = _questions()
    mode = FakeTensorMode(shape_env=env, allow_non_fake_inputs=True)
    trees: list[Any] = []
    shared = Shared() if turns is None else turns.shared
    refusals: list[Refused] = []
    """What the program did that is not read, though it may have caught the error."""
    taken: set[str] = set()

    def flat(*tensors: Any) -> Any:
        shared.clear()
        if turns is not None:
            turns.symbols[:] = [one.shape[0] - 1 for one in tensors[len(given) :]]
            turns.used.clear()
            tensors = tensors[: len(given)]
        with by_parts(refusals, shared), errors_seen(beside()):
            leaves, tree = _pytree.tree_flatten(function(*tensors))
        trees.append(tree)
        return [one for one in leaves if one is not None]

    with ExitStack() as entered:
        entered.enter_context(_config.patch(backed_size_oblivious=True))  # type: ignore[attr-defined]
        entered.enter_context(_settings())
        entered.enter_context(taken_as_valid(taken))
        inputs = [
            _fake(mode, tensor, [D.DUCK if isinstance(n, Whole) else D.STATIC for n in one.shape])
            for tensor, one in zip(example_inputs(given, sizes), given, strict=True)
        ]
        places = [_fake(mode, t.empty(3 + k % 4), [D.DYNAMIC]) for k in range(most)]
        functional = dispatch_functionalize(flat)
        try:
            with (
                traceback.preserve_node_meta(),
                staying(),
                lines(),
                texts.closed(refusals),
            ):
                graph = make_fx(
                    functional, tracing_mode="symbolic", decomposition_table=_decompositions()
                )(*inputs, *places)
        except RecursionError:
            raise
        except Refused as error:
            raise (refusals or [error])[0] from None
        except Exception as error:
            raise (refusals or [_in_words(error)])[0] from error
    if refusals:
        raise refusals[0]
    known = _symbols(inputs, given)
    loops = _of_turns(known, turns.used) if turns is not None else {}
    positions = [loops.get(one.shape[0].node._expr) for one in places]
    try:
        at_one = _expect_all_sizes(env, known)
    except Decided as error:
        error.loops = {loops[s.node._expr + 1]: loop for s, _, loop in turns.used} if turns else {}
        raise
    for one in _nodes(graph):
        if str(one.target).startswith("aten._local_scalar_dense"):
            raise Asked(one.meta.get("stack_trace") or "")
    formats = tuple(str(one.dtype).removeprefix("torch.") for one in given)
    return Traced(
        graph, known, trees[-1], formats, tuple(positions), frozenset(at_one), tuple(taken)
    )


def _of_turns(known: Sizes, used: Sequence[tuple[Any, Any, Any]]) -> dict[Any, Position]:
    """The positions that numbers of turns are, by PyTorch's symbols; `known` learns them."""
    found: dict[Any, Position] = {}
    for symbol, length, _ in used:
        try:
            turns = known.of(length)
        except Unsaid as error:
            said = f"a loop with {known.texts(error)} turns"
            number, by = known.hinge(error.expr)
            raise Refused(said, number if number is None else Depends(number, by)) from error
        time = binding.fresh(0, turns)
        found[symbol.node._expr + 1] = time
        known.known[symbol.node._expr + 1] = whole(time) + 1
    return found


def _fake(mode: Any, tensor: Any, kinds: Sequence[Any]) -> Any:
    """The tensor without numbers, for each length what PyTorch makes of it."""
    from torch.fx.experimental.symbolic_shapes import StatelessSymbolicContext

    context = StatelessSymbolicContext(dynamic_sizes=list(kinds))
    return mode.from_tensor(tensor, symbolic_context=context)


@cache
def _decompositions() -> dict[Any, Any]:
    """PyTorch's own, for operations without a rule; it takes longer to look for them than to trace.

    Those that draw, and those that write into an argument, are PyTorch's to treat otherwise.
    """
    from torch._decomp import core_aten_decompositions, decomposition_table

    drawing = torch().Tag.nondeterministic_seeded

    def is_for_parts(operation: Any) -> bool:
        return (
            hasattr(operation, "_opname")
            and not has_rule(operation)
            and not operation._opname.endswith("_")
            and drawing not in operation.tags
        )

    def has_rule(operation: Any) -> bool:
        name = f"{operation._opname}.{operation._overloadname}"
        return name in RULES or name in SIZES

    others = {one: made for one, made in decomposition_table.items() if is_for_parts(one)}
    core = core_aten_decompositions().items()
    return {**others, **{one: made for one, made in core if not has_rule(one)}}


@contextmanager
def _settings() -> Iterator[None]:
    """Attention by its formula, and functions as they are written where they are compiled."""
    t = torch()
    from torch.nn.attention import SDPBackend, sdpa_kernel

    quiet = logging.getLogger("torch._subclasses.fake_tensor")  # its errors come out as ours
    before = quiet.level
    quiet.setLevel(logging.CRITICAL + 1)
    try:
        einsum = t.backends.opt_einsum.flags(
            enabled=False
        )  # whose order of products asks for numbers
        with ExitStack() as entered:
            entered.enter_context(sdpa_kernel(SDPBackend.MATH))
            entered.enter_context(einsum)
            entered.enter_context(_inference_as_no_grad())
            if "torch._dynamo" in sys.modules:  # else nothing is compiled, and it takes seconds
                entered.enter_context(t.compiler.set_stance("force_eager"))
            yield
    finally:
        quiet.setLevel(before)


@contextmanager
def _inference_as_no_grad() -> Iterator[None]:
    """In inference mode tensors have no versions, by which writes are followed: it takes no gradients, as `no_grad`."""
    t = torch()
    mode = t.inference_mode

    def enter(self: Any) -> None:
        self.beside = t.no_grad() if self.mode else nullcontext()
        self.beside.__enter__()

    def leave(self: Any, *error: Any) -> None:
        self.beside.__exit__(*error)

    before = mode.__enter__, mode.__exit__
    mode.__enter__, mode.__exit__ = enter, leave
    try:
        yield
    finally:
        mode.__enter__, mode.__exit__ = before


def _in_words(error: Exception) -> Refused:
    """What went wrong while PyTorch traced, in one line."""
    where, name = raised_at(error, beside()), type(error).__name__
    said = (str(error).strip().splitlines() or [""])[0]
    if "DataDependent" in name or "data-dependent" in said:
        return Asked(where)
    if "not tracked with proxy" in said:
        return Refused(f"the number of a turn is used after its loop{where}; use the size itself")
    return Refused(f"it fails as PyTorch traces it: {name}{where}: {said}")


def _symbols(inputs: Sequence[Any], given: Sequence[Given]) -> Sizes:
    known: dict[Any, Number] = {}
    for tensor, one in zip(inputs, given, strict=True):
        for theirs, ours in zip(tensor.shape, one.shape, strict=True):
            node = getattr(theirs, "node", None)
            if node is not None:
                known[node._expr] = ours  # the symbol itself, whatever the trace took it for
    return Sizes(known)


def _questions() -> Any:
    """PyTorch's record of what is asked of sizes, which keeps who asked: `asked` has the line, and "torch" or "user".

    Which kernel and memory layout PyTorch takes changes no number, and is no question; nor is whether a loop has a
    turn: one without leaves what it begins with.
    """
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    folders = beside()
    answering = tuple(folders[0] + part for part in ("fx" + os.sep, "__init__.py", "_subclasses"))
    operators = folders[0] + "__init__.py"
    kernels = tuple(
        folders[0] + os.path.join(*path)
        for path in (
            ("_subclasses", "fake_impls.py"),
            ("_higher_order_ops", "scan.py"),
            ("_higher_order_ops", "utils.py"),
        )
    )

    class Questions(ShapeEnv):
        asked: dict[int, tuple[str, str]]

        def _get_user_frame(self) -> None:
            """The line for messages of PyTorch's, none of which is shown: to tell it, torch imports its compiler."""

        def evaluate_expr(self, *args: Any, **options: Any) -> Any:
            who = asking()
            if who == "kernel":
                with self.suppress_guards():
                    return super().evaluate_expr(*args, **options)
            count = len(self.guards)
            found = super().evaluate_expr(*args, **options)
            if len(self.guards) > count:
                asked_of_sizes()
                self.asked[len(self.guards) - 1] = place(folders), who
            return found

    def asking() -> str:
        """Whose question it is: a user asks by Python's operators on sizes, which call PyTorch; the rest is its own."""
        frame: Any = sys._getframe(2)
        codes = []
        while frame is not None and frame.f_code.co_filename.startswith(folders):
            codes.append(frame.f_code)
            frame = frame.f_back
        asker = next((c.co_name for c in codes if not c.co_filename.startswith(answering)), "")
        if asker == "meta_copy_" or any(c.co_filename in kernels for c in codes):
            return "kernel"
        return "user" if codes and codes[-1].co_filename == operators else "torch"

    env = Questions(specialize_zero_one=False, duck_shape=True)
    env.asked = {}
    return env


def _expect_all_sizes(env: Any, known: Sizes) -> set[str]:
    """Refuse where what was asked of sizes does not hold at all of them.

    Whether a length is 1, where PyTorch itself asks, is most often whether it has to be repeated: the names of such
    sizes are handed back, to look at 1.

    Raises:
        Decided: for the first such.
    """
    every = [(guard.expr, *env.asked.get(n, ("", "user"))) for n, guard in enumerate(env.guards)]
    for found in env.deferred_runtime_asserts.values():
        every += [(one.expr, "", "user") for one in found]
    at_one: set[str] = set()
    for expr, where, who in every:
        if known.holds(expr):
            continue
        if any(s not in known.known for s in expr.free_symbols):
            raise Refused(f"a condition on a number of an array{where}: {expr}")
        try:
            number, relation = known.relation(expr)
        except Unsaid:
            number, relation = None, ""
        gap = number if number is None or relation != "≥ 0" else number + 1
        if who == "torch" and relation != "= 0" and isinstance(gap, Whole) and _is_of_ones(gap):
            at_one |= {s.name for s in gap.symbols if isinstance(s, Size)}
            continue
        text = known.texts(expr)
        question = f"it asks whether {text}"
        if relation == "= 0" and number is not None:
            question = f"it asks for the number that {_asked_for(number)} is"
        message = f"{question}{where}, which depends on the sizes"
        by = None
        if number is None:
            number, by = known.hinge(expr)
        raise Decided(message, text, number, relation, by)
    for symbol, expr in env.replacements.items():
        if symbol in known.known and known.said(expr) != known.known[symbol]:
            number = known.known[symbol] - known.said(expr)
            text = known.texts(f"{symbol} = {expr}")
            raise Decided(f"it takes {text}", text, number, "= 0")
    for symbol, ends in env.var_to_range.items():
        if symbol in known.known:
            number = known.known[symbol]
            names = (
                {getattr(s, "name", "") for s in number.symbols}
                if isinstance(number, Whole)
                else {""}
            )
            _expect_range(number, ends, names <= at_one)
    return at_one


def _asked_for(number: Number) -> str:
    """A number of sizes without the constant that it was found to be."""
    known = at(number, lambda symbol: 0)
    return spelled(number - known)


def _is_of_ones(number: Whole) -> bool:
    """Whether a number is never below 0: then it is 0 only where sizes are 1."""
    return not number.free and nonnegative(number)


def _expect_range(number: Number, ends: Any, seen_at_one: bool) -> None:
    low, high = ends.lower, ends.upper
    for end, gap in ((low, 1), (high, -1)):
        if not getattr(end, "is_Integer", False) or (gap > 0 and seen_at_one and end == 2):
            continue
        left = (number - int(end)) * gap
        if not nonnegative(left):
            text = f"{number!r} {'≥' if gap > 0 else '≤'} {end}"
            raise Decided(f"it asks for {text}", text, left, "≥ 0")


def _nodes(graph: Any) -> Iterator[Any]:
    """The operations of a graph, and of those inside it."""
    yield from graph.graph.nodes
    for inner in graph.children():
        if hasattr(inner, "graph"):
            yield from _nodes(inner)
