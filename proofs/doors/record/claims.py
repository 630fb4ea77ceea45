"""Recording a claim: its parameters and body are run once, and what they did is the statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from scanproof.constructs.arrays.scan import map_leaves
from scanproof.constructs.errors import UsageError, text_of

from ...exact.mutation import paths
from ...language import statements as said
from ...language.calls import call
from ...language.claim import Claim
from ...language.conditions import as_bounds
from ...language.place import short
from ...language.sizes import dimensions
from ...statement.binding import following
from ...statement.errors import IllFormed
from ...statement.nodes import Input, Parameter
from ...statement.statement import Hypothesis, Relation, Statement, relation
from ...statement.whole import Size, whole
from ..refused import Refused
from .array import Recorded, array
from .length import Length, number_of
from .namespace import Namespace
from .python import written_out
from .recording import Limits, Recording, Turns, recording, refusal

KINDS = {kind: name for name, kind in said.KINDS.items()}
FOR_NUMBERS = (TypeError, ValueError, AttributeError, IndexError, ArithmeticError, IllFormed)
"""What a condition raises that branches on its numbers, where it is called with symbols."""


def record(
    claim: Claim,
    sizes: Mapping[str, int] | None = None,
    programs: list[Any] | None = None,
    before: Sequence[Any] = (),
) -> Statement:
    """The claim's statement, for all sizes, or at these.

    Args:
        claim: the claim.
        sizes: numbers that stand for its sizes.
        programs: a list, to which the programs of JAX that its body calls are added (`doors.jaxpr.programs.Lowered`).
        before: those of an earlier recording, where it is only looked at which way the body goes: none is traced again.

    Raises:
        Refused: if it cannot be recorded, with the line that is in the way.
    """
    symbols = _symbols(claim)
    known: Any = sizes or {name: Length(whole(size)) for name, size in symbols.items()}
    inputs = _inputs(claim, known)
    with recording(Recording(numbers=sizes is not None, before=before)) as made:
        values = {**{n: Recorded(one) for n, one in inputs.items()}, **known, "xp": Namespace()}
        parameters, leaves = _marked(claim.construct(values))
        every = [_relation(one) for one in claim.statements(values, parameters)]
        relations = _one_turn(made.loops, every)
    with following(made.steps):
        closed = [_closed(one, made.loops) for one in relations]
    if programs is not None:
        programs += made.programs
    owed = dict.fromkeys(one for program in made.programs for one in program.obligations)
    return Statement(
        claim.id,
        () if sizes else tuple(symbols.values()),
        tuple(inputs.values()),
        tuple(closed),
        tuple(_hypotheses(claim, known, inputs, sizes is not None)),
        tuple(leaves),
        tuple(sizes.items()) if sizes else (),
        assumed=tuple(dict.fromkeys(text for one in made.programs for text in one.taken)),
        owed=tuple(owed),
        fits=tuple(dict.fromkeys(fit for one in made.programs for fit in one.fits)),
        steps=tuple(made.steps.items()),
    )


def inputs(claim: Claim, sizes: Mapping[str, int] | None = None) -> list[Input]:
    """The claim's arrays, for all sizes, or at these."""
    known = sizes or {name: Length(whole(size)) for name, size in _symbols(claim).items()}
    return list(_inputs(claim, known).values())


def _symbols(claim: Claim) -> dict[str, Size]:
    return {name: Size(name, min(values)) for name, values in claim.ranges.items()}


def _inputs(claim: Claim, known: Mapping[str, Any]) -> dict[str, Input]:
    """An array for each name; `known` has numbers or symbols for sizes."""
    shapes = {
        name: tuple(map(number_of, dimensions(text, known))) for name, text in claim.given.items()
    }
    return {name: Input(name, shape) for name, shape in shapes.items()}


def limits(claim: Claim, sizes: Mapping[str, int]) -> Statement:
    """What a claim about limits says at these sizes: each part's left side comes near its right one ("approaches").

    It is shown, and nothing is proved of it: an argument about limits asks for parts as it goes (`approached`).

    Raises:
        Refused: if it cannot be recorded, or says something else as well.
    """
    with approached(claim, sizes) as found:
        every = [(name, make()) for one in found for name, make in one.parts.items()]
        relations = tuple(
            relation(
                "approaches", array(part.left).node, array(part.right).node, (), _name(name, part)
            )
            for name, part in every
        )
    return Statement(
        claim.id,
        (),
        tuple(_inputs(claim, sizes).values()),
        relations,
        tuple(conditions(claim, sizes)),
        at=tuple(sizes.items()),
    )


def _name(name: str, part: said.Part) -> tuple[str]:
    """A part's name, and what it is multiplied with before it comes near."""
    other = f", times some polynomial of a degree ≤ {part.times_another}"
    return (name + other * bool(part.times_another),)


@contextmanager
def approached(claim: Claim, sizes: Mapping[str, int]) -> Iterator[list[said.Approached]]:
    """What a claim about limits says, of recorded arrays; its parts are made in the block.

    Raises:
        Refused: if it cannot be recorded, or says something else as well.
    """
    with recording(Recording(numbers=True)):
        held = {n: Recorded(one) for n, one in _inputs(claim, sizes).items()}
        values = {**held, **sizes, "xp": Namespace()}
        found = claim.statements(values, claim.construct(values))
        if not all(isinstance(one, said.Approached) for one in found):
            raise Limits("it says something that is not about limits as well")
        yield found  # type: ignore[misc]


def conditions(claim: Claim, sizes: Mapping[str, int]) -> list[Hypothesis]:
    """The side conditions at these sizes, whatever becomes of the claim's body."""
    return [*_hypotheses(claim, sizes, _inputs(claim, sizes), True)]


def _marked(parameters: Any) -> tuple[Any, list[Parameter]]:
    """Parameters whose leaves are known as such, and these leaves."""
    names = iter(paths(parameters))
    leaves: list[Parameter] = []

    def mark(leaf: Any) -> Any:
        name = next(names)
        if not isinstance(leaf, Recorded):
            return leaf
        leaves.append(Parameter(name, leaf.node))
        return Recorded(leaves[-1])

    return map_leaves(mark, parameters), leaves


Sides = tuple[str, Any, Any, tuple[str, ...], Any]
"""A relation's kind, sides, shared symbols and label, with positions left free."""


def _relation(one: Any) -> Sides:
    kind = KINDS.get(type(one))
    if kind is None:
        raise Limits("it is about limits, which statements do not speak of")
    pieces = (one.label,) if isinstance(one.label, str) else tuple(one.label)
    label = tuple(number_of(p) if type(p) is Length else str(p) for p in pieces if p != "")
    of_a_map = kind in ("determines", "undetermined")
    try:
        sides = (one.statistic, one.value) if of_a_map else (one.left, one.right)
        left, right = (array(side).node for side in sides)
    except (TypeError, ValueError, IllFormed) as error:
        at = short(one.place)
        raise UsageError(f"a side of the statement{at} is no array: {text_of(error)}") from None
    return kind, left, right, tuple(one.shared) if of_a_map else (), label


def _closed(one: Sides, loops: Sequence[Turns] = ()) -> Relation:
    try:
        return relation(*one, loops=[turns.positions[0] for turns in loops])
    except IllFormed as error:
        raise Refused(str(error)) from None


def _one_turn(loops: Sequence[Turns], every: Sequence[Sides]) -> list[Sides]:
    """The relations of the first turn of each loop, if those of another turn say the same of it.

    Raises:
        Refused: if a turn speaks of another, or turns differ.
    """
    later = {p for turns in loops for p in turns.positions[1:]}
    for turns in loops:
        if not turns.ended:
            raise refusal("a loop over each(…) is left before its end", where=turns.where)
    known = {p for turns in loops for p in turns.positions}
    first: list[Sides] = []
    again: list[Sides] = []
    for one in every:
        free = one[1].free | one[2].free
        if not free <= known:
            raise refusal(
                "a token, state or row is used outside of the step that it was given to", where=""
            )
        for turns in loops:
            if len(free.intersection(turns.positions)) > 1:
                raise refusal(CARRIED, where=turns.where)
        (again if free & later else first).append(one)
    kept = {(r.kind, r.left, r.right, r.each) for r in map(_closed, first)}
    if not all((r.kind, r.left, r.right, r.each) in kept for r in map(_closed, again)):
        raise refusal(CARRIED, where=loops[-1].where)
    return first


CARRIED = "the turns of a loop over each(…) are not alike, or one leaves something to the next"


def _hypotheses(
    claim: Claim, sizes: Mapping[str, Any], inputs: Mapping[str, Input], numbers: bool
) -> Iterable[Hypothesis]:
    """The side conditions; one that asks for a number, or fails, is a predicate and stays Python's."""
    for text, condition in claim.assuming.items():
        try:
            with recording(Recording(numbers=numbers)) as made:
                values = {**{n: Recorded(one) for n, one in inputs.items()}, **sizes}
                found = as_bounds(call(condition, {**values, "xp": Namespace()})) or []
                stated = [_relation(one) for one in found]
                bounds = tuple(_closed(one, made.loops) for one in _one_turn(made.loops, stated))
        except (Refused, *FOR_NUMBERS):
            bounds = ()
        yield Hypothesis(text, bounds, "" if bounds else written_out([condition]))
