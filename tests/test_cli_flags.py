"""What a hand types: helps that fit, completion, one order of targets, and the nearest to what is mistyped."""

import inspect
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer.main
from command_line import FALSE, KNOWN, TRUE, Run, Write
from rich.cells import cell_len

import scanproof
from scanproof import _check, _main, _prove
from scanproof._targets import one_claim
from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.budget import TIME_LIMIT
from scanproof.proofs.language.sizes import ranges_in

COMMANDS: dict[str, Any] = dict(typer.main.get_command(_main.app).commands)  # type: ignore[attr-defined]


def options() -> list[tuple[str, Any]]:
    return [
        (name, param)
        for name, command in COMMANDS.items()
        for param in command.params
        if param.param_type_name == "option" and not param.hidden
    ]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_a_help_fits_80_columns_and_cuts_no_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str
):
    monkeypatch.setenv("COLUMNS", "80")
    answer = run(*command.split(), "--help")
    lines = answer.out.splitlines()
    assert answer.code == 0 and max(map(cell_len, lines)) <= 80
    assert [line for line in lines if line.endswith("...") and "Usage:" not in line] == []


def test_what_options_are_for_has_one_name():
    """Where something is written is --output, and a size of steps --step-size, whatever the command."""
    flags = {flag for _, option in options() for flag in option.opts}
    assert {"--output", "--step-size"} <= flags
    assert flags.isdisjoint({"--out", "--rate", "--lr", "--learning-rate", "--timeout"})


def test_time_limits_are_one_number():
    every = (_check.check, _prove.prove, scanproof.check, scanproof.prove)
    limits = [inspect.signature(call).parameters for call in every]
    assert [one["time_limit"].default for one in limits] == [TIME_LIMIT] * 4
    assert [one["memory_limit"].default for one in limits] == [None] * 4


def test_sizes_are_parted_by_commas_as_shapes_are():
    assert ranges_in("T=1,2,5, f=1, 2") == {"T": (1, 2, 5), "f": (1, 2)}
    assert ranges_in(" ") == {}
    for wrong in ("T=1; f=2", "T", "1", "T=", "T=0", "T=1,,2", "T=1, T=2", "=1", "T f=1"):
        with pytest.raises(UsageError, match="each size's name once"):
            ranges_in(wrong)


@pytest.mark.long
def test_one_claim_of_a_file_is_named_as_check_names_it(run: Run, write: Write):
    file = write(TRUE, FALSE)
    for order in ((file, "mine.linear"), ("mine.linear", file)):
        assert run("list", *order).out.split()[0] == "mine.linear"
        assert len(run("list", *order).out.splitlines()) == 1
        named = one_claim("show", order)
        assert (named.id, named.files) == ("mine.linear", [file])


@pytest.mark.long
def test_show_takes_a_folder_and_a_module(
    run: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(TRUE, file="claims_of_mine.py")
    monkeypatch.syspath_prepend(str(tmp_path))
    for place in (".", "claims_of_mine"):
        assert run("show", place, "mine.linear").out.startswith("mine.linear: proved"), place


@pytest.mark.short(
    "[arguments0-show mine.py: give a claim's id, too; `scanproof list mine.py` prints]"
)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mine.py"], "show mine.py: give a claim's id, too; `scanproof list mine.py` prints"),
        (["mine.py", "mine.square", KNOWN], "give one id"),
        (["mine.py", "mine.squar"], "nearest: mine.square"),
        (["mine.py", "mine.*"], "not a pattern; `scanproof list mine.py` prints every id"),
        (["mnie.py", "mine.square"], "mnie.py: no such file; nearest: mine.py"),
    ],
)
def test_show_says_what_is_missing_of_a_claim_s_name(
    run: Run, write: Write, arguments: list[str], said: str
):
    write(FALSE)
    answer = run("show", *arguments)
    assert answer.code == 3 and said in answer.err


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        ("chek", "'check'"),
        ("check --fromat json", "--format"),
        ("check --format jsno", "nearest: json"),
        ("check --engine kernle", "nearest: kernel"),
        ("check --source grill", "nearest: gril"),
        ("check gril.eq1o", "nearest: gril.eq1"),
        ("show --formt text", "`scanproof show --help` lists"),
        ("completion bsh", "nearest: bash"),
        ("reproduce gril.tabel6", "nearest: gril.table6"),
    ],
)
def test_what_is_mistyped_is_answered_with_the_nearest(run: Run, arguments: str, near: str):
    answer = run(*arguments.split())
    assert answer.code == 3 and near in answer.err


COMPLETED = [
    (["comp"], ["completion"]),
    (["check", "--form"], ["--format"]),
    (["check", "--format", "js"], ["json"]),
    (["check", "--format", "=", "js"], ["json"]),
    (["check", "--output", "a fi"], ["a file.py"]),
    (["check", "a fi"], ["a file.py"]),
    (["check", "--jobs", ""], []),
    (["check", "claims/mine.py", "mi"], ["mine.sum", "mine.law"]),
    (["show", f"{KNOWN}+"], [f"{KNOWN}+sign"]),
    (["reproduce", "gril.table7"], ["gril.table7"]),
    (["completion", ""], ["bash", "zsh", "fish"]),
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_options_values_ids_and_files(run: Run, tmp_path: Path):
    (tmp_path / "a file.py").touch()
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims/mine.py").write_text(
        '@mine.claim(\n    "mine.sum",\n    says="x"\n)\nmine.law("mine.law", it)\nraise SystemExit'
    )
    lines = [run("completion", "bash").out, "say() { printf '%s|' \"${COMPREPLY[@]}\"; echo; }"]
    for words, _ in COMPLETED:
        typed = " ".join(f"'{word}'" for word in ("scanproof", *words))
        lines += [f"COMP_WORDS=({typed}) COMP_CWORD={len(words)} COMPREPLY=()", "_scanproof; say"]
    done = subprocess.run(
        ["bash", "-u"], input="\n".join(lines), cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == ""
    found = [line.strip("|").split("|") if line != "|" else [] for line in done.stdout.splitlines()]
    assert found == [wanted for _, wanted in COMPLETED]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes_commands_options_values_ids_and_files(run: Run, tmp_path: Path):
    (tmp_path / "file.py").touch()
    typed = {
        "scanproof comp": "completion",
        "scanproof check --form": "--format",
        "scanproof check --format js": "json",
        f"scanproof show {KNOWN}+": f"{KNOWN}+sign",
        "scanproof check --output fil": "file.py",
    }
    asked = [f"complete -C '{line}' | string split -f 1 \\t" for line in typed]
    script = "\n".join([run("completion", "fish").out, *asked])
    done = subprocess.run(["fish", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout.splitlines(), done.stderr) == (list(typed.values()), "")


@pytest.mark.long
def test_every_value_that_the_help_lists_is_taken(run: Run):
    """Completion offers what stands in a placeholder between bars: these, and no others, must be allowed."""
    for name, option in options():
        words = (option.metavar or "").split("|")
        if len(words) > 1 and option.callback is not None:
            answer = run(name, option.opts[0], "no such value")
            assert answer.err.rstrip().endswith(f"allowed: {', '.join(words)}."), (
                name,
                option.opts,
            )
