"""A JAX function as nodes: of arrays that a claim has, or of new inputs, as a side of an equation of two programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scanproof.constructs.errors import UsageError

from ...language.libraries import jax as jax_for
from ...language.sizes import dimensions, names
from ...statement.errors import IllFormed
from ...statement.formats import REAL
from ...statement.nodes import Held, Input, Node
from ...statement.statement import Fit, Relation, Statement, relation
from ...statement.whole import Number, Size, whole
from ..infinities import Value
from ..outputs import Path, key, matched, said
from ..refused import Refused
from .equations import equations
from .lowering import Lowering
from .table import RULES
from .tracing import Given, Traced, traced
from .transforms import turned
from .values import Array, Complex, Transform


class Pair(NamedTuple):
    """A complex result as two real ones: nodes, or what they come to."""

    real: Any
    imag: Any


EFFORT, OF_EACH = 2_500, 10
"""As how many operations modulo a prime a trace counts where sizes are tried, and each equation in it besides."""


@dataclass(frozen=True)
class Lowered:
    """A program as nodes."""

    outputs: Any
    """The nodes, nested as the function nests its results."""
    taken: tuple[str, ...]
    """What is taken for granted, in words."""
    fits: tuple[Fit, ...]
    """What has to hold of the sizes for whole numbers to fit their type."""
    obligations: tuple[Relation, ...]
    """Equations that have to hold for the nodes to be what the program computes."""
    format: str
    """The format of real inputs that it was traced in: the first that it takes of float64, float32, and others."""
    function: Callable[..., Any]
    """The program itself."""
    inputs: tuple[Given, ...]
    """The shapes and formats of its arguments."""
    effort: int
    """As how many operations modulo a prime its trace counts where sizes are tried."""
    apart: tuple[Number, ...] = ()
    """Differences of lengths that JAX took for unequal, and that are 0 at some sizes."""

    def each(self, make: Callable[[Node], Any]) -> Any:
        """The results with something else for each node; a complex one is a pair of real ones."""
        return jax_for("a program").tree.map(make, self.outputs)


def lowered(function: Callable[..., Any], arguments: Sequence[Node]) -> Lowered:
    """A function of JAX arrays, on these arrays.

    Raises:
        Refused: if it does not trace with symbols for sizes, or has a primitive that is not read; with the line.
    """
    given = tuple(Given(one.shape, _format(one)) for one in arguments)
    return _lowered(function, traced(function, given), given, arguments)


def _format(node: Node) -> Any:
    return node.format if isinstance(node, Input | Held) else REAL


def _lowered(
    function: Callable[..., Any],
    found: Traced,
    given: tuple[Given, ...],
    arguments: Sequence[Node],
) -> Lowered:
    pairs = zip(arguments, found.jaxpr.jaxpr.invars, strict=True)
    inputs = [Value(node, v.aval.dtype) for node, v in pairs]
    try:  # numbers far below 0 that a mask selects are for exponentials, and else are numbers
        at = Lowering(RULES, found.dimensions, masks=True)
        leaves = _leaves(at, found, inputs)
    except Refused:
        at = Lowering(RULES, found.dimensions)
        leaves = _leaves(at, found, inputs)
    nested = jax_for("a program").tree.unflatten(found.tree, leaves)
    obligations = [relation("equal", a, b, label=(what,)) for a, b, what in at.obligations]
    form = found.format.name
    lost = at.domains.lost(n for one in leaves for n in (one if isinstance(one, Pair) else [one]))
    taken, fits = tuple(dict.fromkeys([*at.taken, *lost])), tuple(at.fits)
    effort = EFFORT + OF_EACH * sum(1 for _ in equations(found.jaxpr))
    owed = tuple(obligations)
    return Lowered(nested, taken, fits, owed, form, function, given, effort, found.apart)


def _leaves(at: Lowering, found: Traced, inputs: Sequence[Value]) -> list[Any]:
    return list(map(_node, at.run(found.jaxpr, inputs)))


def _node(one: Array) -> Any:
    if isinstance(one, Transform) and one.half:
        raise Refused("half a Fourier transform is returned; return what its inverse makes of it")
    if isinstance(one, Transform):
        one = turned(one.of, one.axis, one.of.shape[one.axis], -1)
    if isinstance(one, Complex):
        return Pair(one.real.real, one.imag.real)
    return one.real


class Written(NamedTuple):
    """What `equation` makes of two programs."""

    statement: Statement
    formats: tuple[str, str]
    """Those of the inputs of both."""


def equation(
    program: Callable[..., Any],
    specification: Callable[..., Any],
    shapes: Mapping[str, str],
    sizes: Mapping[str, int] | None = None,
    name: str = "program",
) -> Written:
    """The statement that two programs are equal at all sizes.

    Args:
        program: a function of JAX arrays.
        specification: another one.
        shapes: those of the arguments in letters for sizes, "T d", by the arguments' names.
        sizes: the least of each; 1 if it is not given.
        name: the statement's.

    Raises:
        Refused: if one of them is not read.
        UsageError: if they return different numbers of arrays.
    """
    least = dict.fromkeys(names(list(shapes.values())), 1) | dict(sizes or {})
    symbols = {n: Size(n, low) for n, low in least.items()}
    known = {n: whole(one) for n, one in symbols.items()}
    inputs = {n: Input(n, tuple(dimensions(text, known))) for n, text in shapes.items()}
    both = [lowered(one, list(inputs.values())) for one in (program, specification)]
    found, wanted = (leaves(one.outputs) for one in both)
    if len(found) != len(wanted):
        raise UsageError(f"{name}: they return {len(found)} and {len(wanted)} arrays.")
    order = matched(name, *([path for path, _ in one] for one in (found, wanted)))
    relations: list[Relation] = []
    for (one, left), k in zip(found, order, strict=True):
        label = said(one) or said(wanted[k][0])
        try:
            relations.append(relation("equal", left, wanted[k][1], label=(label,) if label else ()))
        except IllFormed as error:
            raise Refused(str(error)) from error
    owed = dict.fromkeys(one for side in both for one in side.obligations)
    taken = dict.fromkeys(text for side in both for text in side.taken)
    fits = dict.fromkeys(one for side in both for one in side.fits)
    statement = Statement(
        name,
        tuple(symbols.values()),
        tuple(inputs.values()),
        tuple(relations),
        assumed=tuple(taken),
        owed=tuple(owed),
        fits=tuple(fits),
    )
    return Written(statement, (both[0].format, both[1].format))


def leaves(outputs: Any) -> list[tuple[Path, Any]]:
    """Each node of nested results, with where it lies."""
    found, _ = jax_for("a program").tree_util.tree_flatten_with_path(outputs)
    return [(tuple(map(key, path)), leaf) for path, leaf in found]
