"""`prove`: a user's function of JAX or PyTorch against a specification, as a claim like any other.

    prove("mymodule:forward", shapes="X: T f, Y: T k, q: f", equals="mymodule:specification")

The claim goes through all engines: exact arithmetic at small sizes, the kernel for all sizes, counterexamples and near
misses where it is false.
"""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.errors import UsageError

from ..exact.at_point import inputs_as_text, nested, statements_at
from ..exact.counterexample import Counterexample
from ..exact.enclosed import BITS
from ..exact.enclosures import ArbField
from ..exact.engines import sides
from ..exact.instance import Point, constants, evaluate
from ..exact.instance import shapes as shapes_at
from ..exact.points import find
from ..interpret.programs import purity
from ..interpret.programs.literals import BLUR, Blurred, Literal, literals, taken
from ..interpret.programs.program import program
from ..interpret.programs.tracing import format_of, traced
from ..interpret.questions import Unreadable
from ..kernel.index import Index
from ..language.claim import Claim
from ..language.fields import RESERVED
from ..language.libraries import jax as jax_for
from ..language.numbers import exceeds
from ..language.sizes import Sizes, names, shape, shapes_in
from ..language.source import Source
from ..language.statements import Equal, Statement, equal
from ..refute.shrinking import simplest
from ..search.session import EFFORT, allowing
from . import granted, joined_axes, targets
from .in_order import Tell, in_cases
from .verdict import Result

RESERVED_NAME = re.compile(rf"\b({'|'.join(RESERVED)})\b")
PLAINLY, ALIKE = 4, 1e-6
"""How far beyond the claim's sizes it is run without being traced, and how near its numbers have to be."""
FIRST = 3
"""At this size, and others beside it, the program is first traced: errors of its own come out then."""
LATER = 2
"""So much larger are the sizes at which it is seen which literals depend on sizes."""
LETTERS = 4
"""With more letters for sizes than this, each is tried at 1 and 2 if nothing else is said."""
SHOWN = 3
"""How many literals are named where a refutation hinges on them."""


@dataclass
class Outcome:
    """What was found out about a program."""

    program: str
    specification: str
    shapes: dict[str, str]
    result: Result
    literals: list[Literal] = field(default_factory=list)
    """The literals that were read as the number meant, which is not the binary one."""
    seconds: float = 0.0
    proved: list[str] = field(default_factory=list)
    """What was proved for all sizes, in the program's own names."""
    leftover: list[str] = field(default_factory=list)
    """The equation that a proof for all sizes would have to show besides, likewise."""
    format: str = "float64"
    """That of the inputs with which the program was traced."""
    framework: str = "jax"
    """That of the program."""
    cases: list[str] = field(default_factory=list)
    """The cases of sizes that were proved one by one, if there are several."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the fields of a claim's report have the names that they have there."""
        found = self.result
        shown = found.counterexample
        return {
            "program": self.program,
            "specification": self.specification,
            "shapes": self.shapes,
            "verdict": found.verdict,
            "scope": found.scope,
            "reason": found.reason,
            "evidence": found.evidence,
            "counterexample": None if shown is None else shown.as_json(),
            "near_misses": found.near_misses,
            "cases": self.cases,
            "proved": self.proved,
            "left_over": self.leftover,
            "literals": [str(one) for one in self.literals],
            "arithmetic": "real numbers; rounding is not looked at",
        }


def prove(
    function: str | Callable[..., Any],
    *,
    shapes: str | Mapping[str, str],
    equals: str | Callable[..., Any],
    sizes: Mapping[str, Sequence[int]] | None = None,
    framework: str | None = None,
    steps: int = EFFORT,
    tell: Tell = lambda what: None,
) -> Outcome:
    """Whether a function of JAX or PyTorch equals its specification at every size, in exact real arithmetic.

    Args:
        function: "module:name", or the function itself; it takes arrays and returns an array, or several.
        shapes: "X: T f, Y: T k, q: f", one array for each argument, by the arguments' names or in their order. A
            dimension is a whole number, a sum of sizes, or a product such as n*C, n chunks of C; an argument without
            dimensions is a number.
        equals: the specification, likewise: of JAX arrays, or of arrays of any kind, as definitions of scanproof are.
        sizes: where the claim is checked with numbers, such as {"T": (1, 2, 5)}; if not given, 1, 2, 3, or 1, 2 with
            more than four letters. The proof is for all sizes from the least of them on.
        framework: "jax" or "torch", for both; if not given, each is told by what its module imports.
        steps: what the search for a proof may take, in monomials looked at; it ends after as many on any machine.
        tell: hears what is tried, in words.

    Raises:
        UsageError: if a function is not found or takes other arguments, if shapes contradict it, if it does more than
            compute, or if JAX is not installed.
    """
    started = time.perf_counter()
    jax_for("prove")
    forward, specification = (targets.function(one, framework) for one in (function, equals))
    name, other = (targets.name(one) for one in (function, equals))
    given = shapes_in(shapes) if isinstance(shapes, str) else dict(shapes)
    given = _in_order(name, forward, given)
    _in_order(other, specification, given)
    clash = sorted(set(given) & set(names(list(given.values()))))
    if clash:
        raise UsageError(
            f"prove {name}: in --shapes {clash[0]} is an array and a size; give the size another letter."
        )
    asked, outputs, written = given, None, (forward, specification)
    if joined_axes.is_joined(given):
        if _is_definition(specification):
            raise UsageError(
                f"prove {name}: a specification of scanproof's own takes no lengths that are products, such as n*C; "
                f"got {', '.join(given.values())}. Give their axes apart (n C d)."
            )
        texts = list(given.values())
        found = [joined_axes.outputs_of(one, texts) for one in (forward, specification)]
        known = [one for one in found if one is not None]
        outputs = known[0] if known and known[0] == known[-1] else None
        forward, specification = (
            joined_axes.Joined(one, texts, outputs) for one in (forward, specification)
        )
        given = {n: joined_axes.apart(text) for n, text in given.items()}
    source = Source("program", title=name)
    left, right = program(forward), _as_specification(specification)

    def body(**values: Any) -> Any:
        arrays = [values[n] for n in given]
        found, wanted = _leaves(left(*arrays)), _leaves(right(*arrays))
        if len(found) != len(wanted):
            raise UsageError(f"{name} returns {len(found)} arrays, and {other} {len(wanted)}.")
        return [equal(a, b) for a, b in zip(found, wanted, strict=True)]

    body.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in given]
    )
    few = _at_fewer(list(given.values()), sizes or {})
    claim = _claim(source, f"{name} = {other}", body, given, few)
    first = {n: max(min(r), k) for k, (n, r) in enumerate(claim.ranges.items(), start=FIRST)}
    unread = _traced_once(name, forward, claim, first)
    if unread is not None:
        return Outcome(name, other, asked, Result("unknown", reason=unread))
    jax_programs = {"program": forward}
    if not _is_definition(specification):
        jax_programs["specification"] = specification
    read = [
        one for one in _literals(jax_programs, claim, first) if not one.meant.is_exactly(one.value)
    ]
    with allowing(steps):
        said = in_cases(claim, sizes or {}, tell)
    result = said.result
    if result.verdict == "error":
        raise UsageError(f"prove {name}: {result.reason}")
    if result.verdict == "refuted":
        result = _beyond_rounding(claim, result, lambda at: _literals(jax_programs, claim, at))
    if result.verdict == "proved":
        result = _run_plainly(forward, claim) or result
    if result.verdict == "proved":
        for side in written:
            result = _run_in_torch(side, asked, claim, result)
    if (
        result.scope == "all-sizes"
    ):  # a number such as √3, which is another at T = 4, is none of a symbol's
        later = {n: v + LATER for n, v in first.items()}
        there = {(one.value, one.place) for one in _literals(jax_programs, claim, later)}
        read = [one for one in read if (one.value, one.place) in there]
    if result.verdict == "proved" and read:
        result = _taking(result, read)
    if result.verdict == "proved":
        result = _granted(result, jax_programs.values(), _dims(claim, first))
    if asked != given and result.counterexample is not None:
        parts = joined_axes.shown(result.counterexample, asked, outputs)
        result = replace(result, counterexample=parts)
    return Outcome(
        program=name,
        specification=other,
        shapes=asked,
        result=result,
        literals=read,
        seconds=time.perf_counter() - started,
        cases=said.cases,
        proved=said.proved,
        leftover=said.leftover,
        format=format_of(forward).name,
        framework="torch" if targets.is_for_torch(written[0]) else "jax",
    )


def _at_fewer(
    shapes: Sequence[str], sizes: Mapping[str, Sequence[int]]
) -> Mapping[str, Sequence[int]]:
    """The sizes that are given, and for others fewer than usual where there are many letters."""
    letters = names(shapes)
    if len(letters) <= LETTERS:
        return sizes
    return {**dict.fromkeys(letters, (1, 2)), **sizes}


def _claim(
    source: Source,
    says: str,
    body: Callable[..., Any],
    given: Mapping[str, str],
    sizes: Mapping[str, Sequence[int]],
) -> Claim:
    """The claim that the body makes; a size may have a name that bodies of claims have for something else."""
    renamed = {n: RESERVED_NAME.sub(r"\1_", text) for n, text in given.items()}
    others = {RESERVED_NAME.sub(r"\1_", n): values for n, values in sizes.items()}
    row = source.claim("program.equals", says=says, given=renamed, sizes=others)(body)
    return replace(row.claim, given=dict(given), sizes=dict(sizes))


def _traced_once(name: str, forward: Callable[..., Any], claim: Claim, at: Sizes) -> str | None:
    """Trace the program at one size, so that its own mistakes are reported in a line; why, if it is not read."""
    dims = _dims(claim, at)
    try:
        with purity.pure(name):
            first = traced(forward, dims)
            again = traced(forward, dims)
    except UsageError:
        raise
    except Unreadable as error:
        return str(error)
    except Exception as error:
        sizes = ", ".join(f"{n} = {v}" for n, v in at.items())
        said = str(error).strip().split("\n", 1)[0]
        raise UsageError(
            f"{name} does not run on arrays of shapes {', '.join(str(tuple(e.const for e in d)) for d in dims)} "
            f"({sizes}): {type(error).__name__}: {said}"
        ) from error
    purity.same(name, first.jaxpr, again.jaxpr)
    return None


def _run_plainly(forward: Callable[..., Any], claim: Claim) -> Result | None:
    """The program run once as Python runs it, beside what JAX traces of it; None if the two give the same numbers.

    A program is proved as JAX traces it. One that distinguishes tracers from arrays is another where nothing traces it.
    What is traced is computed exactly, and compiled only where that gives other numbers, as narrow formats do.
    """
    jax = jax_for("prove")
    at = {n: max(r) + k for k, (n, r) in enumerate(claim.ranges.items(), start=PLAINLY)}
    rng = np.random.default_rng(0)
    form = format_of(forward)
    point = {name: _drawn(rng, shape(text, at)) for name, text in claim.given.items()}
    with jax.enable_x64(form.wide):
        arrays = [jax.numpy.asarray(one.astype(float), dtype=form.name) for one in point.values()]
        own = jax.tree.leaves(forward(*arrays))
        if _alike(own, _exactly(forward, claim, point)):
            return None
        if _alike(own, jax.tree.leaves(jax.jit(forward)(*arrays))):
            return None
    sizes = ", ".join(f"{n} = {v}" for n, v in at.items())
    return Result(
        "unknown",
        reason=f"at {sizes} it gives other numbers when it is run without jax.jit: it tells JAX's tracers from arrays, "
        "and what was read is what JAX traces; make it the same for both",
    )


def _run_in_torch(
    function: Callable[..., Any], shapes: Mapping[str, str], claim: Claim, result: Result
) -> Result:
    """The result, if torch computes of the function what it was read as; or that torch is not there to say so."""
    if not targets.is_for_torch(function):
        return result
    jax = jax_for("prove")
    at = {n: max(r) + k for k, (n, r) in enumerate(claim.ranges.items(), start=PLAINLY)}
    rng = np.random.default_rng(0)
    arrays = [_drawn(rng, shape(text, at)).astype(float) for text in shapes.values()]
    theirs = targets.in_torch(function, arrays)
    if theirs is None:
        note = "torch is not installed: that its functions compute what docs/prove.md says was not tried here"
        return replace(
            result,
            evidence=[{**e, "assumes": [*e.get("assumes", ()), note]} for e in result.evidence],
        )
    with jax.enable_x64(True):
        ours = [
            np.asarray(one) for one in jax.tree.leaves(function(*map(jax.numpy.asarray, arrays)))
        ]
    if _alike(ours, theirs):
        return result
    sizes = ", ".join(f"{n} = {v}" for n, v in at.items())
    return Result(
        "unknown",
        reason=f"at {sizes} torch computes other numbers than {targets.name(function)} was read as; please report it",
    )


def _drawn(rng: np.random.Generator, dims: tuple[int, ...]) -> np.ndarray:
    """Numbers that every format has exactly."""
    numbers = rng.integers(64, 193, dims)
    out = np.empty(dims, dtype=object)
    for place in np.ndindex(dims):
        out[place] = Fraction(int(numbers[place]), 128)
    return out


def _exactly(forward: Callable[..., Any], claim: Claim, point: Point) -> list[np.ndarray]:
    """What is traced of a program, in enclosures; nothing where they do not do."""
    import flint

    field = ArbField()
    try:
        with flint.ctx.workprec(BITS):
            found = _leaves(program(forward)(*constants(claim, field, point).values()))
            return [np.vectorize(float, otypes=[float])(one.entries) for one in found]
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return []


def _alike(ours: Sequence[Any], theirs: Sequence[Any]) -> bool:
    return len(ours) == len(theirs) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=ALIKE, atol=ALIKE, equal_nan=True)
        for a, b in zip(ours, theirs, strict=True)
    )


def _dims(claim: Claim, at: Sizes) -> list[tuple[Index, ...]]:
    return [tuple(map(Index, shape(text, at))) for text in claim.given.values()]


def _literals(programs: Mapping[str, Callable[..., Any]], claim: Claim, at: Sizes) -> list[Literal]:
    """The programs' literals at these sizes, on which they may depend."""
    found: list[Literal] = []
    for side, function in programs.items():
        with suppress(
            Exception
        ):  # a specification's mistakes are reported where the claim is decided
            found += literals(traced(function, _dims(claim, at)).jaxpr, side)
    return found


def _taking(result: Result, read: Sequence[Literal]) -> Result:
    """What holds at fixed sizes holds of the numbers that literals mean, as a proof by the kernel says itself."""
    notes = dict.fromkeys(taken(one.value, one.meant) for one in read)
    evidence = [
        {**one, "assumes": [*one.get("assumes", ()), *notes]}
        if one["scope"] == "fixed-size"
        else one
        for one in result.evidence
    ]
    return replace(result, evidence=evidence)


def _granted(
    result: Result, programs: Iterable[Callable[..., Any]], dims: Sequence[tuple[Index, ...]]
) -> Result:
    """The same, saying in which format programs are read, and of identities at some sizes where they say nothing."""
    every = list(programs)
    notes = [note for note in (granted.difference(one, dims) for one in every) if note][:1]
    domains = dict.fromkeys(one for program in every for one in granted.domains(program, dims))

    def taken(entry: dict[str, Any]) -> dict[str, Any]:
        new = [*(domains if entry["scope"] == "fixed-size" else ()), *notes]
        return {**entry, "assumes": [*entry.get("assumes", ()), *new]} if new else entry

    return replace(result, evidence=[taken(one) for one in result.evidence])


def _beyond_rounding(
    claim: Claim, result: Result, literals_at: Callable[[Sizes], list[Literal]]
) -> Result:
    """A refutation that does not hinge on how literals are rounded: this one, or another, or why there is none."""
    shown = result.counterexample
    if shown is None:
        return result
    involved = literals_at(shown.sizes)
    if not involved or not _explained(claim, shown.sizes, _point(claim, shown), involved):
        return result
    for sizes in (shown.sizes, *claim.every_size):
        found = _clearly_false(claim, sizes, literals_at(sizes))
        if found is not None:
            at = ", ".join(f"{n}={v}" for n, v in sizes.items()) or "the printed numbers"
            evidence = [{**one, "sizes": [found.sizes]} for one in result.evidence]
            return replace(result, counterexample=found, reason=f"false at {at}", evidence=evidence)
    return Result("unknown", reason=_hinges(involved), definitions=result.definitions)


def _hinges(involved: Sequence[Literal]) -> str:
    guessed = sorted(involved, key=lambda one: one.meant.understood)
    several = list(
        dict.fromkeys(
            one.shown() + (f", read as {one.meant}" if one.meant.understood else "")
            for one in guessed
        )
    )
    more = f"; and {len(several) - SHOWN} more" if len(several) > SHOWN else ""
    return (
        f"up to rounding of the literal{'s' * (len(several) > 1)} {'; '.join(several[:SHOWN])}{more}, the two agree "
        "where they were compared; write such a number so that it is read as what it means (1/3, 1e-6, 2 ** -0.5, a "
        "decimal of at most six digits), or pass it as an argument"
    )


def _explained(claim: Claim, sizes: Sizes, point: Point, involved: Sequence[Literal]) -> bool:
    """Whether the two sides may be equal at a point if literals were slightly other numbers."""
    import flint

    try:
        with flint.ctx.workprec(BITS):
            balls = Blurred()
            found = evaluate(claim, balls, sizes, constants(claim, balls, point))
            pairs = [pair for statement in found for pair in _pairs(statement)]
            if all(ball.is_finite() for pair in pairs for ball in pair):
                return not any(a != b for a, b in pairs)  # balls that do not overlap
    except (ArithmeticError, TypeError, ValueError):  # something that balls do not decide
        pass
    exact = statements_at(claim, sizes, point)
    return exact is not None and _apart(exact, involved) is None


def _clearly_false(
    claim: Claim, sizes: Sizes, involved: Sequence[Literal]
) -> Counterexample | None:
    """A counterexample at these sizes that no rounding of literals explains."""

    def shows(found: list[Statement]) -> bool:
        return _apart(found, involved) is not None

    point = find(claim, sizes, shows)
    if point is None:
        return None
    point = simplest(claim, sizes, point, shows)
    found = statements_at(claim, sizes, point) or []
    part = _apart(found, involved)
    if part is None or (involved and _explained(claim, sizes, point, involved)):
        return None
    actual, claimed = (nested(one.entries) for one in sides(found[part]))
    return Counterexample(dict(sizes), inputs_as_text(point), part, claimed, actual)


def _apart(found: Sequence[Statement], involved: Sequence[Literal]) -> int | None:
    """The first statement whose sides are farther apart than literals are from what they may mean."""
    blur = max([BLUR, *(one.meant.blur() for one in involved)])
    for part, statement in enumerate(found):
        for a, b in _pairs(statement):
            if exceeds(abs(a - b) - blur * (1 + abs(a) + abs(b))):
                return part
    return None


def _pairs(statement: Statement) -> list[tuple[Any, Any]]:
    if not isinstance(statement, Equal):
        return []
    left, right = sides(statement)
    return list(zip(left.entries.flat, right.entries.flat, strict=True))


def _point(claim: Claim, shown: Counterexample) -> Point:
    """The inputs of a counterexample as arrays of exact numbers."""
    point = {}
    for name, dims in shapes_at(claim, shown.sizes).items():
        texts = np.asarray(shown.inputs[name], dtype=object).reshape(-1)
        point[name] = np.empty(dims, dtype=object)
        for place, text in zip(np.ndindex(dims), texts, strict=True):
            point[name][place] = Fraction(text)
    return point


def _is_definition(function: Callable[..., Any]) -> bool:
    """Whether it is a definition of scanproof, which runs on any arrays."""
    module = getattr(function, "__module__", "") or ""
    return module.startswith("scanproof.constructs") or getattr(function, "any_arrays", False)


def _as_specification(function: Callable[..., Any]) -> Callable[..., Any]:
    """A definition of scanproof runs on any arrays; other functions are read as JAX programs."""
    return definition(function) if _is_definition(function) else program(function)


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in _leaves(value[key])]
    if isinstance(value, tuple | list):
        return [leaf for one in value for leaf in _leaves(one)]
    return [] if value is None else [value]


def _in_order(name: str, function: Callable[..., Any], given: dict[str, str]) -> dict[str, str]:
    """The arrays in the order of the function's arguments."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return given
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return given
    least = sum(p.default is p.empty for p in positional)
    if not least <= len(given) <= len(positional):
        raise UsageError(
            f"{name} takes {', '.join(p.name for p in positional) or 'no arguments'}; "
            f"--shapes names {', '.join(given)}."
        )
    own = [p.name for p in positional[: len(given)]]
    return {n: given[n] for n in own} if set(own) == set(given) else given
