"""`scanproof bench`: the lanes timed against a matrix product, `lax.scan` and NumPy, with their accuracy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ._options import one_of

FORMATS = ("table", "json")
DTYPES = ("float32", "bfloat16")
CPU = ((8, 4096, 64), (8, 2048, 128))
ACCELERATOR = ((512, 8192, 64), (512, 8192, 128))
"""Heads, tokens and features: at least 4 million tokens and heads."""


def bench(
    features: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Sizes d of keys and values, for example 64,128."),
    ] = None,
    tokens: Annotated[int | None, typer.Option(metavar="T", help="Tokens of a sequence.")] = None,
    heads: Annotated[int | None, typer.Option(metavar="H", help="Heads.")] = None,
    dtype: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help=f"One of {', '.join(DTYPES)}. [float32; bfloat16 on a GPU]"
        ),
    ] = None,
    rounds: Annotated[int, typer.Option(metavar="N", help="Runs of each program.")] = 9,
    devices: Annotated[
        int | None, typer.Option(metavar="N", help="Devices a CPU is shown as, for sharding. [2]")
    ] = None,
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")
    ] = "table",
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write JSON to this file too.")
    ] = None,
) -> None:
    """Time every lane against a plain matrix product, lax.scan and NumPy.

    All programs run in turns, so that a busy machine slows all of them down. Beside each time
    stands the error against float64. With a GPU, the device's copy and matrix product and the
    kernels of fla-core, if it is installed, run in the same turns.

    Exits with 1 if a lane is less accurate than it must be; speed is only reported.
    """
    import json

    from scanproof.constructs.errors import UsageError

    from ._interrupts import heard
    from ._output import Destination, quiet_stdout, say, write
    from ._progress import progress

    one_of("--format", format, FORMATS)
    if dtype is not None:
        one_of("--dtype", dtype, DTYPES)
    for name, value in (
        ("tokens", tokens),
        ("heads", heads),
        ("rounds", rounds),
        ("devices", devices),
    ):
        if value is not None and value < 1:
            raise UsageError(f"--{name} {value}: expects a whole number ≥ 1.")
    wanted = _features(features)
    file = None if output is None else Destination(output)
    with heard(), quiet_stdout():
        _prepare(devices)
        from scanproof.numeric.bench.problem import Size
        from scanproof.numeric.bench.report import as_text, benchmark, inaccurate
        from scanproof.numeric.jax_backend import platform

        host = platform() == "cpu"
        defaults = CPU if host else ACCELERATOR
        sizes = [
            Size(heads or h, tokens or t, d)
            for h, t, d in (
                defaults if wanted is None else [(*_nearest(defaults, d), d) for d in wanted]
            )
        ]
        with progress("timing") as tell:
            record = benchmark(sizes, dtype or ("float32" if host else "bfloat16"), rounds, tell)
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    if file is not None:
        file.write(text)
    write(text if format == "json" else as_text(record))
    missed = inaccurate(record)
    if missed:
        say(f"less accurate than it must be: {', '.join(missed)}")
    raise typer.Exit(int(bool(missed)))


def _features(text: str | None) -> list[int] | None:
    from scanproof.constructs.errors import UsageError

    if text is None:
        return None
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) for part in parts):
        raise UsageError(
            f"--features {text}: expects whole numbers ≥ 1 with commas, for example 64,128."
        )
    return [int(part) for part in parts]


def _nearest(defaults: tuple[tuple[int, int, int], ...], d: int) -> tuple[int, int]:
    """Heads and tokens of the default size with the nearest d."""
    heads, tokens, _ = min(defaults, key=lambda size: abs(size[2] - d))
    return heads, tokens


def _prepare(devices: int | None) -> None:
    """Settings that JAX reads when it starts: the CPU's devices, and GPU memory that torch must share."""
    from scanproof.constructs.errors import UsageError
    from scanproof.numeric.jax_backend import jax, one_blas_thread

    one_blas_thread()
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        jax("bench").config.update("jax_num_cpu_devices", devices or min(2, os.cpu_count() or 1))
    except RuntimeError as error:
        if devices is not None:
            raise UsageError(
                f"--devices {devices}: JAX has already started in this process."
            ) from error
