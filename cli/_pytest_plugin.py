"""The pytest plugin: each claim of a claim file is a test, `claims.py::mine.last`.

What is refuted fails, what is unknown is an expected failure with its reason, what is proved at fixed sizes passes with
a warning. Nothing of scanproof is imported before a file with the name of a claim file is met.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from scanproof.proofs.decide.ledger import Ledger
    from scanproof.proofs.language.claim import Claim
    from scanproof.proofs.language.pinned import Definitions
    from scanproof.proofs.language.place import Place

MAY_FAIL = ("unknown", "fixed-sizes")
"""What fails only if one says so."""
WIDTH = 96


class ClaimWarning(pytest.PytestWarning):
    """A claim holds, and there is something to be said of it: it is proved at fixed sizes, its certificate is stale."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """The options and settings of the plugin."""
    _run_as_written(pluginmanager)
    group = parser.getgroup("scanproof", "claims that scanproof decides")
    group.addoption(
        "--scanproof-fail",
        metavar="WHAT",
        help="what fails besides refuted claims: unknown, fixed-sizes, or both with a comma between",
    )
    group.addoption(
        "--scanproof-locked",
        action="store_true",
        default=None,
        help="fail claims that are not what scanproof.lock says",
    )
    group.addoption(
        "--scanproof-time-limit",
        metavar="SECONDS",
        help="seconds that one claim may take; then it is unknown [300]",
    )
    group.addoption(
        "--scanproof-memory-limit",
        metavar="4G",
        help="memory that one claim may hold; then it is unknown [half of the machine's, divided by pytest's workers]",
    )
    parser.addini(
        "scanproof_files",
        "names of claim files [claims.py *_claims.py claims_*.py]; nothing switches the plugin off",
        type="args",
        default=None,
    )
    parser.addini("scanproof_fail", "as --scanproof-fail", type="args", default=[])
    parser.addini("scanproof_locked", "as --scanproof-locked", type="bool", default=False)
    parser.addini("scanproof_time_limit", "as --scanproof-time-limit", default="300")
    parser.addini("scanproof_memory_limit", "as --scanproof-memory-limit", default=None)


def _run_as_written(pluginmanager: pytest.PytestPluginManager) -> None:
    """Have pytest rewrite no `assert` of scanproof, as it does in packages that have a plugin: it takes a second."""
    marked = getattr(getattr(pluginmanager, "rewrite_hook", None), "_must_rewrite", None)
    if isinstance(marked, set):
        marked.discard("scanproof")


def pytest_configure(config: pytest.Config) -> None:
    """Make known the mark that claims have, and look at the options."""
    config.addinivalue_line("markers", "scanproof: a claim that scanproof decides")
    _failing(config)
    _time_limit(config)
    if _said(config, "memory_limit"):
        _memory_limit(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Claim files, by their names; a file that is named itself may have any."""
    if file_path.suffix != ".py":
        return None
    from scanproof.proofs.decide.claim_files import CLAIM_FILES, imports_scanproof, is_claim_file

    names = parent.config.getini("scanproof_files")
    names = CLAIM_FILES if names is None else names
    named = bool(names) and parent.session.isinitpath(file_path)
    if is_claim_file(file_path, names) or (named and imports_scanproof(file_path)):
        return ClaimFile.from_parent(parent, path=file_path)
    return None


def _failing(config: pytest.Config) -> list[str]:
    given = config.getoption("scanproof_fail")
    wanted = config.getini("scanproof_fail") if given is None else given.split(",")
    wanted = [name.strip(", ") for name in wanted]
    for name in wanted:
        if name and name not in MAY_FAIL:
            raise pytest.UsageError(
                f"scanproof-fail {name}: no such thing; allowed: {', '.join(MAY_FAIL)}."
            )
    return wanted


def _time_limit(config: pytest.Config) -> float:
    given = _said(config, "time_limit")
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise pytest.UsageError(
            f"scanproof-time-limit {given}: give a number of seconds greater than 0."
        )
    return seconds


def _memory_limit(config: pytest.Config) -> float:
    from scanproof.constructs.errors import UsageError
    from scanproof.proofs.decide.budget import memory

    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    try:
        return memory("scanproof-memory-limit", _said(config, "memory_limit") or None, workers)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None


def _said(config: pytest.Config, name: str) -> str:
    return config.getoption(f"scanproof_{name}") or config.getini(f"scanproof_{name}")


class ClaimFile(pytest.File):
    """A file of claims."""

    def collect(self) -> Iterator[ClaimItem]:
        """An item for each claim and each amendment."""
        from scanproof.constructs.errors import UsageError
        from scanproof.proofs.decide import ledger as ledgers

        pinned = _noted()
        try:
            ledger = ledgers.Ledger(ledgers.from_file(self.path, pinned))
        except ledgers.NoClaims:  # as a test file without tests
            return
        except UsageError as error:
            raise self.CollectError(str(error)) from None
        for row in ledger.rows:
            for claim in (row.claim, *row.amendments):
                yield ClaimItem.from_parent(
                    self,
                    name=claim.id,
                    claim=claim,
                    place=row.places.get(claim.id),
                    ledger=ledger,
                    pinned=pinned,
                )


@functools.cache
def _noted() -> Definitions:
    """scanproof's definitions, before any claim file ran."""
    from scanproof.proofs.decide.ledger import noted

    return noted()


class ClaimItem(pytest.Item):
    """One claim, as stated or amended."""

    def __init__(
        self,
        *,
        claim: Claim,
        place: Place | None,
        ledger: Ledger,
        pinned: Definitions,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.claim, self.place, self.ledger, self.pinned = claim, place, ledger, pinned
        self.add_marker(pytest.mark.scanproof)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the claim is written down; without a line pytest takes no warning of a test."""
        here = self.place is not None and Path(self.place.file) == self.path
        return self.path, self.place.line - 1 if self.place and here else 0, f"claim {self.name}"

    def runtest(self) -> None:
        """Decide the claim."""
        from scanproof.proofs.decide.certificates import CertificateNotes
        from scanproof.proofs.decide.row_verdicts import check
        from scanproof.proofs.language.source import Row
        from scanproof.proofs.report.words import (
            as_expected,
            caveats,
            fault,
            limited,
            unmet,
            verdict_words,
        )

        notes = CertificateNotes()
        report = check(
            self.ledger,
            [Row(self.claim)],
            jobs=1,
            time_limit=_time_limit(self.config),
            memory_limit=_memory_limit(self.config),
            notes=notes,
            pinned=self.pinned,
        )
        statement = report["claims"][0]["as_stated"]
        words, why = verdict_words(statement), fault(statement)
        said = [*caveats(statement), *notes.stale.values(), *notes.broken.values()]
        failing = _failing(self.config)
        expected = as_expected(statement)
        if words == "error" or (words == "refuted" and not expected) or unmet(statement):
            told = [unmet(statement)] if unmet(statement) else []
            told += [f"{words}: {why}"] if why else []
            pytest.fail(f"{'; '.join(told)}\n\n{self._story(report)}", pytrace=False)
        changed = self._unlike_locked(report)
        if changed:
            pytest.fail(changed, pytrace=False)
        if words == "not-checkable":
            pytest.skip(f"not checkable: {why}")
        if words == "unknown" and not expected:
            if "unknown" not in failing:
                pytest.xfail(f"unknown: {why}")  # does nothing under --runxfail
            pytest.fail(f"unknown: {why}", pytrace=False)
        said[:0] = [f"proved {sizes}" for sizes in limited(statement)]
        if words == "proved at fixed sizes":
            said.insert(0, f"proved at fixed sizes, not for all: {why}")
            if "fixed-sizes" in failing:
                pytest.fail(said[0], pytrace=False)
        for text in said:
            try:
                self.warn(ClaimWarning(f"{self.name}: {text}"))
            except ClaimWarning as error:  # filterwarnings = error
                pytest.fail(str(error), pytrace=False)

    def _story(self, report: dict[str, Any]) -> str:
        """What `scanproof show` prints of a claim."""
        from scanproof.proofs.report import story

        (record,) = report["claims"]
        source = report["sources"][record["source"]]
        file = self.nodeid.partition("::")[0]
        body = story.body_at(self.claim)
        found = story.render(record, record["as_stated"], source, body=body, files=[file])
        return story.as_text(found, WIDTH)

    def _unlike_locked(self, report: dict[str, Any]) -> str:
        """In what the claim is not what the lock file says, if that counts."""
        given = self.config.getoption("scanproof_locked")
        if not (self.config.getini("scanproof_locked") if given is None else given):
            return ""
        from scanproof.proofs.decide import lock
        from scanproof.proofs.decide.certificates import Certificates, Unusable
        from scanproof.proofs.decide.row_verdicts import homes

        sources = [s for s in self.ledger.sources if s.name == self.claim.source]
        at = Certificates(homes=homes(self.ledger))
        for root, now in lock.found(sources, report, at).items():
            again = f"`scanproof check {self.path.name} --lock` writes it anew"
            try:
                locked = lock.read(root / lock.FILE)
            except Unusable as error:
                return f"not to be compared with {lock.FILE}: {error}; {again}"
            if locked is None:
                return f"not to be compared with {lock.FILE}: there is none; {again}"
            now.known.clear()
            for why in lock.changes(locked, now, root).claims.values():
                return f"not what {lock.FILE} says: {why}; {again}"
        return ""
