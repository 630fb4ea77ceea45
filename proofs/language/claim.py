"""A claim as one value: what a source says, and how a machine reads it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from scanproof.constructs.arrays.protocols import within
from scanproof.constructs.constructions.construction import Construction
from scanproof.constructs.errors import UsageError, nearest

from .calls import arguments, call
from .conditions import as_bounds, holds
from .importing import importing_from
from .measurement import Measurement
from .place import Place, returned_at, short, yielded_at
from .sizes import DEFAULT_RANGE, grid, names
from .statements import Determines, Statement, Undetermined


@dataclass(frozen=True, eq=False)
class Claim:
    """One row of a ledger: what a source says, and how a machine reads it."""

    id: str
    source: str
    where: str
    kind: str
    says: str
    body: Callable[..., Any] | None
    given: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    construction: Construction | None = None
    """The layer, tokens and learner that it is about, whose `parameters` are the claim's where it names no others."""
    parameters: Callable[..., Any] | None = None
    corrections: tuple[str, ...] = ()
    hypotheses: tuple[str, ...] = ()
    assuming: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    reading: str | None = None
    amends: str | None = None
    depends_on: tuple[str, ...] = ()
    missing: str | None = None
    """Why nothing is checked; only for a row without a body."""
    measured: Callable[[], Measurement] | None = None
    """For an empirical row: what its figures are compared with; it has no body."""
    unmended: str | None = None
    """For a refuted row without an amendment: why none is known."""
    fixed: tuple[str, ...] = ()
    """For an existence claim: the symbols in `given` that stand before "there are parameters", such as η. The witness
    that `parameters` makes may depend on sizes and on these; it serves all other symbols, and cannot ask for them."""
    over_all_parameters: tuple[str, ...] = ()
    """For an existence claim: the names in `given` that are its parameters, of which the body takes every choice (other
    symbols are data). A statement that fails refutes it if its sides differ by something in which none of them occurs.
    Without these names a failing witness refutes nothing."""
    expect: str | None = None
    """The verdict that its author expects, if one is; it says what is news, and changes no verdict."""
    folder: Path | None = None
    """The folder from which its functions import what they import when they run: that of the file which was read."""

    @property
    def ranges(self) -> dict[str, Sequence[int]]:
        """Every size with the values at which the claim is checked."""
        found = dict.fromkeys([*names(list(self.given.values())), *self.sizes], DEFAULT_RANGE)
        return {**found, **self.sizes}

    @property
    def every_size(self) -> list[dict[str, int]]:
        """The sizes to check, smallest first: those of `ranges` that meet the side conditions on sizes alone."""
        conditions = [
            condition
            for condition in self.assuming.values()
            if set(inspect.signature(condition).parameters) <= set(self.ranges)
        ]
        return [s for s in grid(self.ranges) if all(self.meets(c, s) for c in conditions)]

    def meets(self, condition: Callable[..., Any], values: Mapping[str, Any]) -> bool:
        """Whether one of its side conditions holds of numbers.

        Raises:
            UsageError: if the condition answers with anything but True, False or bounds.
        """
        with importing_from(self.folder):
            answer = call(condition, values)
        stated = as_bounds(answer)
        if stated is not None:
            return all(map(holds, stated))
        if not isinstance(answer, bool) and type(answer).__name__ not in ("bool_", "bool"):
            text = next((t for t, c in self.assuming.items() if c is condition), "?")
            raise UsageError(
                f"the condition {text!r} of claim {self.id} answered with a {type(answer).__name__}"
                f"{short(returned_at(condition))}; conditions get "
                "plain numbers and return True or False, for example lambda x: (x > 0).all(), or bounds, for example "
                "lambda x, C: at_most(norm(x), C)."
            )
        return bool(answer)

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """What runs when it is checked: its body, parameters, conditions, and the functions of its construction."""
        made = (self.parameters, self.measured)
        written = (self.body, *about(self.body), *made, *self.assuming.values())
        own = [f for f in written if f is not None]
        return [*own, *_functions_in(self.construction)]

    def construct(self, values: Mapping[str, Any]) -> Any:
        """The parameters at these sizes, symbols and namespace `xp`."""
        if self.parameters is None:
            return None
        seen = {n: v for n, v in values.items() if self.kind != "existence" or n not in self.inputs}
        with within(values.get("xp")), importing_from(self.folder):
            return call(self.parameters, {**seen, "corrections": self.corrections})

    @property
    def needed(self) -> list[str]:
        """The sizes and symbols that its parameters are made from; other arguments of theirs keep their defaults."""
        if self.parameters is None:
            return []
        names = arguments(f"the parameters of {self.id}", self.parameters)
        return [
            name
            for name, argument in names.items()
            if name not in ("xp", "corrections")
            and (name in self.ranges or name in self.given or argument.default is argument.empty)
        ]

    @property
    def before_inputs(self) -> tuple[str, ...]:
        """For an existence claim: the symbols that are chosen before the inputs are, so that two inputs share them."""
        return (*self.over_all_parameters, *self.fixed)

    @property
    def inputs(self) -> tuple[str, ...]:
        """For an existence claim: the symbols that a witness has to serve, and does not see."""
        return tuple(name for name in self.given if name not in self.fixed)

    def statements(self, values: Mapping[str, Any], parameters: Any) -> list[Statement]:
        """The statements of the body at these values and parameters."""
        if self.body is None:
            return []
        own = {"p": parameters, "construction": self.construction}
        with within(values.get("xp")), importing_from(self.folder):
            result = call(self.body, {**values, **own, **self.options})
            found: list[Statement] = []
            for one in result if isinstance(result, Iterable) else [result]:
                if not isinstance(one, Statement):
                    raise self._no_statement(type(one).__name__, yielded_at(result))
                self._check_shared(one)
                found.append(one)
        if not found:
            raise self._no_statement("nothing", None)
        return found

    def _check_shared(self, statement: Statement) -> None:
        if not isinstance(statement, Determines | Undetermined):
            return
        for name in statement.shared:
            if name not in self.given:
                raise UsageError(
                    f"claim {self.id}: shared= has {name!r}{short(statement.place)}, which is no symbol of "
                    f"given={nearest(name, self.given)}."
                )

    def _no_statement(self, got: str, where: Place | None) -> UsageError:
        verb = "returned" if where is None else "yielded"
        at = short(where or returned_at(self.body))
        return UsageError(
            f"the body of claim {self.id} {verb} {got}{at}; return equal(left, right), or at_most, differs, "
            "determines, undetermined, or several of them."
        )


def about(body: Any) -> tuple[Callable[..., Any], ...]:
    """The functions that a body which is not the user's own calls, as that of a law of a layer does."""
    return getattr(body, "about", ())


def _functions_in(one: Any) -> Iterator[Callable[..., Any]]:
    """The functions that a construction, or a part of one, is made of; methods too."""
    parts = one if isinstance(one, tuple) else vars(one).values() if is_dataclass(one) else ()
    for part in parts:
        yield from _functions_in(part)
    if isinstance(one, FunctionType):
        yield one
    elif isinstance(one, tuple) or is_dataclass(one):
        for kind in type(one).__mro__:
            methods = (f for f in vars(kind).values() if isinstance(f, FunctionType))
            # Not those that Python writes into named tuples and dataclasses.
            yield from (f for f in methods if f.__globals__.get("__name__") == kind.__module__)
    elif callable(one):
        yield one
