"""`prove`: a user's JAX function against a specification, as a claim like any other.

    prove("mymodule:forward", shapes="X: T f, Y: T k, q: f", equals="mymodule:specification")

The claim goes through all engines: exact arithmetic at small sizes, the kernel for all sizes, counterexamples and near
misses where it is false.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scanproof.constructs.definition import definition

from ..evidence import all_sizes
from ..evidence.engines import ENGINES
from ..evidence.verdict import Result, decide
from ..kernel.index import Index
from ..language.claim import Claim, Source
from ..language.errors import UsageError
from ..language.sizes import names, shape
from ..language.statements import equal
from . import purity
from .literals import Literal, inexact
from .program import program
from .tracing import jax_for, traced

ARRAY = re.compile(r"\s*([^\W\d]\w*)\s*:(.*)", re.DOTALL)
FIRST = 3
"""At this size, and others beside it, the program is first traced: errors of its own come out then."""


@dataclass
class Outcome:
    """What was found out about a program."""

    program: str
    specification: str
    shapes: dict[str, str]
    result: Result
    literals: list[Literal] = field(default_factory=list)
    seconds: float = 0.0

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
            "literals": [str(one) for one in self.literals],
            "arithmetic": "real numbers; rounding is not looked at",
        }


def prove(
    function: str | Callable[..., Any],
    *,
    shapes: str | Mapping[str, str],
    equals: str | Callable[..., Any],
    sizes: Mapping[str, Sequence[int]] | None = None,
) -> Outcome:
    """Whether a JAX function equals its specification at every size, in exact real arithmetic.

    Args:
        function: "module:name", or the function itself; it takes arrays and returns an array, or several.
        shapes: "X: T f, Y: T k, q: f", one array for each argument, by the arguments' names or in their order. A
            dimension is a whole number or a sum of sizes; an argument without dimensions is a number.
        equals: the specification, likewise: of JAX arrays, or of arrays of any kind, as definitions of scanproof are.
        sizes: where the claim is checked with numbers, such as {"T": (1, 2, 5)}; 1, 2, 3 if not given. The proof is for
            all sizes from the least of them on.

    Raises:
        UsageError: if a function is not found or takes other arguments, if shapes contradict it, if it does more than
            compute, or if JAX is not installed.
    """
    started = time.perf_counter()
    jax_for("prove")
    forward, specification = (_function(one) for one in (function, equals))
    name, other = (_name(one) for one in (function, equals))
    given = _shapes(shapes) if isinstance(shapes, str) else dict(shapes)
    given = _in_order(name, forward, given)
    _in_order(other, specification, given)
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
    row = source.claim("program.equals", says=f"{name} = {other}", given=given, sizes=sizes or {})(
        body
    )
    literals = _traced_once(name, forward, row.claim)
    result = decide(row.claim, ENGINES["all"])
    if result.verdict == "unknown":
        told = all_sizes.prove(row.claim)  # it names what is not read
        result.reason = told if isinstance(told, str) else result.reason
    if result.verdict == "error":
        raise UsageError(f"prove {name}: {result.reason}")
    return Outcome(name, other, given, result, literals, time.perf_counter() - started)


def _traced_once(name: str, forward: Callable[..., Any], claim: Claim) -> list[Literal]:
    """Trace the program at one size, so that its own mistakes are told in a line, and find its inexact numbers."""
    at = {n: max(min(r), k) for k, (n, r) in enumerate(claim.ranges.items(), start=FIRST)}
    dims = [tuple(map(Index, shape(text, at))) for text in claim.given.values()]
    try:
        with purity.pure(name):
            first = traced(forward, dims)
            again = traced(forward, dims)
    except UsageError:
        raise
    except Exception as error:
        sizes = ", ".join(f"{n} = {v}" for n, v in at.items())
        told = str(error).strip().split("\n", 1)[0]
        raise UsageError(
            f"{name} does not run on arrays of shapes {', '.join(str(tuple(e.const for e in d)) for d in dims)} "
            f"({sizes}): {type(error).__name__}: {told}"
        ) from error
    purity.same(name, first.jaxpr, again.jaxpr)
    return inexact(first.jaxpr)


def _as_specification(function: Callable[..., Any]) -> Callable[..., Any]:
    """A definition of scanproof runs on any arrays; other functions are read as JAX programs."""
    module = getattr(function, "__module__", "") or ""
    if module.startswith("scanproof.constructs") or getattr(function, "any_arrays", False):
        return definition(function)
    return program(function)


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in _leaves(value[key])]
    if isinstance(value, tuple | list):
        return [leaf for one in value for leaf in _leaves(one)]
    return [] if value is None else [value]


def _shapes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(","):
        matched = ARRAY.fullmatch(part)
        if matched is None or matched[1] in found:
            raise UsageError(
                f"--shapes {text!r} expects each array's name once, with its dimensions, such as 'X: T f, q: f'; "
                f"got {part.strip()!r}."
            )
        found[matched[1]] = " ".join(matched[2].split())
    names(list(found.values()))  # refuses what is no dimension
    return found


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


def _name(target: str | Callable[..., Any]) -> str:
    if isinstance(target, str):
        return target
    return f"{target.__module__}:{getattr(target, '__qualname__', repr(target))}"


def _function(target: str | Callable[..., Any]) -> Callable[..., Any]:
    """The function that "module:name" names.

    Raises:
        UsageError: if there is none.
    """
    if callable(target):
        return target
    module, colon, attribute = target.partition(":")
    if not colon or not module or not attribute:
        raise UsageError(f"prove {target!r} expects module:function, such as mymodule:forward.")
    with _from_here():
        try:
            found: Any = importlib.import_module(module.removesuffix(".py").replace("/", "."))
        except (Exception, SystemExit) as error:
            raise UsageError(
                f"prove {target}: {module} cannot be imported: {type(error).__name__}: {error}"
            ) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            known = sorted(n for n in vars(found) if callable(vars(found)[n]) and n[0] != "_")
            raise UsageError(
                f"prove {target}: {module} has no {attribute!r}; it has {', '.join(known) or 'no functions'}."
            )
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"prove {target}: that is no function but {type(found).__name__}.")
    return found


@contextmanager
def _from_here() -> Iterator[None]:
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)
