"""All that the pages show of the ledger: verdicts, derivations, scripts, and what can be run and exported.

A claim whose certificate does not settle it stops the build. Derivations are printed from certificates, but for a few
whose formulas come to their normal forms sooner by the search.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

from scanproof._show import _program as program
from scanproof._targets import core
from scanproof.constructs.errors import UsageError
from scanproof.numeric.export import targets
from scanproof.numeric.export.parts import Request
from scanproof.numeric.export.request import build, checked
from scanproof.numeric.run import rows as running
from scanproof.proofs.check.certificate import Met
from scanproof.proofs.check.result import Result
from scanproof.proofs.decide import workers
from scanproof.proofs.decide.budget import TIME_LIMIT
from scanproof.proofs.decide.certificates import CertificateNotes, Certificates
from scanproof.proofs.decide.row_verdicts import check, homes
from scanproof.proofs.kernel.checker import FORMAT, Refused
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.source import Row
from scanproof.proofs.report.derivation.rendering import Rendering, render
from scanproof.proofs.report.progress import progress
from scanproof.proofs.report.standing import statements
from scanproof.proofs.report.symbols import in_symbols, sizes_told

from .terms import unknown
from .titles import strangers, untitled

Record = Mapping[str, Any]
WIDTH = 92
"""Characters of a line of mathematics, which a page shows without a bar."""


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
    symbols: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What is recorded of each claim, as lines of mathematics."""
    bodies: Mapping[str, str] = field(default_factory=dict)
    """The Python that was recorded."""
    certificates: Mapping[str, str] = field(default_factory=dict)
    """The certificate of each statement with a proof for all sizes, as it lies in its file."""

    @cached_property
    def claims(self) -> Mapping[str, Record]:
        """The claims by id."""
        return {claim["id"]: claim for claim in self.report["claims"]}

    @cached_property
    def ids(self) -> Mapping[str, str]:
        """The claim of each statement, by id."""
        return {s["id"]: c["id"] for c in self.report["claims"] for s, _ in statements(c)}

    @cached_property
    def suffixes(self) -> frozenset[str]:
        """What ids of amendments add to their claims'."""
        return frozenset(id.removeprefix(claim) for id, claim in self.ids.items() if id != claim)

    def of(self, source: str) -> list[Record]:
        """The claims of a source."""
        return [claim for claim in self.report["claims"] if claim["source"] == source]


def gather(patterns: Sequence[str] = ()) -> Ledger:
    """What is to be shown of these rows; of all if none are named.

    Raises:
        Unsettled: if a claim has no certificate that settles it.
    """
    with suppress(ImportError):
        import jax  # noqa: F401  imported once, before workers are forked
    ledger = core(None).ledger
    rows = ledger.select(patterns)
    kept, notes = Certificates(homes=homes(ledger)), _Notes()
    print(f"checking {len(rows)} claims' certificates, writing their derivations", flush=True)
    with progress("certificates") as advance:
        report = check(
            ledger,
            rows,
            certificates=Certificates(search=False),
            notes=notes,
            progress=advance,
            time_limit=2 * TIME_LIMIT,
            then=partial(_proved, kept, frozenset(row.claim.id for row in rows)),
        )
    expect_settled(report, notes)
    _expect_named([c["id"] for c in report["claims"]], all_of_them=not patterns)
    print("writing the other derivations, and counterexamples", flush=True)
    shown = _shown_all(rows, report, kept, notes.shown)
    proved = [
        s["id"] for c in report["claims"] for s, _ in statements(c) if s["verdict"] == "proved"
    ]
    exports = {id: names for id in proved if (names := _exports(id))}
    runs = frozenset(claim.id for claim in _claims(rows) if claim.id in running.constructed())
    return Ledger(
        report,
        {id: one.rendering for id, one in shown.items()},
        {id: one.script for id, one in shown.items() if one.script},
        runs,
        _met(rows, kept),
        exports,
        {id: one.symbols for id, one in shown.items() if one.symbols},
        _bodies(rows),
        _texts(rows, kept),
    )


def _expect_named(ids: Sequence[str], all_of_them: bool) -> None:
    """Raises Unsettled where a claim has no title, or what has a title or terms is no claim."""
    lines = [f"docs/_site/titles.toml: {id} has no title" for id in untitled(ids)]
    if all_of_them:
        lines += [
            f"docs/_site/titles.toml: {id} is not a claim of the ledger" for id in strangers(ids)
        ]
        lines += [f"docs/_site/terms.py: {id} is not a claim of the ledger" for id in unknown(ids)]
    if lines:
        raise Unsettled("\n".join(lines))


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


def _texts(rows: Sequence[Row], certificates: Certificates) -> dict[str, str]:
    """The certificates in which a proof is written."""
    files = {claim.id: certificates.file(claim) for claim in _claims(rows)}
    texts = {id: f.read_text(encoding="utf-8") for id, f in files.items() if f and f.is_file()}
    return {id: text for id, text in texts.items() if f'"{FORMAT}"' in text}


def _lists(value: Any) -> Any:
    return [_lists(one) for one in value] if isinstance(value, tuple) else value


class Shown(NamedTuple):
    """What a page shows of a statement that takes a worker."""

    rendering: Rendering
    symbols: Sequence[str] = ()
    """The statement as lines of mathematics, of claims as stated."""
    script: str = ""
    """The counterexample as a program."""


@dataclass
class _Notes(CertificateNotes):
    """What is to be said of the certificates, and what is shown of those that prove a claim for all sizes."""

    shown: dict[str, Shown] = field(default_factory=dict)

    def add(self, id: str, result: Result) -> None:
        super().add(id, result)
        if result.added is not None:
            self.shown[id] = result.added


def _proved(
    certificates: Certificates, as_stated: Set[str], claim: Claim, result: Result
) -> Shown | None:
    """What is shown of a claim whose certificate was just checked; None if it does not prove it for all sizes."""
    if result.verdict != "proved" or result.scope != "all-sizes":
        return None
    statement = {"verdict": result.verdict, "scope": result.scope}
    with suppress(Refused, LookupError):  # which is told where the others are written
        rendering = render(claim, statement, certificates)
        wanted = claim.id in as_stated
        return Shown(rendering, in_symbols(claim, None, "text", WIDTH) if wanted else ())
    return None


def _shown_all(
    rows: Sequence[Row], report: Record, certificates: Certificates, known: Mapping[str, Shown]
) -> dict[str, Shown]:
    """What is shown of every statement, by id; a worker reads a claim once for all of it."""
    every = [pair for record in report["claims"] for pair in statements(record)]
    pairs = zip(_claims(rows), every, strict=True)
    others = [(claim, *pair) for claim, pair in pairs if pair[0]["id"] not in known]
    tasks = [partial(_shown, *one, certificates) for one in others]
    found = {s["id"]: Shown(Rendering(why="it was not written in time")) for _, s, _ in others}
    for answer in workers.run(tasks):
        if not answer.missing:
            found[others[answer.index][1]["id"]] = answer.value
    return {**known, **found}


def _shown(claim: Claim, statement: Record, amends: bool, certificates: Certificates) -> Shown:
    rendering = render(claim, statement, certificates)
    wanted = not amends and statement["verdict"] != "error"
    symbols = in_symbols(claim, sizes_told(statement), "text", WIDTH) if wanted else ()
    failing = statement["counterexample"]
    return Shown(rendering, symbols, program(claim, certificates.homes, None) if failing else "")


def _bodies(rows: Sequence[Row]) -> dict[str, str]:
    found = {}
    for claim in (row.claim for row in rows if row.claim.body is not None):
        with suppress(OSError, TypeError):
            found[claim.id] = textwrap.dedent(inspect.getsource(inspect.unwrap(claim.body)))
    return found


def _exports(id: str) -> list[str]:
    """The targets that take a statement's construction."""
    try:
        return targets.for_family(build(checked(Request(id, features=2, examples=3))).family)
    except UsageError:
        return []
