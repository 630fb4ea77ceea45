"""A claim as one value, and the source that collects claims.

    paper = Source("mypaper", title="…")

    @paper.claim("mypaper.eq1", where="eq. 1", says="…", given={"x": "N+1 f", "y": "N", "eta": ""})
    def eq1(x, y, eta):
        return equal(what_the_layer_computes, what_is_claimed)

`given` names the symbols and their shapes; the body is called with them, with the sizes (N, f) if it asks for them,
and with `p`, the construction's parameters, if the claim has any. Keyword-only arguments of the body are readings of
the source's wording with their default as printed; an amendment changes them.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .conditions import is_met
from .errors import UsageError
from .fields import CHANGES, FIELDS, arguments, call, check_fields, check_id, known
from .sizes import DEFAULT_RANGE, grid, names
from .statements import Statement

OWN: dict[str, Any] = {
    "reading": None,
    "unmended": None,
    "missing": None,
    "over_all_parameters": (),
}
"""What an amendment does not inherit."""


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
    unmended: str | None = None
    """For a refuted row without an amendment: why none is known."""
    fixed: tuple[str, ...] = ()
    """For an existence claim: the symbols in `given` that stand before "there are parameters", such as η. The witness
    that `parameters` makes may depend on sizes and on these; it serves all other symbols, and cannot ask for them."""
    over_all_parameters: tuple[str, ...] = ()
    """For an existence claim: the names in `given` that are its parameters, of which the body takes every choice (other
    symbols are data). A statement that fails refutes it if its sides differ by something in which none of them occurs.
    Without these names a failing witness refutes nothing."""

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
        return [s for s in grid(self.ranges) if all(is_met(self, c, s) for c in conditions)]

    def construct(self, values: Mapping[str, Any]) -> Any:
        """The parameters at these sizes, symbols and namespace `xp`."""
        if self.parameters is None:
            return None
        seen = {n: v for n, v in values.items() if self.kind != "existence" or n not in self.inputs}
        return call(self.parameters, {**seen, "corrections": self.corrections})

    @property
    def inputs(self) -> tuple[str, ...]:
        """For an existence claim: the symbols that a witness has to serve, and does not see."""
        return tuple(name for name in self.given if name not in self.fixed)

    def statements(self, values: Mapping[str, Any], parameters: Any) -> list[Statement]:
        """The statements of the body at these values and parameters."""
        if self.body is None:
            return []
        result = call(self.body, {**values, "p": parameters, **self.options})
        found = list(result) if isinstance(result, Iterable) else [result]
        wrong = [s for s in found if not isinstance(s, Statement)]
        if wrong or not found:
            got = type(wrong[0]).__name__ if wrong else "nothing"
            raise UsageError(
                f"the body of claim {self.id} returned {got}; return equal(left, right), or at_most, differs, "
                "determines, undetermined, or several of them."
            )
        return found


def _printed_readings(id: str, body: Callable[..., Any]) -> dict[str, Any]:
    """The keyword-only arguments of a body with their defaults."""
    wanted = arguments(f"claim {id}: the body", body).values()
    return {
        p.name: p.default for p in wanted if p.kind is p.KEYWORD_ONLY and p.default is not p.empty
    }


class Row:
    """A claim with its amendments, as written down in a source."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.amendments: list[Claim] = []

    def amend(self, suffix: str, says: str, **changes: Any) -> Row:
        """A mended statement `<id>+<suffix>`, with the same body.

        Args:
            suffix: what is mended, for example "sign" or "sign+scale".
            says: the mended statement.
            changes: fields of the claim to replace (`given`, `sizes`, `parameters`, `corrections`, `hypotheses`,
                `assuming`), and readings (keyword-only arguments of the body). Of the statement printed alone are
                `reading`, `unmended` and `over_all_parameters`: an amendment says them anew.

        Raises:
            UsageError: for a change that is neither a field nor a reading, a field of the wrong type, or an id that
                another amendment has.
        """
        fields = {k: v for k, v in changes.items() if k in CHANGES}
        body = fields.get("body", self.claim.body)
        options = {k: v for k, v in changes.items() if k not in fields}
        readings = (
            self.claim.options
            if body is self.claim.body
            else _printed_readings(self.claim.id, body)
        )
        claim = replace(
            self.claim,
            id=f"{self.claim.id}+{suffix}",
            says=says,
            amends=self.claim.id,
            options={**readings, **options},
            **{**OWN, **fields},
        )
        check_fields(claim, written=fields)
        if any(other.id == claim.id for other in self.amendments):
            raise UsageError(f"amendment {claim.id} is defined twice; give each its own suffix.")
        self.amendments.append(claim)
        return self

    def restate(
        self, suffix: str, says: str, **changes: Any
    ) -> Callable[[Callable[..., Any]], Row]:
        """The same with a body of its own: use as a decorator."""

        def decorate(body: Callable[..., Any]) -> Row:
            return self.amend(suffix, says, body=body, **changes)

        return decorate


class Source:
    """A paper (or chapter) and the rows that it claims."""

    def __init__(self, name: str, title: str, arxiv: str | None = None) -> None:
        check_id(name)
        file = sys._getframe(1).f_globals.get("__file__")
        self.home = Path(file).resolve().parent if file else None
        """The folder of the file that defines it; its certificates lie beside that."""
        self.name = name
        self.title = title
        self.arxiv = arxiv
        self.rows: list[Row] = []

    def claim(
        self,
        id: str,
        *,
        says: str,
        where: str = "",
        kind: str = "identity",
        **fields: Any,
    ) -> Callable[[Callable[..., Any]], Row]:
        """Decorate a body to add a row; see the module's docstring, and `Claim` for the fields.

        Raises:
            UsageError: for a field that is unknown or of the wrong type, and for a name that nothing uses.
        """
        known(f"claim {id}", fields, FIELDS)

        def decorate(body: Callable[..., Any]) -> Row:
            options = _printed_readings(id, body)
            claim = Claim(id, self.name, where, kind, says, body, options=options, **fields)
            return self._add(claim)

        return decorate

    def unchecked(
        self,
        id: str,
        *,
        says: str,
        missing: str,
        where: str = "",
        kind: str = "remark",
        **fields: Any,
    ) -> Row:
        """Add a row that no machine decides here, and say what is missing; its verdict is never better than unknown."""
        known(f"claim {id}", fields, FIELDS)
        return self._add(Claim(id, self.name, where, kind, says, None, missing=missing, **fields))

    def _add(self, claim: Claim) -> Row:
        check_fields(claim)
        if any(row.claim.id == claim.id for row in self.rows):
            raise UsageError(
                f"claim {claim.id} is defined twice in source {self.name}; give each its own id."
            )
        row = Row(claim)
        self.rows.append(row)
        return row
