"""All that the pages show of the ledger: verdicts, derivations, scripts, and what can be run and exported.

A claim whose certificate does not settle it stops the build. Derivations are printed from certificates, but for a few
whose formulas come to their normal forms sooner by the search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from scanproof._show import _program as program
from scanproof._targets import core
from scanproof.constructs.errors import UsageError
from scanproof.numeric.export import targets
from scanproof.numeric.export.parts import Request
from scanproof.numeric.export.request import build, checked
from scanproof.numeric.run import rows as running
from scanproof.proofs.check.certificate import Met
from scanproof.proofs.decide import workers
from scanproof.proofs.decide.certificates import CertificateNotes, Certificates
from scanproof.proofs.decide.row_verdicts import check, homes
from scanproof.proofs.language.source import Row
from scanproof.proofs.report.derivation.rendering import Rendering, render_all
from scanproof.proofs.report.standing import statements

from .terms import unknown

Record = Mapping[str, Any]


class Unsettled(Exception):
    """A claim without a certificate, or with one that does not settle it."""


@dataclass(frozen=True)
class Ledger:
    """What pages are made of."""

    report: Record
    renderings: Mapping[str, Rendering] = field(default_factory=dict)
    """The derivation of each statement, by id."""
    scripts: Mapping[str, str] = field(default_factory=dict)
    """For each refuted statement its counterexample as a program."""
    runs: frozenset[str] = frozenset()
    """The statements that `scanproof run` takes."""
    met: Mapping[str, Record] = field(default_factory=dict)
    """For statements with conditions sizes and inputs that meet them, as their certificates have them."""
    exports: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The statements that `scanproof export` takes, with its targets."""

    @cached_property
    def claims(self) -> Mapping[str, Record]:
        """The claims by id."""
        return {claim["id"]: claim for claim in self.report["claims"]}

    @cached_property
    def ids(self) -> Mapping[str, str]:
        """The claim of each statement, by id."""
        return {s["id"]: c["id"] for c in self.report["claims"] for s, _ in statements(c)}

    def of(self, source: str) -> list[Record]:
        """The claims of a source."""
        return [claim for claim in self.report["claims"] if claim["source"] == source]


def gather(patterns: Sequence[str] = ()) -> Ledger:
    """What is to be shown of these rows; of all if none are named.

    Raises:
        Unsettled: if a claim has no certificate that settles it.
    """
    ledger = core(None).ledger
    rows = ledger.select(patterns)
    notes = CertificateNotes()
    report = check(ledger, rows, certificates=Certificates(search=False), notes=notes)
    expect_settled(report, notes)
    strangers = [] if patterns else unknown([c["id"] for c in report["claims"]])
    if strangers:
        raise Unsettled(
            "\n".join(f"docs/_site/terms.py: {id} is not a claim of the ledger" for id in strangers)
        )
    found = render_all(rows, report, Certificates(homes=homes(ledger)))
    proved = [
        s["id"] for c in report["claims"] for s, _ in statements(c) if s["verdict"] == "proved"
    ]
    exports = {id: names for id in proved if (names := _exports(id))}
    runs = frozenset(claim.id for claim in _claims(rows) if claim.id in running.constructed())
    met = _met(rows, Certificates(homes=homes(ledger)))
    return Ledger(report, found, _scripts(ledger, rows, report), runs, met, exports)


def expect_settled(report: Record, notes: CertificateNotes) -> None:
    """Raises Unsettled, which names each claim whose certificate is missing, damaged or of another claim."""
    wrong = {
        **dict.fromkeys(notes.missing, "there is no certificate"),
        **notes.stale,
        **notes.broken,
    }
    wrong |= {
        s["id"]: s["reason"]
        for claim in report["claims"]
        for s, _ in statements(claim)
        if s["verdict"] == "error"
    }
    where = {s["id"]: s["written"] for c in report["claims"] for s, _ in statements(c)}
    lines = [f"{where.get(id)}: {id}: {why}" for id, why in wrong.items()]
    if lines:
        raise Unsettled(
            "\n".join([*lines, "`scanproof check --save` finds and writes certificates."])
        )


def _claims(rows: Sequence[Row]) -> list[Any]:
    return [claim for row in rows for claim in (row.claim, *row.amendments)]


def _met(rows: Sequence[Row], certificates: Certificates) -> dict[str, Record]:
    found = {}
    for claim in _claims(rows):
        if claim.hypotheses or claim.assuming:
            every = getattr(certificates.load(claim), "by", ())
            for one in every if isinstance(every, tuple) else ():
                if isinstance(one, Met):
                    inputs = {name: _lists(value) for name, value in one.inputs}
                    found[claim.id] = {"sizes": dict(one.sizes), "inputs": inputs}
    return found


def _lists(value: Any) -> Any:
    return [_lists(one) for one in value] if isinstance(value, tuple) else value


def _scripts(ledger: Any, rows: Sequence[Row], report: Record) -> dict[str, str]:
    refuted = {s["id"] for c in report["claims"] for s, _ in statements(c) if s["counterexample"]}
    claims = [claim for claim in _claims(rows) if claim.id in refuted]
    tasks = [partial(program, claim, homes(ledger), None) for claim in claims]
    return {claims[a.index].id: a.value for a in workers.run(tasks) if not a.missing}


def _exports(id: str) -> list[str]:
    """The targets that take a statement's construction."""
    try:
        return targets.for_family(build(checked(Request(id, features=2, examples=3))).family)
    except UsageError:
        return []
