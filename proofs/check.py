"""Checking rows: every claim to its verdict, the rows to a report (the JSON of report/report.schema.json)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .evidence.engines import ENGINES
from .evidence.verdict import Result, decide
from .language.claim import Claim, Row
from .language.errors import UsageError
from .ledger import Ledger
from .workers import TIME_LIMIT, Answer, run

VERDICTS = ("proved", "refuted", "supported", "unknown", "not-checkable", "error")
Progress = Callable[[str, int, int], None]
"""Called with the id that is done (or those that are long in the work), how many are done, how many there are."""
PATIENCE = 2.0
"""Seconds after which progress names the claim that is being worked on."""


def check(
    ledger: Ledger,
    rows: Sequence[Row] | None = None,
    *,
    engine: str = "all",
    jobs: int | None = None,
    time_limit: float = TIME_LIMIT,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Decide every row and its amendments, in processes of their own where processes can fork.

    Args:
        ledger: where the rows come from (for the sources' titles).
        rows: the rows to check; all of the ledger's if none are given.
        engine: "all", "sympy", "flint", or "kernel", which is all of them and then the kernel.
        jobs: processes at once; as many as there are processors if not given.
        time_limit: seconds after which a claim is given up, and unknown.
        progress: told about each claim that is done, and those that take long.

    Returns:
        The report as a dictionary that `json.dump` takes.

    Raises:
        UsageError: for an unknown engine, or a time limit that is none.
    """
    if engine not in ENGINES:
        raise UsageError(f"--engine {engine}: no such engine; allowed: {', '.join(ENGINES)}.")
    if not time_limit > 0:
        raise UsageError(f"--time-limit {time_limit:g}: give a number of seconds greater than 0.")
    rows = ledger.rows if rows is None else list(rows)
    started = time.perf_counter()
    claims = [claim for row in rows for claim in (row.claim, *row.amendments)]
    results, seconds = {}, {}
    slow: dict[str, float] = {}

    def tell(id: str = "") -> None:
        text = ", ".join(f"{i} ({s:.0f} s)" for i, s in slow.items()) or id
        if text and progress is not None:
            progress(text, len(results), len(claims))

    def watch(running: Mapping[int, float]) -> None:
        slow.clear()
        slow.update((claims[i].id, s) for i, s in running.items() if s > PATIENCE)
        tell()

    if engine != "flint":
        import sympy  # noqa: F401  imported once, before the workers are forked

    tasks = [partial(decide, claim, ENGINES[engine]) for claim in claims]
    for answer in run(tasks, jobs=jobs, time_limit=time_limit, watch=watch):
        id = claims[answer.index].id
        results[id] = _result(answer)
        seconds[id] = round(answer.seconds, 4)
        slow.pop(id, None)
        tell(id)
    found = [_row(row, results) for row in rows]
    return {
        "schema": "scanproof.report/1",
        "tool": _tool(),
        "sources": {
            s.name: _source(s)
            for s in ledger.sources
            if any(r.claim.source == s.name for r in rows)
        },
        "summary": {v: sum(r["as_stated"]["verdict"] == v for r in found) for v in VERDICTS},
        "claims": found,
        "timing": {
            "total": round(time.perf_counter() - started, 3),
            **{c.id: seconds[c.id] for c in claims},
        },
    }


def _result(answer: Answer) -> Result:
    """A worker's answer as a result: it is one, or the worker came to no result."""
    if answer.timed_out:
        return Result("unknown", reason=f"not decided within {answer.seconds:g} s")
    if answer.ended is not None:
        hint = "; did memory run out? Give smaller sizes=" if "SIGKILL" in answer.ended else ""
        reason = f"the process that checked it ended with {answer.ended}{hint}"
        return Result("error", reason=reason)
    return answer.value


def _row(row: Row, results: dict[str, Result]) -> dict[str, Any]:
    claim = row.claim
    return {
        "id": claim.id,
        "source": claim.source,
        "where": claim.where,
        "kind": claim.kind,
        "as_stated": _statement(claim, results[claim.id]),
        "amended": [_statement(c, results[c.id]) for c in row.amendments],
        "unmended": claim.unmended,
        "depends_on": list(claim.depends_on),
    }


def _statement(claim: Claim, result: Result) -> dict[str, Any]:
    return {
        "id": claim.id,
        "statement": claim.says,
        "reading": claim.reading,
        "hypotheses": [*claim.hypotheses, *claim.assuming],
        "verdict": result.verdict,
        "scope": result.scope,
        "reason": result.reason,
        "tainted": False,
        "stale": False,
        "definitions": result.definitions,
        "evidence": result.evidence,
        "counterexample": result.counterexample.as_json() if result.counterexample else None,
        "near_misses": result.near_misses,
    }


def _source(source: Any) -> dict[str, Any]:
    return {"title": source.title, "arxiv": source.arxiv}


def _tool() -> dict[str, Any]:
    from importlib.metadata import version

    return {"version": version("scanproof"), "commit": commit()}


def commit() -> str | None:
    """The commit of the checkout that this package runs from, or None outside one."""
    import shutil
    import subprocess
    from pathlib import Path

    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists() or shutil.which("git") is None:
        return None
    asked = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True
    )
    return asked.stdout.strip() or None
