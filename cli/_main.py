"""The command line. Each command is a file of its own, and imports what it needs when it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from scanproof import __version__

from ._attack import attack
from ._bench import bench
from ._check import check
from ._completion import completion
from ._conform import conform
from ._derivations import derivations
from ._errata import errata
from ._export import export
from ._identify import identify
from ._init import init
from ._list import list_claims
from ._plot import plot
from ._prove import prove
from ._reproduce import reproduce
from ._run import run as run_construction
from ._show import show
from ._train import train
from ._trust import trust

ERROR, INTERRUPTED = 3, 130

EXAMPLES = """
\b
Examples:
  scanproof check                            every claim of the four sources
  scanproof check 'gril.*'                   some of them
  scanproof check mypaper.py                 the claims of your own file
  scanproof init                             a file of claims to begin with
  scanproof show gd-ssm.prop1-construction   the whole story of one claim
  scanproof trust                            what a verdict rests on

\b
Exit codes:
  0  nothing that is asserted (an amendment, a claim of yours) is refuted
  1  something is, or is not as expected, or is worse than in --baseline
  2  only with --strict: something is unknown, or refuted and not mended
  3  a mistake in the call, or in a file of claims
"""

TARGETS = """

    A TARGET is an id (gril.eq10), a pattern of ids ('gril.*'), a file (mypaper.py), a folder or a
    module (package.module) of your own; without one, all claims of the four sources are meant. Of a
    folder the files claims.py, claims_*.py and *_claims.py are meant, in folders below it too. A
    pattern that matches claims of a file named beside it picks among them.
"""

app = typer.Typer(
    name="scanproof",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"scanproof {__version__}")
        raise typer.Exit()


@app.callback(invoke_without_command=True, epilog=EXAMPLES)
def _scanproof(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A machine's verdict on whether a recurrent layer does gradient descent on its context."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def _add(name: str, command: Any, *examples: str) -> None:
    takes_targets = command.__annotations__.get("targets") == "Targets"
    said = [f"  {line}" for example in examples for line in example.split("\n")]
    epilog = "\n".join(["\b", "Examples:", *said])
    help = (command.__doc__ or "") + (TARGETS if takes_targets else "")
    app.command(name, help=help, epilog=epilog)(command)


_add(
    "check",
    check,
    "scanproof check",
    "scanproof check gril.eq10 'gd-ssm.*'",
    "scanproof check mypaper.py --strict",
    "scanproof check .",
    "scanproof check mypaper.py 'mypaper.thm2*'",
    "scanproof check --format json --output report.json",
    "scanproof check --baseline report.json",
    "scanproof check mypaper.py --baseline report.json --also sarif=report.sarif",
    "scanproof check mypaper.py --time-limit 20",
    "scanproof check mypaper.py --save",
    "scanproof check mypaper.py --offline",
)
_add(
    "show",
    show,
    "scanproof show gd-ssm.prop1-construction",
    "scanproof show gd-ssm.prop1-construction+sign --format latex",
    "scanproof show gd-ssm.prop1-construction --script | python3 -",
    "scanproof show mypaper.py mypaper.eq1",
)
_add("init", init, "scanproof init", "scanproof init claims/claims_memory.py")
_add(
    "list",
    list_claims,
    "scanproof list",
    "scanproof list 'gril.prop*'",
    "scanproof list mypaper.py --format json",
)
_add(
    "run",
    run_construction,
    "scanproof run gril.prop4.1",
    "scanproof run gril.prop4.1 --features 128 --examples 65536 --heads 8",
    "scanproof run gril.propA.1 --layers 3 --dtype float64",
    "scanproof run ssd.thm4.1 --sampler normal --format json",
    "scanproof run gd-ssm.prop2-construction --as-stated",
)
_add(
    "reproduce",
    reproduce,
    "scanproof reproduce gril.table6",
    "scanproof reproduce",
    "scanproof reproduce gril.table7 --format json",
)
_add(
    "train",
    train,
    "scanproof train gril.table6 --output runs",
    "scanproof train recall --format csv",
    "scanproof train ssd.fig2 --full --output runs --picture fig2.svg",
)
_add(
    "export",
    export,
    "scanproof export gril.prop4.1 --target numpy --features 4 --examples 20 \\\n  --output DIR --force",
    "scanproof export mamba2.gd --steps 3 --target hf-mamba2 --features 8 \\\n  --examples 40 --output DIR",
)
_add("conform", conform, "scanproof conform gd3", "scanproof conform gd3 --compile")
_add(
    "identify",
    identify,
    "scanproof identify DIR",
    "scanproof identify DIR --strict --format json",
)
_add(
    "plot",
    plot,
    "scanproof plot ssd.thm5.1 --output thm5.1.svg",
    "scanproof plot ssd.thm5.2-qnorm --output qnorm.png",
    "scanproof plot mypaper.py mypaper.thm2 --output thm2.pdf",
)
_add(
    "prove",
    prove,
    "scanproof prove mymodule:forward --equals mymodule:specification \\\n"
    "  --shapes 'X: T f, Y: T k, q: f'",
)
_add("trust", trust, "scanproof trust")
_add(
    "bench",
    bench,
    "scanproof bench",
    "scanproof bench --features 64 --format json",
    "scanproof bench --dtype bfloat16 --output bench.json",
)
_add(
    "completion",
    completion,
    "scanproof completion bash > ~/.scanproof-completion.bash",
)
_add("attack", attack, "scanproof attack", "scanproof attack 'gd-ssm.prop*'")
_add(
    "errata",
    errata,
    "scanproof errata --output errata",
    "scanproof errata --output errata --check",
)
_add(
    "derivations",
    derivations,
    "scanproof derivations --output derivations",
    "scanproof derivations --output derivations --check",
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; every error is one line on stderr."""
    from scanproof.constructs.errors import UsageError

    try:
        code = app(
            None if arguments is None else list(arguments),
            prog_name="scanproof",
            standalone_mode=False,
        )
        return code if isinstance(code, int) else 0
    except UsageError as error:
        return _failed(str(error))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        complaint = getattr(error, "format_message", None)  # what typer says of options, arguments
        if complaint is not None:
            path = getattr(getattr(error, "ctx", None), "command_path", "scanproof")
            help = f"`{path} --help` lists what is allowed."
            said = complaint()
            joined = f"{said} {help}" if said.endswith("?") else f"{said.rstrip('.')}; {help}"
            return _failed(joined)
        if os.environ.get("SCANPROOF_TRACEBACK"):
            raise
        kind = type(error).__name__
        return _failed(
            f"this is a bug of scanproof: {kind}: {error}; SCANPROOF_TRACEBACK=1 shows where."
        )


def _failed(message: str) -> int:
    from ._output import say

    say(message)
    return ERROR


def main() -> None:
    """The entry point of the `scanproof` command."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        getattr(sys, name).reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(run())
