"""`scanproof bench`: the ops timed against a matrix product, `lax.scan` and NumPy, with their accuracy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._options import choice, count, option

if TYPE_CHECKING:
    from scanproof.numeric.bench.problem import Size

FORMATS = ("table", "json")
DTYPES = ("float32", "bfloat16")
CPU = ((8, 4096, 64), (8, 2048, 128), (8, 1024, 64))
ACCELERATOR = ((96, 8192, 128), (96, 8192, 64))
"""Heads, tokens and features."""
SECONDS = 240
"""That a run on an accelerator may take, of which compilers take most."""

Features = Annotated[
    str | None,
    option("LIST", "Sizes d of keys and values, for example 64,128."),
]
Tokens = Annotated[int | None, count("--tokens", "T", "Tokens of a sequence.")]
Heads = Annotated[int | None, count("--heads", "H", "Heads.")]
Dtype = Annotated[
    str | None,
    choice("--dtype", DTYPES, "What the ops compute in. [float32; bfloat16 on a GPU]"),
]
Rounds = Annotated[int, count("--rounds", "N", "Runs of each program.")]
Limit = Annotated[
    int | None, count("--time-limit", "SECONDS", "What does not fit is left out. [240 on a GPU]")
]
Devices = Annotated[
    int | None, count("--devices", "N", "Devices a CPU is shown as, for sharding. [2]")
]
Format = Annotated[str, choice("--format", FORMATS)]
Output = Annotated[Path | None, option("FILE", "Write JSON to this file too.")]


def bench(
    features: Features = None,
    tokens: Tokens = None,
    heads: Heads = None,
    dtype: Dtype = None,
    rounds: Rounds = 9,
    time_limit: Limit = None,
    devices: Devices = None,
    format: Format = "table",
    output: Output = None,
) -> None:
    """Time every op against lax.scan and NumPy.

    A plain matrix product is timed, too. All of them run in turns, so that a busy computer slows
    them all down. Beside each time stands the error against float64. On a CPU the delta op and
    lax.scan then run beside each other, idle and while processes that this command starts and ends
    keep every core busy. With a GPU, the ops that have kernels there, in bfloat16 and float32,
    forward and with their derivative, and those of fla-core, if it is installed, run in the same
    turns as the device's copy and matrix product.

    Exits with 1 if an op is less accurate than it must be; speed is only reported.
    """
    from scanproof.proofs.language.sizes import wholes
    from scanproof.proofs.report.progress import progress

    from ._interrupts import heard
    from ._output import Destination, as_json, quiet_stdout, say, write

    wanted = None if features is None else wholes(f"--features {features}", features)
    file = None if output is None else Destination(output)
    with heard(), quiet_stdout():
        _prepare(devices)
        from scanproof.numeric.bench.report import as_text, benchmark, inaccurate
        from scanproof.numeric.jax_backend import platform

        host = platform() == "cpu"
        sizes = _sizes(CPU if host else ACCELERATOR, wanted, tokens, heads)
        with progress("timing") as advance:
            wanted_dtype = dtype or ("float32" if host else "bfloat16")
            seconds = time_limit or (None if host else SECONDS)
            record = benchmark(sizes, wanted_dtype, rounds, advance, seconds)
    text = as_json(record, finite=False)
    if file is not None:
        file.write(text)
    write(text if format == "json" else as_text(record))
    missed = inaccurate(record)
    if missed:
        say(f"less accurate than it must be: {', '.join(missed)}")
    raise typer.Exit(int(bool(missed)))


def _sizes(
    defaults: Sequence[tuple[int, int, int]],
    wanted: list[int] | None,
    tokens: int | None,
    heads: int | None,
) -> list[Size]:
    """The sizes to be timed, each once: what is not given is that of the default size with the nearest d."""
    from scanproof.numeric.bench.problem import Size

    chosen = defaults
    if wanted is not None:
        nearest = [min(defaults, key=lambda size: abs(size[2] - d)) for d in wanted]
        chosen = [(h, t, d) for (h, t, _), d in zip(nearest, wanted, strict=True)]
    return list(dict.fromkeys(Size(heads or h, tokens or t, d) for h, t, d in chosen))


def _prepare(devices: int | None) -> None:
    """Settings that JAX reads when it starts: the CPU's devices, and GPU memory that torch must share."""
    from scanproof.constructs.errors import UsageError
    from scanproof.numeric.jax_backend import jax

    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        jax("bench").config.update("jax_num_cpu_devices", devices or min(2, os.cpu_count() or 1))
    except RuntimeError as error:
        if devices is not None:
            raise UsageError(
                f"--devices {devices}: JAX has already started in this process."
            ) from error
