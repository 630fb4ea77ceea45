"""What `scanproof.prove` and `scanproof.check` return: verdicts that are true or false, and print themselves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from scanproof.proofs.language.expect import is_met

if TYPE_CHECKING:
    from scanproof.proofs.decide.ledger import Ledger
    from scanproof.proofs.decide.outcome import Outcome
    from scanproof.proofs.language.claim import Claim
    from scanproof.proofs.language.pinned import Definitions
    from scanproof.proofs.report.derivation.document import Derivation
    from scanproof.proofs.report.story import Story


@dataclass(frozen=True)
class Counterexample:
    """Sizes and inputs at which two sides differ, and both sides there.

    Arrays hold floats, so that programs take them; `exact` is the same in fractions.
    """

    sizes: dict[str, int]
    inputs: dict[str, Any]
    """The arrays by name; of a claim that no map does something, two such inputs, `first` and `second`."""
    actual: Any
    """What the program, or the claim's left side, gives."""
    claimed: Any
    """What the specification, or the claim's right side, gives."""
    part: str = ""
    """Which output of several differs, or which of the claim's statements."""
    record: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """As the JSON report has it: each number as text."""

    @property
    def exact(self) -> Counterexample:
        """The same with fractions in place of floats; a number that is no fraction, such as √2, is its text."""
        return _counterexample(self.record, _fraction)


def _counterexample(record: Mapping[str, Any], number: Callable[[str], Any]) -> Counterexample:
    return Counterexample(
        dict(record["sizes"]),
        _arrays(record["inputs"], number),
        _arrays(record["actual"], number),
        _arrays(record["claimed"], number),
        record.get("part", ""),
        record,
    )


def _arrays(value: Any, number: Callable[[str], Any]) -> Any:
    """Nested lists of numbers in text as arrays; two sides of other shapes as a list of arrays."""
    if isinstance(value, Mapping):
        return {name: _arrays(one, number) for name, one in value.items()}
    try:
        entries = np.array(value, dtype=object)
    except ValueError:
        return [_arrays(one, number) for one in value]
    found = np.array([number(str(one)) for one in entries.flat], dtype=object)
    found = found.reshape(entries.shape)
    return found.astype(float) if all(isinstance(one, float) for one in found.flat) else found


def _fraction(text: str) -> Any:
    try:
        return Fraction(text)
    except ValueError:
        return text


def _float(text: str) -> Any:
    exact = _fraction(text)
    try:
        return float(exact)
    except ValueError:
        return text


class Verdict:
    """A verdict: true only where it is proved for all sizes, or is the one that is expected."""

    verdict: str
    """ "proved", "refuted", "unknown", "supported", "not-checkable" or "error"."""
    scope: str | None
    """ "all-sizes" or "fixed-size" for what is proved."""
    reason: str | None
    """Why it is not proved, or not for all sizes."""
    expected: str | None = None
    """The verdict that is known beforehand, such as "refuted", if one is."""
    tainted: bool = False
    """Whether it rests on what is not proved."""

    @property
    def report(self) -> Mapping[str, Any]:
        """Its part of the report as JSON."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """The verdict as it may be printed: "proved" alone is for all sizes."""
        from scanproof.proofs.report.words import verdict_said

        return verdict_said(self.report)

    def __bool__(self) -> bool:
        return is_met(self.expected or "proved", self.words) and not self.tainted

    @property
    def _record(self) -> Mapping[str, Any] | None:
        """The counterexample's part of the report."""
        return self.report["counterexample"]

    @cached_property
    def counterexample(self) -> Counterexample | None:
        """Where it fails, if it is refuted."""
        return None if self._record is None else _counterexample(self._record, _float)


class ProofResult(Verdict):
    """What `scanproof.prove` finds out about a program and its specification."""

    def __init__(
        self,
        outcome: Outcome,
        sizes: Mapping[str, Sequence[int]] | None = None,
        expected: str | None = None,
    ) -> None:
        self.outcome = outcome
        """All that was found out; `report` is the same as data."""
        found = outcome.result
        self.verdict, self.scope, self.reason = found.verdict, found.scope, found.reason
        self.program, self.specification = outcome.program, outcome.specification
        self.expected, self._sizes = expected, sizes or {}

    @property
    def report(self) -> dict[str, Any]:
        """What `scanproof prove --format json` writes, but for the time it took."""
        return self.outcome.as_dict()

    @property
    def statement(self) -> str:
        """What is to be proved: both functions, the arrays that they take, and the sizes; and what was proved of it."""
        from scanproof.proofs.language.sizes import names
        from scanproof.proofs.report.words import conditions

        shapes = self.outcome.shapes
        arrays = ", ".join(f"{name}: {text}".strip() for name, text in shapes.items())
        least = {n: min(self._sizes.get(n) or (1,)) for n in names(list(shapes.values()))}
        sizes = ", ".join(f"{name} ≥ {value}" for name, value in least.items())
        asked = conditions(self.outcome.result.evidence)
        over = f", and all {sizes}" + (f" with {asked}" if asked else "") if sizes else ""
        formulas = [f"  {line}" for line in self.outcome.proved]
        head = f"{self.program} = {self.specification}\n  for all arrays of real numbers {arrays}{over}"
        return "\n".join([head, *formulas])

    @property
    def script(self) -> str | None:
        """A stand-alone script that shows that the two differ; None if no inputs were found on which they do.

        Raises:
            UsageError: for functions that cannot be imported by their names, as lambdas.
        """
        from ._prove import program_text

        return program_text(self.outcome)

    def __str__(self) -> str:
        from ._prove import _text

        return _text(self.outcome).rstrip()

    def __repr__(self) -> str:
        return f"<ProofResult {self.program} = {self.specification}: {self.words}>"

    def _repr_html_(self) -> str:
        from scanproof.proofs.report import html

        head, *lines = str(self).splitlines()
        names = f"<code>{html.text(f'{self.program} = {self.specification}')}</code>"
        said = head.removeprefix(f"{self.program} = {self.specification}: ")
        proved = {line.strip() for line in self.outcome.proved}
        rest = [
            html.line_formula(line) if line.strip() in proved else html.block([line.strip()])
            for line in lines
        ]
        return f"<div><p>{names}: {html.verdict(said)}</p>{''.join(rest)}</div>"


class ClaimResult(Verdict):
    """The verdict on one statement of a row: the claim as stated, or an amendment."""

    def __init__(
        self,
        ledger: Ledger,
        claim: Claim,
        row: Mapping[str, Any],
        record: Mapping[str, Any],
        source: Mapping[str, Any],
        files: Sequence[str],
        pinned: Definitions | None,
    ) -> None:
        self.id, self.says = claim.id, claim.says
        self.where, self.kind = row["where"], row["kind"]
        self.verdict, self.scope, self.reason = (record[n] for n in ("verdict", "scope", "reason"))
        self.tainted, self.expected = record["tainted"], record.get("expect")
        self.amendments: list[ClaimResult] = []
        self._of = ledger, claim, pinned
        self._told = row, record, source, files

    @property
    def report(self) -> Mapping[str, Any]:
        """What `scanproof check --format json` writes of the statement."""
        return self._told[1]

    def _story(self, symbols: Sequence[str] = ()) -> Story:
        from scanproof.proofs.report import story

        row, record, source, files = self._told
        written, body = story.written_at(self._of[1]), story.body_at(self._of[1])
        return story.render(
            row, record, source, written=written, body=body, files=files, symbols=symbols
        )

    def _symbols(self, form: str) -> list[str]:
        from scanproof.proofs.report.story import MARGIN, WIDTH
        from scanproof.proofs.report.symbols import told

        return told(self._of[1], self.report, form, WIDTH - len(MARGIN))

    @cached_property
    def _derivation(self) -> Derivation | None:
        from scanproof.proofs.report.derivation.rendering import derived

        return derived(self._of[1], self.report)

    @property
    def statement(self) -> str:
        """What `scanproof show` prints: the statement, how it is read, its verdict and what that rests on, derived."""
        from scanproof.proofs.report import story
        from scanproof.proofs.report.derivation.text import as_text

        shown = "" if self._derivation is None else f"\n{as_text(self._derivation)}"
        return story.as_text(self._story(self._symbols("text"))) + shown

    @cached_property
    def script(self) -> str | None:
        """The counterexample as a program that needs the standard library alone; None if there is none."""
        from ._show import _script

        ledger, claim, pinned = self._of
        return None if self._record is None else _script(ledger, claim, pinned)

    def __str__(self) -> str:
        from scanproof.proofs.report.story import as_text

        return as_text(self._story()).rstrip()

    def __repr__(self) -> str:
        return f"<ClaimResult {self.id}: {self.words}>"

    def _repr_html_(self) -> str:
        from scanproof.proofs.report import html

        return html.story(self._story(self._symbols("latex")), self._derivation)


class CheckResult:
    """What `scanproof.check` finds out: a result for each row, in order, and by id."""

    def __init__(
        self,
        ledger: Ledger,
        report: dict[str, Any],
        own: Collection[str],
        files: Sequence[str],
        pinned: Definitions | None,
    ) -> None:
        self.report = report
        """The report as `scanproof check --format json` writes it."""
        self._own, self._files = own, files
        self.rows: list[ClaimResult] = []
        known = {row.claim.id: row for row in ledger.rows}
        for one in report["claims"]:
            row = known[one["id"]]
            source = report["sources"][one["source"]]
            made = [
                ClaimResult(ledger, claim, one, record, source, files, pinned)
                for claim, record in zip(
                    (row.claim, *row.amendments), (one["as_stated"], *one["amended"]), strict=True
                )
            ]
            made[0].amendments = made[1:]
            self.rows.append(made[0])

    @property
    def statements(self) -> list[ClaimResult]:
        """The rows' claims and their amendments."""
        return [one for row in self.rows for one in (row, *row.amendments)]

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each verdict, as stated; "proved*" is proved at fixed sizes."""
        from scanproof.proofs.report.long_table import short_verdict

        found: dict[str, int] = {}
        for row in self.rows:
            words = short_verdict(row.report)
            found[words] = found.get(words, 0) + 1
        return found

    def __bool__(self) -> bool:
        return bool(self.rows) and all(self.statements)

    def __iter__(self) -> Iterator[ClaimResult]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, id: str | int) -> ClaimResult: ...
    @overload
    def __getitem__(self, id: slice) -> list[ClaimResult]: ...
    def __getitem__(self, id: str | int | slice) -> ClaimResult | list[ClaimResult]:
        if not isinstance(id, str):
            return self.rows[id]
        for one in self.statements:
            if one.id == id:
                return one
        from scanproof.proofs.decide.ledger import unknown

        raise KeyError(unknown(id, [one.id for one in self.statements]))

    def __str__(self) -> str:
        from scanproof.proofs.report.standing import blames
        from scanproof.proofs.report.table import table

        wrong = blames(self.report, own=self._own)
        return table(self.report, wrong, own=self._own, files=self._files).rstrip()

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {verdict}" for verdict, n in self.counts.items())
        return f"<CheckResult of {len(self)} rows: {counts or 'none'}>"

    def _repr_html_(self) -> str:
        from scanproof.proofs.report import html
        from scanproof.proofs.report.words import fault

        rows = [
            [
                f"<code>{html.text(one.id)}</code>",
                html.verdict(one.words),
                html.text(one.says),
                html.text(fault(one.report)),
            ]
            for one in self.statements
        ]
        return html.table(["claim", "verdict", "what it says", "why not"], rows)
