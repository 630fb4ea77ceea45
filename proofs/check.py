"""Checking rows: every claim to its verdict, the rows to a report (the JSON of report/report.schema.json)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from .evidence.engines import ENGINES
from .evidence.verdict import Result, decide
from .language.claim import Claim, Row
from .language.errors import UsageError
from .ledger import Ledger

VERDICTS = ("proved", "refuted", "supported", "unknown", "not-checkable", "error")
Progress = Callable[[str, int, int], None]
"""Called with a row's id, how many rows are done, and how many there are."""

_work: list[Claim] = []
"""The claims to decide; a forked worker finds them here, since their bodies cannot be pickled."""


def check(
    ledger: Ledger,
    rows: Sequence[Row] | None = None,
    *,
    engine: str = "all",
    jobs: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Decide every row and its amendments.

    Args:
        ledger: where the rows come from (for the sources' titles).
        rows: the rows to check; all of the ledger's if none are given.
        engine: "all", "sympy", "flint", or "kernel", which is all of them and then the kernel.
        jobs: processes; as many as there are processors if not given, and one where processes cannot fork.
        progress: told about each claim that is done.

    Returns:
        The report as a dictionary that `json.dump` takes.

    Raises:
        UsageError: for an unknown engine.
    """
    if engine not in ENGINES:
        raise UsageError(f"--engine {engine}: no such engine; allowed: {', '.join(ENGINES)}.")
    rows = ledger.rows if rows is None else list(rows)
    started = time.perf_counter()
    claims = [claim for row in rows for claim in (row.claim, *row.amendments)]
    results, seconds = {}, {}
    for index, result, elapsed in _decided(claims, engine, jobs):
        results[claims[index].id] = result
        seconds[claims[index].id] = round(elapsed, 4)
        if progress is not None:
            progress(claims[index].id, len(results), len(claims))
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


def _decided(
    claims: list[Claim], engine: str, jobs: int | None
) -> Iterable[tuple[int, Result, float]]:
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1 or len(claims) < 8 or "fork" not in multiprocessing.get_all_start_methods():
        for index, claim in enumerate(claims):
            yield _timed(index, claim, engine)
        return
    _work[:] = claims
    import sympy  # noqa: F401  imported once, before the workers are forked

    context = multiprocessing.get_context("fork")
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_ignore_interrupts) as pool:
        try:
            futures = [pool.submit(_worker, index, engine) for index in range(len(claims))]
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            raise


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent process, which ends its workers without a traceback from each."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _worker(index: int, engine: str) -> tuple[int, Result, float]:
    return _timed(index, _work[index], engine)


def _timed(index: int, claim: Claim, engine: str) -> tuple[int, Result, float]:
    started = time.perf_counter()
    result = decide(claim, ENGINES[engine])
    return index, result, time.perf_counter() - started


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
    from scanproof import __version__

    return {"version": __version__, "commit": commit()}


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
