"""`make bench`: how fast the checks are, each figure beside what it is compared with, all in one run.

What whole processes take is CPU time, of all processes and with their start, in units of C: the CPU time of six
million turns of `x = (x * 31 + i) % 1000003; d[x & 1023] = i`, measured before and after each of them. For the engines
it is ratios on one identity.
"""

from __future__ import annotations

import gc
import lzma
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from tabulate import tabulate

from scanproof.constructs.constructions.gd_ssm import prop3
from scanproof.constructs.layers import gril
from scanproof.constructs.layers.multi_step import stack
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import HALF_MEAN
from scanproof.constructs.tokens import interleaved, windows

from .check.fidelity import choices, disagreement
from .check.instances.evaluate import evaluate
from .decide.certificates import FOLDER
from .decide.ledger import built_in
from .decide.workers import GARBAGE
from .doors.record.claims import record
from .doors.refused import Refused
from .exact.engines import holds
from .exact.expressions import ExpressionField
from .exact.instance import entry_names, symbols
from .exact.polynomials import FlintField, SympyField
from .exact.scalar import DivisionByZero, NotPolynomial
from .interpret.questions import Unreadable
from .interpret.session import session
from .language.claim import Claim
from .language.source import Source
from .language.statements import Equal, equal
from .readings.problem import NoProblem, problem
from .readings.residues import Residues, identical
from .statement.statement import Statement

SIZES = {"N": 8, "f": 4}
RUNS = 5

_source = Source("bench", "identities that are timed")


@_source.claim(
    "bench.one-step",
    says="one two-head layer is one step of gradient descent from W0, at the query",
    given={"x": "N+1 f", "y": "N f", "W0": "f f", "eta": ""},
    parameters=prop3,
)
def one_step(p, x, y, W0, eta, N):
    """One step from W0 ≠ 0 with f = k: the layer's output against the explicit learner's prediction."""
    _, predictions = stack(gril.two_head_step, p, windows(interleaved(x, y), 3, 2), W0, 1).outputs
    return equal(predictions[-1], x[N] @ gradient_descent(HALF_MEAN, W0, x[:N], y, eta))


def main() -> None:
    """Print every figure."""
    print("The ledger without JAX:")
    print(tabulate(_processes(), headers=["", "figure", "C", "goal"]), end="\n\n")
    print(
        f"One step of gradient descent at N = {SIZES['N']}, f = k = {SIZES['f']}, every entry a symbol:"
    )
    print(
        tabulate(_engines(), headers=["engine", "time", "ratio to flint", "identity"]), end="\n\n"
    )
    print("Proofs for all sizes, one process, interpretation and comparison with numbers included:")
    print(tabulate(_proofs(), headers=["", "figure", "goal"]), end="\n\n")
    print("`scanproof prove`, past imports and one proof before, in CPU time:")
    print(tabulate(_programs(), headers=["", "figure", "goal"]), end="\n\n")
    print("What holds, run at sizes beyond its evidence (no JAX), in CPU time:")
    print(tabulate(_beyond(), headers=["", "figure", "goal"]), end="\n\n")
    print("Claims as statements (no JAX), the whole ledger in one process:")
    print(tabulate(_statements(), headers=["", "figure", "goal"]))


WITHOUT_JAX = "import sys; sys.modules['jax'] = None; from scanproof._main import main; main()"
"""As where JAX is not installed: its rows are left out."""


def unit() -> float:
    """Seconds of C."""
    started = time.process_time()
    x, d = 1, [0] * 1024
    for i in range(6_000_000):
        x = (x * 31 + i) % 1000003
        d[x & 1023] = i
    return time.process_time() - started


def _processes() -> Iterator[list[str]]:
    """What checking the ledger takes, and what lies on disk."""
    scanproof = [sys.executable, "-c", WITHOUT_JAX]
    one = ["--jobs", "1"]  # two processes share a core's caches, and each takes longer
    check = [*scanproof, "check", *one]
    files = [path for s in built_in().sources for path in _certificates(s)]
    checker = [sys.executable, "-m", "scanproof.proofs.inequalities", "--quiet"]
    folders = sorted({str(path.parent) for path in files})
    every = [
        ("check --from-scratch", [*check, "--from-scratch"], "220"),
        ("check, with the certificates", check, "45"),
        ("show gril.eq10", [*scanproof, "show", "gril.eq10"], "0.7"),
        ("the checker by itself", [*checker, *folders], "3"),
        ("--help", [*scanproof, "--help"], ""),
    ]
    for name, command, goal in every:
        units, before = [unit()], _children()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        seconds, one_c = _children() - before, statistics.mean([*units, unit()])
        yield [name, f"{seconds / one_c:.1f} C", f"{one_c:.2f} s", goal and f"≤ {goal} C"]
    text = b"".join(path.read_bytes() for path in files)
    yield ["certificates", f"{len(text) / 1e6:.1f} MB", "", ""]
    packed = len(lzma.compress(text))
    yield ["certificates, packed", f"{packed / 1e6:.1f} MB", "", "≤ 3 MB"]


def _certificates(source: Source) -> list[Path]:
    return sorted((source.home / FOLDER).glob("*.json")) if source.home else []


def _statements() -> Iterator[list[str]]:
    """What recording the ledger takes, and what its readings do."""
    claims = [one for row in built_in().rows for one in (row.claim, *row.amendments) if one.body]
    made: dict[str, tuple[Claim, Statement]] = {}

    def recorded() -> None:
        for claim in claims:
            with suppress(Refused):
                made[claim.id] = claim, record(claim)

    def true() -> None:
        for claim, statement in made.values():
            disagreement(claim, statement)
            with suppress(NotPolynomial, DivisionByZero):
                residues = Residues(statement)
                for sizes in choices(claim)[3:9]:
                    identical(residues, sizes, random.Random(claim.id))

    def formulas() -> None:
        for _, statement in made.values():
            with session() as opened, suppress(NoProblem, Unreadable):
                problem(statement, opened)

    every: list[tuple[str, Callable[[], None], str]] = [
        ("recording", recorded, "3"),
        ("fidelity, and truth at 6 choices beyond the evidence", true, "12"),
        ("formulas for all sizes", formulas, "6"),
    ]
    gc.freeze()  # as workers do, which check claims one by one
    gc.set_threshold(GARBAGE, 20, 100)
    for name, run, goal in every:
        before, started = unit(), time.process_time()
        run()
        seconds = time.process_time() - started
        yield [name, f"{seconds / statistics.mean([before, unit()]):.1f} C", f"≤ {goal} C"]


def _children() -> float:
    """CPU seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _engines() -> list[list[str]]:
    claim = one_step.claim
    readings: list[tuple[str, Callable[[list[str]], object], Callable[[Equal], bool], int]] = [
        ("flint polynomials", FlintField, holds, RUNS),
        ("sympy polynomial ring", SympyField, holds, RUNS),
        ("sympy.Matrix, one expand at the end", ExpressionField, _expanded, 1),
    ]
    rows, fastest = [], None
    for name, field, decide, runs in readings:
        seconds, truth = _timed(claim, field, decide, runs)
        fastest = fastest or seconds
        rows.append([name, f"{1000 * seconds:.1f} ms", f"{seconds / fastest:.1f}x", str(truth)])
    return rows


def _timed(
    claim: Claim, make: Callable, decide: Callable[[Equal], bool], runs: int
) -> tuple[float, bool]:
    seconds, truth = [], False
    for _ in range(runs):
        started = time.perf_counter()
        field = make(entry_names(claim, SIZES))
        (statement,) = evaluate(claim, field, SIZES, symbols(claim, field, SIZES))
        truth = decide(statement)  # type: ignore[arg-type]
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds), truth


def _expanded(statement: Equal) -> bool:
    import sympy

    difference = sympy.Matrix((statement.left - statement.right).tolist()).expand()
    return difference == sympy.zeros(*difference.shape)


def _proofs() -> list[list[str]]:
    """What the kernel proves of the ledger, and how long a claim takes; what it does not prove is not counted."""
    together, alone = _seconds(_nothing), _seconds(_forget)
    return [
        ["claims proved", str(len(together)), ""],
        ["all of them, one after the other", f"{sum(together):.1f} s", ""],
        ["median claim, by itself", f"{1000 * statistics.median(alone):.0f} ms", "≤ 50 ms"],
        ["slowest claim, by itself", f"{1000 * max(alone):.0f} ms", ""],
        ["a term of 12 bound indices", f"{1000 * _twelve_indices():.1f} ms", "≤ 20 ms"],
    ]


def _programs() -> list[list[str]]:
    """What `prove` takes for programs of JAX; nothing where JAX is not installed."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return []
    from .decide.proving import prove

    def running(k: Any, v: Any) -> Any:
        start = jnp.zeros((k.shape[1], v.shape[1]))
        return jax.lax.scan(lambda s, kv: (s + jnp.outer(*kv), None), start, (k, v))[0]

    def gated(a: Any, x: Any) -> Any:
        def step(h: Any, ax: Any) -> Any:
            h = ax[0] * h + (1 - ax[0]) * ax[1]
            return h, h

        return jax.lax.scan(step, jnp.zeros(x.shape[1]), (a, x))[1]

    def interpolated(a: Any, x: Any) -> Any:
        def step(h: Any, ax: Any) -> Any:
            h = ax[1] + ax[0] * (h - ax[1])
            return h, h

        return jax.lax.scan(step, jnp.zeros(x.shape[1]), (a, x))[1]

    every = [
        ("a product", lambda q, k: q @ k.T, lambda q, k: (k @ q.T).T, "q: T d, k: S d"),
        ("a running sum", running, lambda k, v: k.T @ v, "k: T d, v: T e"),
        ("a gated recurrence", gated, interpolated, "a: T d, x: T d"),
        ("the mean", lambda x: x.mean(0), lambda x: x.sum(0) / x.shape[0], "x: T d"),
        (
            "softmax",
            lambda s, v: jax.nn.softmax(s, -1) @ v,
            lambda s, v: (jnp.exp(s) @ v) / jnp.exp(s).sum(-1)[:, None],
            "s: T S, v: S e",
        ),
    ]
    prove(every[0][1], shapes=every[0][3], equals=every[0][2])
    rows, ratios = [], []
    for name, left, right, shapes in every:
        before, started = unit(), time.process_time()
        result = prove(left, shapes=shapes, equals=right).result
        seconds = time.process_time() - started
        ratios.append(seconds / statistics.mean([before, unit()]))
        rows.append([f"{name}: {result.verdict}", f"{seconds:.2f} s, {ratios[-1]:.1f} C", ""])
    return [*rows, ["median", f"{statistics.median(ratios):.1f} C", "≤ 1 C"]]


def _beyond() -> list[list[str]]:
    """What evaluation beyond the evidence takes beside all the rest of checking, and how much it looks at."""
    from .check.beyond import beyond
    from .decide.verdict import decide
    from .exact.engines import ENGINES

    whole, own, tried = 0.0, [], []
    for row in built_in().rows:
        for claim in (row.claim, *row.amendments):
            started = time.process_time()
            result = decide(claim, ENGINES["all"])
            whole += time.process_time() - started
            if result.verdict == "proved" and claim.ranges:
                started = time.process_time()
                tried.append(len(beyond(claim).held))
                own.append(time.process_time() - started)
    return [
        ["beside the rest of checking", f"{100 * sum(own) / (whole - sum(own)):.0f} %", "≤ 15 %"],
        ["median claim", f"{1000 * statistics.median(own):.0f} ms", "≤ 200 ms"],
        ["choices of sizes, median claim", f"{statistics.median(tried):.0f}", ""],
    ]


def _seconds(before: Callable[[], None]) -> list[float]:
    """The time of each proof; `before` is called before each claim."""
    from .check.all_sizes import Proof
    from .search.all_sizes import prove

    seconds = []
    for row in built_in().rows:
        for claim in (row.claim, *row.amendments):
            if claim.body is not None:
                before()
                started = time.process_time()
                if isinstance(prove(claim), Proof):
                    seconds.append(time.process_time() - started)
    return seconds


def _nothing() -> None:
    """What other claims have left in memory is used, as when the whole ledger is checked."""


def _forget() -> None:
    """What other claims have left in memory is gone, as when one claim is checked."""
    from .kernel import inequalities, term
    from .search import memory

    memory.known.clear()
    for module in (inequalities, term):
        for found in vars(module).values():
            if hasattr(found, "cache_clear"):
                found.cache_clear()


def _twelve_indices() -> float:
    """Seconds for the normal form of Σ A[a, b] A[b, c] ⋯ over twelve indices, shuffled."""
    from .interpret.terms import total
    from .kernel.index import position, size
    from .kernel.term import as_term, entry
    from .search.normal import simplified
    from .search.proving import proving

    seconds = []
    for run in range(RUNS):
        with proving():
            n = size("n", 1)
            indices = [position("i", 0, n) for _ in range(12)]
            term = as_term(1)
            for one, other in pairwise(indices):
                term = term * entry(f"A{run}", one, other)
            for one in indices[run:] + indices[:run]:
                term = total(term, one)
            _forget()
            started = time.perf_counter()
            simplified(term)
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


if __name__ == "__main__":
    main()
