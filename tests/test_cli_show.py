"""`scanproof show`: one claim's story in every format, and its counterexample as a program."""

import json
import subprocess
import sys

import pytest
from command_line import FALSE, KNOWN, TRUE, Run, Write


@pytest.mark.long
@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_show_tells_the_story_in_every_format(run: Run, format: str):
    answer = run("show", KNOWN, "--format", format)
    assert answer.code == 0
    for words in ("refuted", "The claim, in our words", "Counterexample", "12", "+sign"):
        assert words in answer.out


def test_show_of_an_amendment_shows_that_statement(run: Run):
    answer = run("show", f"{KNOWN}+sign")
    assert answer.out.startswith(f"{KNOWN}+sign: proved\n")
    assert "Counterexample" not in answer.out


@pytest.mark.long
def test_show_json_is_the_claim_of_the_report(run: Run):
    shown = json.loads(run("show", KNOWN, "--format", "json").out)
    (claim,) = json.loads(run("check", KNOWN, "--format", "json").out)["claims"]
    assert shown == claim
    amendment = json.loads(run("show", f"{KNOWN}+sign", "--format", "json").out)
    assert amendment == claim["amended"][0]


@pytest.mark.long
def test_show_finds_a_claim_of_a_file_and_where_it_is_written(run: Run, write: Write):
    answer = run("show", write(TRUE), "mine.linear")
    assert answer.code == 0
    assert "Written down in\n    mine.py:" in answer.out


@pytest.mark.short(2)
@pytest.mark.parametrize("own", [False, True])
def test_script_runs_alone_and_exits_0(run: Run, write: Write, own: bool):
    target = [write(FALSE), "mine.square"] if own else [KNOWN]
    answer = run("show", *target, "--script")
    assert answer.code == 0
    alone = [sys.executable, "-I", "-S", "-"]
    done = subprocess.run(alone, input=answer.out, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "differ" in done.stdout


def test_a_statement_is_printed_and_its_program_runs_alone(run: Run, write: Write):
    printed = run("show", "mine.square", write(FALSE), "--statement")
    assert printed.code == 0
    assert "statement mine.square\n" in printed.out
    program = run("show", "mine.square", write(FALSE), "--statement", "--script")
    names: dict = {}
    exec(program.out, names)
    assert callable(names["statement"])


def test_a_statement_is_printed_in_latex_and_not_in_other_formats(run: Run):
    printed = run("show", KNOWN, "--statement", "--format", "latex")
    assert printed.out.startswith("% ") and "\\begin{align*}" in printed.out
    refused = run("show", KNOWN, "--statement", "--format", "json")
    assert (refused.code, refused.out) == (3, "")
    assert "--statement prints text or latex; got --format json." in refused.err


@pytest.mark.long
def test_show_prints_the_statement_in_symbols_also_of_limits_and_at_numbers_alone(run: Run):
    told = run("show", KNOWN).out
    assert "    Then   a_{N−1} = −η x_Nᵀ ∇ℓ(0)\n" in told
    alone = run("show", "gril.propA.2+block").out
    assert "    Given  N = 2, f = 1;" in alone and "recorded at numbers alone" in " ".join(
        alone.split()
    )
    limits = run("show", "ssd.thm5.1").out
    said = " ".join(limits.split())
    assert "→ 1 + a_0 (all examples, times some polynomial of a degree ≤ 81)" in said
    assert "Then for every ε > 0 some parameters" in said and " 5. α_1 → 0 6. α_2 → 0 " in said
