"""Running a benchmark, and its figures as one dictionary and as tables."""

from __future__ import annotations

import datetime
import math
import platform as machine
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

from ..jax_backend import jax, platform
from ..ops.chunked import plan
from . import busy
from .case import CHUNKED, DELTA, PLAIN, SCAN, Case
from .cases import cases
from .ceilings import COPY, PRODUCT, Ceilings, probes
from .passes import FORMATS
from .peers import on_host, peer_cases, peers, wait
from .problem import Problem, Size, relative_error
from .timing import Timing, interleaved, ratio

SCHEMA = "scanproof.bench/1"
ACCURACY = {"float32": 1e-6, "bfloat16": 4e-3}
"""Relative RMS of the outputs against float64 that an op must keep."""
SPEED = {
    (CHUNKED, 64): (7.0, 1.7),
    (CHUNKED, 128): (5.0, 2.0),
    (DELTA, 64): (14.0, 1.3),
    (DELTA, 128): (10.0, 1.3),
}
"""For d, on a CPU: at most so many times the plain product's time, at least so many times faster than `lax.scan`."""

Tell = Callable[[str, int, int], None]


def benchmark(
    sizes: list[Size],
    dtype: str,
    rounds: int,
    tell: Tell | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """Time everything at each size.

    Args:
        sizes: what is timed.
        dtype: "float32" or "bfloat16".
        rounds: how often each program runs after its warm-up.
        tell: told the name of each program before it runs, how many calls are done, and how many there are.
        seconds: that it may take; what it leaves no time for, or, on a GPU, fails, is left out.

    Returns:
        `{"schema", "device", "versions", "date", "dtype", "rounds", "fla", "sizes": [{"heads", "tokens", "features",
        "chunk", "ceilings", "floor_seconds", "rows": [...], "left_out": {name: why}, "beside_scan": [...]}]}`;
        a row has `name`, `seconds`
        (median), `spread` (interquartile range / median), `first_seconds`, `ns_per_token_head`, `to_product`,
        `to_scan`, `floor_share`, `error`, `accuracy_goal`, `speed_goal`, `met`. Ratios are medians over rounds.
        `beside_scan` is what `busy.beside_scan` returns, on a CPU; elsewhere it is empty.

    Raises:
        UsageError: if JAX is missing, or the sizes do not fit in memory.
    """
    j = jax("bench")
    fla = peers()
    device = j.devices()[0]
    ends = _ends(seconds, len(sizes))
    return {
        "schema": SCHEMA,
        "device": {
            "platform": device.platform,
            "name": device.device_kind if device.platform != "cpu" else machine.machine(),
            "count": j.device_count(),
        },
        "versions": {name: version(name) for name in ("jax", "jaxlib", "numpy")},
        "date": datetime.date.today().isoformat(),
        "dtype": dtype,
        "rounds": rounds,
        "fla": fla if isinstance(fla, str) else f"fla-core {version('fla-core')}",
        "sizes": [
            _at(size, dtype, rounds, fla, tell, end) for size, end in zip(sizes, ends, strict=True)
        ],
    }


def _ends(seconds: float | None, sizes: int) -> list[float]:
    """When, on the monotonic clock, the calls for each size have to be done; the errors of its outputs take a third."""
    if seconds is None:
        return [math.inf] * sizes
    each = seconds / sizes
    return [time.monotonic() + each * (at + 2 / 3) for at in range(sizes)]


def _at(
    size: Size, dtype: str, rounds: int, fla: Any, tell: Tell | None, end: float
) -> dict[str, Any]:
    problem = Problem(size)
    found = cases(problem, dtype)
    if not isinstance(fla, str):
        found |= {
            name: case for one in FORMATS for name, case in peer_cases(problem, one, fla).items()
        }
    limits = probes(dtype)
    programs = {name: one.run for name, one in (limits | found).items()}
    left_out: dict[str, str] = {}
    options = {"end": end, "left_out": left_out if platform() == "gpu" else None}
    timings = interleaved(programs, wait, rounds, tell, **options)
    on_cpu = platform() == "cpu"
    beside = busy.beside_scan(programs, wait, tell) if on_cpu else []
    d = size.features
    chunk = plan(size.tokens, d, d, size.heads, platform()).chunk
    moved, flops = (limits[name].amount / timings[name].median for name in (COPY, PRODUCT))
    # A smaller product may use the device better than the square one.
    ceilings = Ceilings(moved, max(flops, size.flops / timings[PLAIN].median))
    rows = []
    for name, case in found.items():
        if name not in timings:
            continue
        floor = ceilings.floor(size, case.dtype, chunk, case.derivative)
        scan = timings[f"{SCAN}, delta rule" if case.layer == "delta" else SCAN]
        rows.append(_row(name, case, problem, timings[name], timings[PLAIN], scan, floor))
    return {
        **size._asdict(),
        "chunk": chunk,
        "ceilings": ceilings._asdict(),
        "floor_seconds": ceilings.floor(size, dtype, chunk),
        "rows": rows,
        "left_out": left_out,
        "beside_scan": beside,
    }


def _row(
    name: str,
    case: Case,
    problem: Problem,
    timing: Timing,
    plain: Timing,
    scan: Timing,
    floor: float,
) -> dict[str, Any]:
    timing = Timing(timing.first, tuple(s / case.share for s in timing.rounds))
    to_product, to_scan, error = ratio(timing, plain), ratio(scan, timing), _error(problem, case)
    own = name.startswith((CHUNKED, DELTA, "streaming", "sharded"))
    compared = own and error is not None and not case.derivative
    accuracy = ACCURACY.get(case.dtype) if compared else None
    speed = None
    if case.dtype == "float32" and platform() == "cpu":
        speed = SPEED.get((name, problem.size.features))
    return {
        "name": name,
        "seconds": timing.median,
        "spread": timing.spread,
        "first_seconds": timing.first,
        "ns_per_token_head": 1e9 * timing.median / problem.size.token_heads,
        "to_product": to_product,
        "to_scan": to_scan if name != PLAIN else None,
        "floor_share": floor / timing.median,
        "error": error,
        "accuracy_goal": accuracy,
        "speed_goal": speed,
        "met": {
            "accuracy": None if accuracy is None or error is None else error <= accuracy,
            "speed": None if speed is None else to_product <= speed[0] and to_scan >= speed[1],
        },
    }


def _error(problem: Problem, case: Case) -> float | None:
    """The relative error of a program's outputs; None where they are not compared."""
    if case.layer is None:
        return None
    result = case.run()
    exact = problem.exact(case.layer, case.dtype, case.derivative)
    if case.derivative:
        outputs = np.concatenate([on_host(one, len(exact)) for one in result], axis=-1)
    else:
        outputs = on_host(result[0] if isinstance(result, tuple) else result, len(exact))
    return relative_error(outputs, exact[: len(outputs), : outputs.shape[1]])


def inaccurate(record: dict[str, Any]) -> list[str]:
    """The programs that miss their accuracy, named with their size."""
    return [
        f"{row['name']} (d = {size['features']})"
        for size in record["sizes"]
        for row in size["rows"]
        if row["met"]["accuracy"] is False
    ]


def as_text(record: dict[str, Any]) -> str:
    """The tables for people."""
    device, versions = record["device"], record["versions"]
    lines = [
        f"{device['platform']} {device['name']}, {device['count']} device{'s' * (device['count'] > 1)}; "
        f"JAX {versions['jax']}; {record['dtype']}; {record['rounds']} interleaved rounds, medians; {record['date']}"
    ]
    for size in record["sizes"]:
        lines += ["", *_table(size)]
    lines += [
        "",
        "× product: how many times the plain product's time; × scan: how many times faster than lax.scan over the",
        "same layer; ±: interquartile range of the times; error: relative RMS of the outputs against float64, of the",
        "cotangents of v, k and q with derivative.",
    ]
    if record["device"]["platform"] == "gpu" or "importable" not in record["fla"]:
        lines.append(f"flash-linear-attention: {record['fla']}.")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _table(size: dict[str, Any]) -> list[str]:
    from tabulate import tabulate

    rows = [
        [
            row["name"],
            f"{1e3 * row['seconds']:.2f} ms",
            f"{100 * row['spread']:.0f} %",
            f"{row['ns_per_token_head']:.2f} ns",
            f"{row['to_product']:.1f}",
            "" if row["to_scan"] is None else f"{row['to_scan']:.2f}",
            f"{100 * row['floor_share']:.0f} %",
            "" if row["error"] is None else f"{row['error']:.1e}",
            _goal(row),
        ]
        for row in size["rows"]
    ]
    headers = ["", "time", "±", "a token·head", "× product", "× scan", "of floor", "error", "goal"]
    align = ("left", *["right"] * 7, "left")
    table = tabulate(rows, headers, "simple", disable_numparse=True, colalign=align)
    ceilings = size["ceilings"]
    return [
        f"d = {size['features']}, {size['tokens']:,} tokens, {size['heads']} heads, C = {size['chunk']}; ceilings: "
        f"copy {ceilings['bytes_per_second'] / 1e9:.1f} GB/s, matrix product {ceilings['flops'] / 1e9:.0f} GFLOP/s",
        *table.splitlines(),
        *[f"left out: {name}: {why}" for name, why in size["left_out"].items()],
        *busy.as_lines(size["beside_scan"]),
    ]


def _goal(row: dict[str, Any]) -> str:
    parts = []
    if row["speed_goal"]:
        most, least = row["speed_goal"]
        parts.append(f"≤ {most:g} and ≥ {least:g} {'met' if row['met']['speed'] else 'MISSED'}")
    if row["accuracy_goal"]:
        parts.append(
            f"error ≤ {row['accuracy_goal']:g}" + ("" if row["met"]["accuracy"] else " MISSED")
        )
    return "; ".join(parts)
