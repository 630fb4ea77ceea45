"""`scanproof prove` as a user runs it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Run, one_line

MODULE = """
import os, random
import jax, jax.numpy as jnp

def forward(X, Y, q):
    step = lambda state, token: (state + jnp.outer(token[1], token[0]), None)
    state, _ = jax.lax.scan(step, jnp.zeros((Y.shape[1], X.shape[1])), (X, Y))
    return state @ q

def specification(X, Y, q):
    return Y.T @ (X @ q)

def tenth(X, Y, q):
    return 0.1 * forward(X, Y, q)

def tenth_of_it(X, Y, q):
    return specification(X, Y, q) / 10

def wrong(X, Y, q):
    return forward(X[1:], Y[1:], q)

def prints(X, Y, q):
    print("here")
    return forward(X, Y, q)

def writes(X, Y, q):
    with open("notes.txt", "w"):
        return forward(X, Y, q)

def starts(X, Y, q):
    os.system("true")
    return forward(X, Y, q)

def draws(X, Y, q):
    return forward(X, Y, q) * random.random()

def other_shape(X, Y, q):
    return Y @ Y.T

def broken(X, Y, q):
    return X @ Y

def turned(Y, X, q):
    return Y.T @ (X @ q)

def ordered(X, Y, q):
    return jnp.sort(X, axis=0).T @ X @ q

def ordered_twice(X, Y, q):
    return jnp.sort(jnp.sort(X, axis=0), axis=0).T @ X @ q

def turned_round(X, Y, q):
    return -jnp.sort(-X, axis=0).T @ X @ q

def gate(x):
    return jax.nn.sigmoid(x)

def gate_by_tanh(x):
    return (jnp.tanh(x / 2) + 1) / 2

def gate_of_twice(x):
    return gate(2 * x)

def squared_root(x):
    return jnp.sqrt(x) * jnp.sqrt(x)

def same(x):
    return x
"""
SHAPES = "X: T f, Y: T k, q: f"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "mymodule.py").write_text(MODULE)
    return folder


@pytest.fixture
def prove(run: Run, folder, monkeypatch):
    """Runs `scanproof prove` on two functions of the module."""
    monkeypatch.chdir(folder)
    return lambda one, other="specification", *more, shapes=SHAPES: run(
        "prove", f"mymodule:{one}", "--shapes", shapes, "--equals", f"mymodule:{other}", *more
    )


@pytest.mark.long
def test_a_scan_is_proved_for_all_sizes(prove):
    answer = prove("forward")
    assert answer.code == 0
    assert "mymodule:forward = mymodule:specification: proved" in answer.out
    assert "for all sizes, in exact real arithmetic, by induction" in answer.out


@pytest.mark.long
def test_a_wrong_program_is_refuted_with_inputs_and_both_outputs(prove):
    answer = prove("wrong")
    assert answer.code == 1
    assert "refuted" in answer.out
    assert "X = [[" in answer.out
    assert "the program gives [0]" in answer.out
    assert "the specification [6]" in answer.out


@pytest.mark.long
def test_a_literal_is_read_as_the_number_that_it_means_and_that_is_said(prove):
    answer = prove("tenth", "tenth_of_it")
    assert answer.code == 0
    assert "proved\n  for all sizes" in answer.out
    assert "taken for granted: literals are the numbers that they mean: 0.1 is 1/10" in answer.out
    assert "the program computes with 0.1 (mymodule.py:14" in answer.out
    assert "read as 1/10" in answer.out


@pytest.mark.long
def test_functions_of_numbers_are_proved_and_no_size_is_spoken_of(prove):
    answer = prove("gate", "gate_by_tanh", shapes="x:")
    assert (answer.code, "all sizes" in answer.out) == (0, False)
    assert "proved\n  of all numbers, in exact real arithmetic" in answer.out
    answer = prove("squared_root", "same", "--strict", shapes="x:")
    assert answer.code == 0
    assert "taken for granted: square roots are of numbers ≥ 0" in answer.out
    answer = prove("gate", "gate_of_twice", shapes="x:")
    assert (answer.code, "refuted\n  x = 1\n" in answer.out) == (1, True)


def test_the_outcome_as_json(prove):
    answer = prove("forward", "specification", "--format", "json")
    found = json.loads(answer.out)
    assert found["schema"] == "scanproof.prove/1"
    assert (found["verdict"], found["scope"]) == ("proved", "all-sizes")
    assert found["shapes"] == {"X": "T f", "Y": "T k", "q": "f"}


@pytest.mark.short(
    "[draws-specification-not the same program when it is run again]",
    "[forward-turned-takes X, Y, q, and mymodule:turned Y, X, q]",
    "[prints-specification-prints while JAX traces it]",
)
@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("prints", "specification", "prints while JAX traces it"),
        ("writes", "specification", "opens a file while JAX traces it"),
        ("starts", "specification", "starts a process while JAX traces it"),
        ("draws", "specification", "not the same program when it is run again"),
        ("broken", "specification", "does not run on arrays of shapes"),
        ("missing", "specification", "has no 'missing'; it has broken, "),
        ("forward", "missing", "has no 'missing'"),
        ("forward", "turned", "takes X, Y, q, and mymodule:turned Y, X, q"),
    ],
)
def test_mistakes_are_told_in_one_line(prove, one, other, told):
    assert told in one_line(prove(one, other))


@pytest.mark.long_cases(
    "[X: T f, Y: S k, q: f-does not run on arrays of shapes]",
    "[X: T f, Y: T k-takes X, Y, q; --shapes names X, Y]",
)
@pytest.mark.parametrize(
    ("shapes", "told"),
    [
        ("X: T f, Y: T k", "takes X, Y, q; --shapes names X, Y"),
        ("X: T f, Y: T k, p: f", "--shapes names 'p', and mymodule:forward takes X, Y, q"),
        ("X T f", "expects each array's name"),
        ("X: T f, X: T f, q: f", "once"),
        ("X: T f, Y: S k, q: f", "does not run on arrays of shapes"),
        ("X: T/2 f, Y: T k, q: f", "not made of sizes"),
    ],
)
def test_shapes_that_contradict_the_function_are_told(prove, shapes, told):
    assert told in one_line(prove("forward", shapes=shapes))


@pytest.mark.long
def test_arrays_of_other_shapes_are_refuted(prove):
    answer = prove("other_shape", "specification")
    assert answer.code == 1
    assert "the two return arrays of other shapes at T=1" in answer.out


@pytest.mark.long
def test_what_is_not_read_is_refuted_where_it_differs_as_it_runs(prove):
    answer = prove("ordered", "turned_round")
    assert answer.code == 1
    assert "refuted, in float" in answer.out
    assert "unknown" in prove("ordered", "ordered_twice").out


@pytest.mark.long
def test_a_module_that_is_not_there(run: Run):
    answer = run("prove", "no.such:f", "--shapes", "X: T", "--equals", "no.such:g")
    assert "cannot be imported" in one_line(answer)


def test_a_library_that_a_program_needs_is_named_with_how_to_install_it(
    run: Run, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "triton", None)
    (tmp_path / "kernels.py").write_text("import triton\n", encoding="utf-8")
    of = f"{tmp_path}/kernels.py:f"
    assert "pip install triton" in one_line(run("prove", of, "--shapes", "X: T", "--equals", of))


@pytest.mark.long
def test_strict_asks_for_all_sizes(prove):
    answer = prove("forward", "specification", "--strict", "--sizes", "T=1,2, f=1, k=2")
    assert answer.code == 0


@pytest.mark.long
def test_the_page_s_claim_is_proved(run: Run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).resolve().parent.parent / "docs" / "prove.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(from scanproof.*?)```", page, re.S)
    Path("mine.py").write_text(code, encoding="utf-8")
    answer = run("check", "mine.py")
    assert answer.code == 0
    assert "1 claim: 1 proved (" in answer.out


@pytest.mark.long
def test_lengths_may_be_sums_with_whole_factors(prove):
    answer = prove("forward", shapes="X: 64*n+1 f, Y: 64*n+1 k, q: f")
    assert "proved\n  for all sizes" in answer.out


@pytest.mark.long
def test_what_is_not_read_is_unknown_with_its_line(run: Run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "sorting.py").write_text(
        "import jax.numpy as jnp\n\n\ndef forward(X):\n    return jnp.sort(X, axis=0).sum(0)\n\n\n"
        "def total(X):\n    return X.sum(0)\n"
    )
    asked = ("prove", "sorting:forward", "--shapes", "X: T f", "--equals", "sorting:total")
    answer = run(*asked)
    assert answer.code == 0
    assert "unknown" in answer.out
    assert "(sort, sorting.py:5" in answer.out
    assert run(*asked, "--strict").code == 2


@pytest.mark.long
def test_a_claim_about_a_jax_program_is_decided_where_jax_has_computed_before(tmp_path):
    """A copy of the process would wait for ever for JAX's threads."""
    (tmp_path / "mine.py").write_text(
        "import jax.numpy as jnp\n"
        "from scanproof import Source, equal, program\n"
        "mine = Source('mine', title='Mine')\n"
        "total = program(lambda x: jnp.cumsum(x)[-1])\n"
        "@mine.claim('mine.total', says='the last sum is all', given={'x': 'T'})\n"
        "def total_is_sum(x):\n"
        "    return equal(total(x), x.sum())\n"
    )
    code = (
        "import sys, jax.numpy as jnp; (jnp.ones((300, 300)) @ jnp.ones(300)).sum().item();"
        "from scanproof._main import main; sys.argv = ['scanproof', 'check', 'mine.py']; main()"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=200
    )
    assert "1 claim: 1 proved" in answer.stdout, answer.stderr
