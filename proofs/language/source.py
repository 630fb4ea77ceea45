"""The source that collects claims, and how claims are written down.

    paper = Source("mypaper", title="…")

    @paper.claim("mypaper.eq1", where="eq. 1", says="…", given={"x": "N+1 f", "y": "N", "eta": ""})
    def eq1(x, y, eta):
        return equal(what_the_layer_computes, what_is_claimed)

`given` names the symbols and their shapes; the body is called with them, with the sizes (N, f) if it asks for them,
with `p`, the construction's parameters, and `construction` itself, if the claim has any. Keyword-only arguments of the
body are readings of the source's wording with their default as printed; an amendment changes them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakSet

from scanproof.constructs.constructions.construction import Construction
from scanproof.constructs.errors import UsageError

from .calls import arguments
from .claim import Claim
from .fields import CHANGES, WRITTEN, check_fields, check_id, known
from .importing import folder_being_read
from .layer import Law, laws_made
from .measurement import Measurement
from .place import Place, calling_place

OWN: dict[str, Any] = {
    "reading": None,
    "unmended": None,
    "missing": None,
    "over_all_parameters": (),
    "expect": None,
}
"""What an amendment does not inherit."""


def _filled(fields: dict[str, Any], inherits: bool) -> dict[str, Any]:
    """The fields with the parameters of a construction that comes without any; other parameters end its being said."""
    construction = fields.get("construction")
    if isinstance(construction, Construction) and "parameters" not in fields:
        return {**fields, "parameters": construction.parameters}
    if inherits and "parameters" in fields and "construction" not in fields:
        return {**fields, "construction": None}
    return fields


def _printed_readings(id: str, body: Callable[..., Any]) -> dict[str, Any]:
    """The keyword-only arguments of a body with their defaults."""
    wanted = arguments(f"claim {id}: the body", body).values()
    return {
        p.name: p.default for p in wanted if p.kind is p.KEYWORD_ONLY and p.default is not p.empty
    }


LeftOut = list[tuple[UsageError, Place | None]]
"""What is wrong with claims, and where each is written."""
_left_out: ContextVar[LeftOut | None] = ContextVar("left_out", default=None)


@contextmanager
def leaving_out() -> Iterator[LeftOut]:
    """A claim that cannot be taken down is left out in this block, and what is wrong with it is noted.

    Of a law that is made in it and given to no source a warning is told, at its line.
    """
    noted: LeftOut = []
    token = _left_out.set(noted)
    try:
        with laws_made() as laws:
            yield noted
    finally:
        _left_out.reset(token)
    for law in laws:
        if law not in _taken and law.place is not None:
            said = f"the law {law.says!r} is made and given to no source; write paper.law('paper.name', …) around it"
            warnings.warn_explicit(said, UserWarning, law.place.file, law.place.line)


_taken: WeakSet[Law] = WeakSet()
"""The laws that a source has."""


class Row:
    """A claim with its amendments, as written down in a source."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.amendments: list[Claim] = []
        self.places: dict[str, Place | None] = {claim.id: calling_place()}
        """Where each statement is written down, by id."""

    def amend(self, suffix: str, says: str, **changes: Any) -> Row:
        """A mended statement `<id>+<suffix>`, with the same body.

        Args:
            suffix: what is mended, for example "sign" or "sign+scale".
            says: the mended statement.
            changes: fields of the claim to replace (`given`, `sizes`, `construction`, `parameters`, `corrections`,
                `hypotheses`, `assuming`), and readings (keyword-only arguments of the body). Of the statement printed
                alone are `reading`, `unmended`, `over_all_parameters` and `expect`: an amendment says them anew; and
                parameters without a construction have none.

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
            **{**OWN, **_filled(fields, inherits=True)},
        )
        check_fields(claim, written=fields)
        if any(other.id == claim.id for other in self.amendments):
            raise UsageError(f"amendment {claim.id} is defined twice; give each its own suffix.")
        self.amendments.append(claim)
        self.places[claim.id] = calling_place()
        return self

    def restate(
        self, suffix: str, says: str, **changes: Any
    ) -> Callable[[Callable[..., Any]], Row]:
        """The same with a body of its own: use as a decorator."""

        def decorate(body: Callable[..., Any]) -> Row:
            return self.amend(suffix, says, body=body, **changes)

        return decorate


class Source:
    """A paper (or chapter) and the rows that it claims.

    Args:
        name: what the ids of its rows begin with.
        title: of the paper.
        arxiv: its number there.
        own: whether its statements are asked by who writes them down here, so that one that fails is no slip.
        slips: what an author got wrong, in words, each with the ids of the claims that fail by it; for pages of errata.
    """

    def __init__(
        self,
        name: str,
        title: str,
        arxiv: str | None = None,
        *,
        own: bool = False,
        slips: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        check_id(name)
        file = sys._getframe(1).f_globals.get("__file__")
        self.file = Path(file).resolve() if file else None
        """The file that defines it."""
        self.home = self.file and self.file.parent
        """The folder of that file; its certificates lie beside it."""
        self.name = name
        self.title = title
        self.arxiv = arxiv
        self.own = own
        self.slips = {words: tuple(ids) for words, ids in (slips or {}).items()}
        self.rows: list[Row] = []

    def claim(
        self,
        id: str,
        *,
        says: str | None = None,
        where: str = "",
        kind: str = "identity",
        **fields: Any,
    ) -> Callable[[Callable[..., Any]], Row]:
        """Decorate a body to add a row; see the module's docstring, and `Claim` for the fields.

        Raises:
            UsageError: for a field that is unknown or of the wrong type, and for a name that nothing uses.
        """
        known(f"claim {id}", fields, WRITTEN)
        if says is None:
            raise UsageError(f'claim {id} does not say what it claims; give says="…".')
        fields = _filled(fields, inherits=False)

        def decorate(body: Callable[..., Any]) -> Row:
            options = _printed_readings(id, body)
            own = {"options": options, "folder": folder_being_read()}
            return self._add(Claim(id, self.name, where, kind, says, body, **own, **fields))

        return decorate

    def law(self, id: str, law: Law, *, where: str = "", **fields: Any) -> Row:
        """Add a row for a law of a layer, such as `layer.resumes(forward)`; `fields` as in `claim`.

        Raises:
            UsageError: for something else than a law, and as `claim` does.
        """
        if not isinstance(law, Law):
            raise UsageError(
                f"law {id}: expects what a method of Layer makes, such as layer.causal(forward), got {law!r}."
            )
        _taken.add(law)
        written = {"says": law.says, "given": law.given, **fields}
        return self.claim(id, where=where, **written)(law.body)

    def unchecked(
        self,
        id: str,
        *,
        says: str | None = None,
        missing: str | None = None,
        where: str = "",
        kind: str = "remark",
        **fields: Any,
    ) -> Row:
        """Add a row that no machine decides here, and say what is missing; its verdict is never better than unknown."""
        known(f"claim {id}", fields, ("missing", *WRITTEN))
        if says is None or missing is None:
            raise UsageError(
                f'claim {id} does not say what it claims, or what is missing; give says="…", missing="…".'
            )
        return self._add(Claim(id, self.name, where, kind, says, None, missing=missing, **fields))

    def measured(
        self,
        id: str,
        *,
        says: str,
        where: str = "",
        reading: str | None = None,
        measured: Callable[[], Measurement],
    ) -> Row:
        """Add an empirical row: `measured` computes, or reads from records, what its figures are compared with."""
        about = {"reading": reading, "measured": measured}
        return self._add(Claim(id, self.name, where, "empirical", says, None, **about))

    def _add(self, claim: Claim) -> Row:
        row = Row(claim)
        try:
            self._look_at(claim)
        except UsageError as error:
            noted = _left_out.get()
            if noted is None:
                raise
            noted.append((error, row.places[claim.id]))
            return row
        self.rows.append(row)
        return row

    def _look_at(self, claim: Claim) -> None:
        check_fields(claim)
        if any(row.claim.id == claim.id for row in self.rows):
            raise UsageError(
                f"claim {claim.id} is defined twice in source {self.name}; give each its own id."
            )
