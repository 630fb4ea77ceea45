"""Checking rows: every claim to its verdict, the rows to a report (the JSON of report/report.schema.json)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from scanproof.constructs.errors import UsageError

from ..check.result import Result
from ..exact.engines import ENGINES, Engines
from ..language.claim import Claim
from ..language.expect import is_met
from ..language.importing import importing_from
from ..language.pinned import Definitions, Redefined, of_user
from ..language.sizes import Sizes
from ..language.source import Row
from .budget import TIME_LIMIT, memory, seconds
from .certificates import CertificateNotes, Certificates
from .dependence import needed, tainted
from .ledger import Ledger, built_in
from .places import files, written
from .substance import told
from .verdict import decide
from .workers import Answer, AtWork, Watch, run

MENDING = "what would mend "

VERDICTS = ("proved", "refuted", "supported", "unknown", "not-checkable", "error")
Progress = Callable[[str, int, int], None]
"""Called with the id that is done (or those that are long in the work), how many are done, how many there are."""
Then = Callable[[Claim, Result], Any]
"""Called with a claim and its result where that was found."""
Asked = Mapping[str, tuple[Engines, Certificates]]
"""By claim's id, the engines and certificates that are asked about it."""
PATIENCE = 2.0
"""Seconds after which progress names the claim that is being worked on."""


def check(
    ledger: Ledger,
    rows: Sequence[Row] | None = None,
    *,
    engine: str = "all",
    jobs: int | None = None,
    time_limit: float = TIME_LIMIT,
    memory_limit: str | float | None = None,
    certificates: Certificates | None = None,
    notes: CertificateNotes | None = None,
    pinned: Definitions | None = None,
    progress: Progress | None = None,
    then: Then | None = None,
) -> dict[str, Any]:
    """Decide every row and its amendments, in processes of their own where processes can fork.

    Args:
        ledger: where the rows come from (for the sources' titles).
        rows: the rows to check; all of the ledger's if none are given.
        engine: "all", "sympy", "flint", or "kernel", which is all of them and then the kernel.
        jobs: processes at once; as many as there are processors if not given.
        time_limit: seconds after which a claim is given up, and unknown.
        memory_limit: memory at which it is, such as "4G", or a number of bytes; half of the machine's, divided by the
            claims that are decided side by side, if not given.
        certificates: where certificates lie, and what is done with them; those beside the sources are checked if
            nothing else is said, and all engines are asked.
        notes: takes what is to be said of certificates.
        pinned: what was noted of the package before a user's file ran; noted now if nothing is given.
        progress: called with each claim that is done, and those that take long.
        then: makes something of a claim and its result where it was decided, which still knows what it read;
            `notes` hears of it as the result's `added`.

    Returns:
        The report as a dictionary that `json.dump` takes.

    Raises:
        UsageError: for an unknown engine, a limit of 0 or less, or claims that depend on each other in a cycle.
    """
    if engine not in ENGINES:
        raise UsageError(f"--engine {engine}: no such engine; allowed: {', '.join(ENGINES)}.")
    seconds("--time-limit", time_limit)
    if memory_limit is not None:
        memory_limit = memory("--memory-limit", memory_limit)
    rows = ledger.rows if rows is None else list(rows)
    started = time.perf_counter()
    claims = [claim for row in rows for claim in (row.claim, *row.amendments)]
    others = _others(claims, ledger) if any(claim.depends_on for claim in claims) else []
    given = Certificates(read=engine == "all") if certificates is None else certificates
    given = replace(given, homes=homes(ledger))
    every = [*claims, *others]
    asked = _asked(claims, others, ENGINES[engine], given)
    work = _Work(every, Limits(jobs, time_limit, memory_limit), progress)
    work.decide(asked, pinned, then)
    searched = rows if engine == "all" and given.search else []
    work.mend([c for row in searched for c in _unmended(row, work.results)])
    results = work.results
    if notes is not None:
        for claim in claims:
            notes.add(claim.id, results[claim.id])
    unsupported = tainted(every, results)
    report = _report(ledger, [_row(row, results, unsupported) for row in rows])
    report["timing"] = {
        "total": round(time.perf_counter() - started, 3),
        **{c.id: work.seconds.get(c.id, 0.0) for c in claims},
    }
    return report


def _report(ledger: Ledger, found: list[dict[str, Any]]) -> dict[str, Any]:
    named = {row["source"] for row in found}
    return {
        "schema": "scanproof.report/1",
        "tool": _tool(),
        "sources": {s.name: _source(s) for s in ledger.sources if s.name in named},
        "summary": {v: sum(r["as_stated"]["verdict"] == v for r in found) for v in VERDICTS},
        "claims": found,
        "files": files(found),
    }


def _asked(
    claims: Sequence[Claim], others: Sequence[Claim], engines: Engines, given: Certificates
) -> Asked:
    """Claims that others depend on alone are not decided by the kernel where fixed sizes do, and leave no files."""
    fixed = replace(engines, kernel=False) if engines.fixed else engines
    of_others = {claim.id: (fixed, replace(given, write=False)) for claim in others}
    return {claim.id: (engines, given) for claim in claims} | of_others


class Limits(NamedTuple):
    """How many claims are decided side by side, and what each may take."""

    jobs: int | None
    time_limit: float
    memory_limit: float | None
    """Bytes; a share of the machine's memory if None."""


@dataclass
class _Work:
    """The claims of a check, with what was found of each, in workers that are watched."""

    claims: Sequence[Claim]
    limits: Limits
    progress: Progress | None
    results: dict[str, Result] = field(default_factory=dict)
    """Of those that are done."""
    seconds: dict[str, float] = field(default_factory=dict)
    slow: dict[str, float] = field(default_factory=dict)

    def advance(self, id: str = "") -> None:
        """Say what is done, or what is long in the work."""
        text = ", ".join(f"{i} ({s:.0f} s)" for i, s in self.slow.items()) or id
        if text and self.progress is not None:
            self.progress(text, len(self.results), len(self.claims))

    def watching(self, at_work: Sequence[Claim], what: str = "") -> Watch:
        """What names the claims that workers take long for."""

        def watch(running: Mapping[int, AtWork]) -> None:
            long = {i: at.seconds for i, at in running.items() if at.seconds > PATIENCE}
            self.slow = {f"{what}{at_work[i].id}": seconds for i, seconds in long.items()}
            self.advance()

        return watch

    def decide(self, asked: Asked, pinned: Definitions | None, then: Then | None) -> None:
        """Find the verdicts."""
        watch = self.watching(self.claims)
        for answer in _decided(self.claims, asked, self.limits, watch, pinned, then):
            id = self.claims[answer.index].id
            self.results[id] = _result(answer)
            self.seconds[id] = round(answer.seconds, 4)
            self.slow.pop(id, None)
            self.advance(id)

    def mend(self, refuted: Sequence[Claim]) -> None:
        """Find edits that mend the users' refuted claims."""
        shown = {c: self.results[c.id].counterexample for c in refuted}
        fails = {c: found.sizes for c, found in shown.items() if found is not None}
        watch = self.watching(list(fails), MENDING)
        for claim, answer in _mended(fails, self.limits, watch):
            self.results[claim.id].mends = answer.value or []
            self.seconds[claim.id] = round(self.seconds[claim.id] + answer.seconds, 4)


FEW = 8
"""Up to so many claims may do without sympy, whose import takes longer than they do."""


def _decided(
    every: Sequence[Claim],
    asked: Asked,
    limits: Limits,
    watch: Watch,
    pinned: Definitions | None,
    then: Then | None,
) -> Iterator[Answer]:
    """What workers find out about claims, each by the engines and certificates that are asked about it."""
    if not every:
        return iter(())
    if len(every) > FEW and any(engines.names != ["flint"] for engines, _ in asked.values()):
        import sympy  # noqa: F401  imported once, before the workers are forked
    tasks = []
    if any(map(of_user, every)):
        pinned = pinned or Definitions()
    for claim in every:
        task = partial(decide, claim, *asked[claim.id])
        if pinned is not None and of_user(claim):
            task = partial(_kept, pinned, task, claim)
        tasks.append(task if then is None else partial(_added, task, claim, then))
    return run(tasks, **limits._asdict(), watch=watch)


def _added(task: Callable[[], Result], claim: Claim, then: Then) -> Result:
    result = task()
    return replace(result, added=then(claim, result))


def _unmended(row: Row, results: Mapping[str, Result]) -> list[Claim]:
    """The user's statements of a row that are refuted without a mend, and not as expected."""
    amended = any(results[a.id].verdict == "proved" for a in row.amendments)
    own = [*([] if amended else [row.claim]), *row.amendments]
    news = [c for c in own if not is_met(c.expect, results[c.id].verdict)]
    return [c for c in news if results[c.id].verdict == "refuted" and of_user(c)]


def _mended(
    refuted: Mapping[Claim, Sizes], limits: Limits, watch: Watch
) -> Iterator[tuple[Claim, Answer]]:
    """Edits of the users' text that mend their claims, which fail at these sizes; workers look for them."""
    if not refuted:
        return
    from .mends import TIME_LIMIT as LONGEST

    claims = list(refuted)
    tasks = [partial(_mends_of, claim, refuted[claim], ENGINES["all"]) for claim in claims]
    limits = limits._replace(time_limit=min(limits.time_limit, LONGEST))
    for answer in run(tasks, **limits._asdict(), watch=watch):
        yield claims[answer.index], answer


def _mends_of(claim: Claim, fails: Sizes, engines: Engines) -> list[dict[str, Any]]:
    from .mends import mends

    with importing_from(claim.folder):
        return mends(claim, fails, engines)


def homes(ledger: Ledger) -> dict[str, Path]:
    """By claim's id, the folder beside whose certificates it stands."""
    every = [(row, s.home) for s in ledger.sources for row in s.rows if s.home is not None]
    return {c.id: home for row, home in every for c in (row.claim, *row.amendments)}


def _kept(pinned: Definitions, task: Callable[[], Result], claim: Claim) -> Result:
    """The result of a user's claim. Definitions that it replaces while it runs are put back for the claims after it."""
    try:
        with importing_from(claim.folder), pinned.kept(f"claim {claim.id}"):
            return told(claim, task())
    except Redefined as error:
        return Result("error", reason=str(error))


def _result(answer: Answer) -> Result:
    """A worker's answer as a result: it is one, or the worker came to no result."""
    if answer.hit is not None:
        return Result("unknown", reason=str(answer.hit))
    if answer.ended is not None:
        hint = "; did memory run out? Give smaller sizes=" if "SIGKILL" in answer.ended else ""
        reason = f"the process that checked it ended with {answer.ended}{hint}"
        return Result("error", reason=reason)
    return answer.value


def _others(claims: Sequence[Claim], ledger: Ledger) -> list[Claim]:
    """The claims, of this ledger or built in, that these depend on."""
    rows = [*built_in().rows, *ledger.rows]
    return needed(claims, {c.id: c for row in rows for c in (row.claim, *row.amendments)})


def _row(row: Row, results: dict[str, Result], unsupported: set[str]) -> dict[str, Any]:
    claim = row.claim
    return {
        "id": claim.id,
        "source": claim.source,
        "where": claim.where,
        "kind": claim.kind,
        "as_stated": _statement(row, claim, results[claim.id], unsupported),
        "amended": [_statement(row, c, results[c.id], unsupported) for c in row.amendments],
        "unmended": claim.unmended,
        "depends_on": list(claim.depends_on),
    }


def _statement(row: Row, claim: Claim, result: Result, unsupported: set[str]) -> dict[str, Any]:
    return {
        "id": claim.id,
        "written": written(row.places.get(claim.id)),
        "statement": claim.says,
        "reading": claim.reading,
        "hypotheses": [*claim.hypotheses, *claim.assuming],
        **({} if claim.expect is None else {"expect": claim.expect}),
        "verdict": result.verdict,
        "scope": result.scope,
        "reason": result.reason,
        "tainted": claim.id in unsupported,
        **({"vacuous": result.vacuous} if result.vacuous else {}),
        "stale": result.stale and result.verdict == "unknown",  # what was found anew is not
        "definitions": result.definitions,
        "evidence": result.evidence,
        "counterexample": result.counterexample.as_json() if result.counterexample else None,
        "near_misses": result.near_misses,
        "mends": result.mends,
    }


def _source(source: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"title": source.title, "arxiv": source.arxiv}
    if source.own:
        found["own"] = True
    if source.slips:
        found["slips"] = [{"words": w, "claims": list(ids)} for w, ids in source.slips.items()]
    return found


def _tool() -> dict[str, Any]:
    from importlib.metadata import version

    return {"version": version("scanproof"), "commit": commit()}


def commit() -> str | None:
    """The commit of the checkout that this package runs from, or None outside one."""
    import shutil
    import subprocess

    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists() or shutil.which("git") is None:
        return None
    asked = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True
    )
    return asked.stdout.strip() or None
