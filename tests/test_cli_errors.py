"""The command line's answers to mistakes: one line each, exit code 3, never a traceback."""

import importlib
import json
import re
from fractions import Fraction
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import (
    EXITING,
    KNOWN,
    RAISING,
    TRUE,
    UNKNOWN,
    UNMEETABLE,
    Run,
    Write,
    ids,
    one_line,
)

from scanproof import Source, UsageError, construct, equal
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.language import place


@pytest.mark.short(21)
@pytest.mark.parametrize(
    ("arguments", "complaints"),
    [
        (["check", "gd-ssm.prop1-constructio"], ["'gd-ssm.prop1-constructio'", KNOWN]),
        (["show", "gd-ssm.prop1-constructio"], ["'gd-ssm.prop1-constructio'", KNOWN]),
        (["list", "nothing-like-it"], ["no claim matches 'nothing-like-it'"]),
        (["check", "no/such/file"], ["no/such/file: no such file"]),
        (["check", "nosuch.py"], ["nosuch.py: no such file"]),
        (["check", "--engine", "foo"], ["--engine foo", "all, sympy, flint"]),
        (["check", "--format", "foo"], ["--format foo", "table, json, junit, markdown"]),
        (["show", KNOWN, "--format", "foo"], ["--format foo", "text, markdown, latex, json"]),
        (["check", "--source", "foo"], ["--source foo", "gd-ssm, gril, ssd, ch9"]),
        (["check", KNOWN, "--source", "gril"], ["--source gril", "none of the claims named"]),
        (["errata", "--output", "pages", "--source", "foo"], ["--source foo"]),
        (["check", "--jobs", "0"], ["--jobs 0: give a whole number ≥ 1"]),
        (["check", "--jobs", "many"], ["--jobs"]),
        (["check", "--nosuch"], ["--nosuch"]),
        (["nosuch"], ["nosuch"]),
        (["show"], ["ID"]),
        (["show", "mine.a"], ["'mine.a'; give the file", "`scanproof show FILE.py mine.a`"]),
        (["show", "claims.py"], ["claims.py: no such file"]),
        (["show", "gd-ssm.*"], ["gd-ssm.*", "not a pattern"]),
        (["show", KNOWN, "--script", "--format", "json"], ["--script", "--format json"]),
        (["show", f"{KNOWN}+sign", "--script"], ["no counterexample", "proved"]),
        (["errata"], ["--output"]),
        (["errata", "--output", "pages", KNOWN], [KNOWN]),
    ],
)
def test_mistaken_call_gets_one_line_that_names_it(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    complaints: list[str],
):
    monkeypatch.chdir(tmp_path)
    line = one_line(run(*arguments))
    assert all(complaint in line for complaint in complaints), line


@pytest.mark.parametrize("output", ["no/such/folder/report", "."])
def test_output_that_cannot_be_written_is_refused_before_the_work(
    run: Run, write: Write, output: str
):
    file = write(TRUE, "import pathlib; pathlib.Path('ran').touch()\n")
    assert f"--output {output}" in one_line(run("check", file, "--output", output))
    assert not Path("ran").exists()


def test_errata_folder_that_is_a_file_is_refused(run: Run, write: Write):
    line = one_line(run("errata", "--output", write(TRUE)))
    assert "--output mine.py" in line
    assert "it is a file" in line


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1 / 0\n", "broken.py line 1 raised ZeroDivisionError"),
        ("import nosuchmodule\n", "broken.py line 1 raised ModuleNotFoundError"),
        (
            "import scanproof\nscanproof.Source('a', title='b').claim('c', says='d')(len)\n",
            "line 2",
        ),
    ],
)
def test_broken_claim_file_is_one_line_and_the_others_run(
    run: Run, write: Write, text: str, complaint: str
):
    file = write(UNKNOWN)
    Path("broken.py").write_text(text, encoding="utf-8")
    assert complaint in one_line(run("check", "broken.py"))
    answer = run("check", "broken.py", file, "--format", "json")
    assert answer.code == 3
    assert ids(answer.out) == ["mine.open"]
    assert complaint in answer.err


def test_claims_before_the_fault_of_a_file_still_run(run: Run, write: Write):
    answer = run("check", write(UNKNOWN, "1 / 0\n"), "--format", "json")
    assert answer.code == 3
    assert ids(answer.out) == ["mine.open"]
    assert "raised ZeroDivisionError" in answer.err


@pytest.mark.short(3)
@pytest.mark.parametrize(
    ("claim", "complaint"),
    [
        (
            RAISING,
            r"mine\.raises: the claim raised ValueError at mine\.py:\d+: first line second line",
        ),
        (EXITING, r"mine\.exits: the claim raised SystemExit at mine\.py:\d+: 0"),
        (UNMEETABLE, r"mine\.never: no inputs were found that meet: N < 0"),
    ],
)
def test_claim_in_error_is_one_line_and_the_others_run(
    run: Run, write: Write, claim: str, complaint: str
):
    answer = run("check", write(claim, TRUE), "--format", "json")
    assert answer.code == 3
    assert re.fullmatch(f"scanproof: {complaint}\n", answer.err)
    verdicts = [c["as_stated"]["verdict"] for c in json.loads(answer.out)["claims"]]
    assert verdicts == ["error", "proved"]


@pytest.mark.long
def test_on_a_terminal_too_an_error_is_said_in_full_below_the_table(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("scanproof._output.terminal_columns", lambda: 100)
    answer = run("check", write(RAISING))
    assert answer.code == 3
    assert answer.out.count("the claim raised ValueError") == 2  # cut where the row ends
    assert answer.err.rstrip().endswith("first line second line")


SLIPS = {
    "a function of NumPy": ("np.trill(x)", "no attribute 'trill'; nearest: tril"),
    "a shape within": (
        "np.outer(x, x)",
        "at N = 1, d = 1 the claim raised ValueError at mine.py:13",
    ),
    "a function of JAX": ("jnp.tanh(x)", "takes no arrays of a claim: wrap what calls it, as in"),
    "a product of JAX": ("jnp.dot(x, x)", "takes no arrays of a claim"),
    "sides of two shapes": ("x.T", "at N = 1, d = 2 the two sides have shapes (2, 1) and (1, 2)"),
}


@pytest.mark.long
@pytest.mark.parametrize(("written", "said"), SLIPS.values(), ids=SLIPS)
def test_a_slip_in_a_body_says_what_was_meant_or_where_it_fails(
    run: Run, write: Write, written: str, said: str
):
    if "jnp" in written:
        pytest.importorskip("jax")
    text = f"""
        {"import jax.numpy as jnp" if "jnp" in written else "import numpy as np"}
        @paper.claim("{{name}}.slip", says="x", given={{{{"x": "N d"}}}})
        def slip(x):
            return equal({written}, x)
    """
    answer = run("check", write(text))
    assert (answer.code, len(answer.err.splitlines())) == (3, 1)
    assert said in answer.err


READ = {
    "a field": (
        '@paper.claim("{name}.a", say="x")\n    def a(): ...',
        "no field 'say'; nearest: says;",
    ),
    "no words": ('paper.claim("{name}.a")', "give says="),
    "a law": (
        'from scanproof import Layer\n    Layer(total, token="d").resume()',
        "no attribute 'resume'; nearest: resumes",
    ),
    "a module": ("import layerz", "No module named 'layerz'; nearest: layers"),
    "syntax": ("def f(:", "mine.py line 10 raised SyntaxError: invalid syntax\n"),
    "an encoding": ("# caf\udce9", "line 10 raised SyntaxError: byte 0xe9 is no utf-8"),
}


@pytest.mark.long
@pytest.mark.parametrize(("text", "said"), READ.values(), ids=READ)
def test_a_slip_in_a_file_says_what_was_meant(run: Run, write: Write, text: str, said: str):
    Path("layers.py").write_text("", encoding="utf-8")
    file = write(f"\n    {text.encode('ascii', 'replace').decode()}\n")
    if "udce9" in ascii(text):
        Path(file).write_bytes(Path(file).read_bytes().replace(b"caf?", b"caf\xe9"))
    answer = run("check", file)
    assert answer.code == 3
    assert said in answer.err


@pytest.mark.long
def test_a_law_that_no_source_has_is_warned_of_at_its_line(run: Run, write: Write):
    laws = """
        from scanproof import Layer
        layer = Layer(lambda _, s, x: (s + x, s), state="d", token="d")
        kept = layer.resumes()
        paper.law("{name}.law", kept)
        layer.chunked(lambda _, s, x: (s, x))
    """
    file = write(laws)
    line = Path(file).read_text("utf-8").splitlines().index("layer.chunked(lambda _, s, x: (s, x))")
    with pytest.warns(UserWarning, match="is made and given to no source") as told:
        run("check", file)
    assert [(Path(one.filename).name, one.lineno) for one in told] == [("mine.py", line + 1)]


@pytest.mark.long
def test_nothing_to_check_leaves_a_former_output_as_it_was(run: Run, write: Write):
    write(TRUE)
    Path("report").write_text("old", encoding="utf-8")
    assert run("check", "nosuch.py", "--output", "report").code == 3
    assert Path("report").read_text("utf-8") == "old"


@pytest.mark.long
def test_bug_in_the_tool_is_one_line_too(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch):
    def broken(*args: object, **options: object) -> None:
        raise RuntimeError("something\nbroke")

    monkeypatch.delenv("SCANPROOF_TRACEBACK", raising=False)
    monkeypatch.setattr(
        importlib.import_module("scanproof.proofs.decide.row_verdicts"), "check", broken
    )
    line = one_line(run("check", write(TRUE)))
    assert "a bug of scanproof: RuntimeError: something broke" in line


# The same care for calls from Python.


@pytest.mark.parametrize(
    ("id", "values", "complaint"),
    [
        (3, {}, "construct(3) expects a row's id as text"),
        ("gril.prop4.1", {"f": 2, "step_size": "x"}, "eta to be made of finite numbers"),
        ("gril.prop4.1", {"f": 2, "step_size": None}, "eta to be made of finite numbers"),
        ("gril.prop4.1", {"f": 2, "step_size": float("nan")}, "finite numbers"),
        ("gril.prop4.1", {"f": 2, "step_size": [1, 2]}, "expects eta of shape (), got (2,)"),
        ("gril.prop4.1", {"f": 2.0, "step_size": 1}, "f to be a whole number ≥ 1, got 2.0"),
        ("gril.prop4.1", {"f": True, "step_size": 1}, "f to be a whole number ≥ 1, got True"),
        ("gril.prop4.1", {"f": 2, "features": 2, "eta": 1}, "was given f twice"),
        ("gril.prop4.1", {"feature": 2, "eta": 1}, "unknown: feature; nearest: features"),
    ],
)
def test_mistaken_call_of_construct_says_what_was_expected(
    id: Any, values: dict[str, Any], complaint: str
):
    with pytest.raises(UsageError) as caught:
        construct(id, **values)
    assert complaint in str(caught.value)


def test_construct_takes_numpy_scalars_at_their_exact_value():
    exact = construct("gril.prop4.1", features=np.int64(2), step_size=np.float32(0.5))
    other = construct("gril.prop4.1", features=2, step_size=Fraction(1, 2))
    assert exact.as_sympy() == other.as_sympy()


@pytest.mark.parametrize("first", [0, 1])
def test_body_that_answers_otherwise_each_time_is_neither_proved_nor_refuted(first: int):
    answers = cycle([first, 1 - first])
    claim = (
        Source("mine", title="moods")
        .claim("mine.moody", says="…", given={"x": ""})(lambda x: equal(x, x + next(answers)))
        .claim
    )
    result = decide(claim, ENGINES["all"])
    assert result.verdict == "unknown"
    assert "what is recorded of the claim is not the claim's own" in str(result.reason)


def test_a_file_named_from_the_current_folder_is_looked_for_anew_in_each_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert not place.is_own("mine", "mine.py")
    Path("mine.py").write_text("", "utf-8")
    assert place.is_own("mine", "mine.py")
