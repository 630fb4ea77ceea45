"""Mends: a claim with one slip in the user's own text names the edit with which it is proved, and no other."""

import ast
import json
import os
import subprocess
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from command_line import Run, command

from scanproof.proofs.decide import ledger, mends
from scanproof.proofs.refute.edits import edits
from scanproof.proofs.refute.near_misses import own_near_misses
from scanproof.proofs.refute.own_text import own_edits, own_functions

pytestmark = pytest.mark.skipif(os.name == "nt", reason="workers are forked")

SGD = """
    from scanproof import Source, equal, scan

    paper = Source("mine", title="A layer of mine")

    def step(eta, w, token):
        x, y = token
        {line}
        return w, x @ w

    @paper.claim("mine.sgd", says="SGD", given={{"x": "N f", "y": "N", "w0": "f", "eta": ""}})
    def one_pass(x, y, w0, eta, N):
        w = w0
        for t in range(N):
            w = w - eta * (x[t] @ w - y[t]) * x[t]
        return equal(scan(step, eta, w0, (x, y)).final_state, w)
"""
RIGHT = "w = w - eta * (x @ w - y) * x"
MEMORY = """
    from scanproof import Source, equal, scan

    paper = Source("mine", title="A memory of mine")

    def step(g, S, token):
        q, k, v = token
        S = g * S + v[:, None] * k[None, :]
        return S, {output}

    @paper.claim("mine.memory", says="…", given={{"q": "T d", "k": "T d", "v": "T d", "g": ""}})
    def memory(q, k, v, g, T, d, xp):
        run = scan(step, g, xp.zeros((d, d)), (q, k, v))
        wanted = sum(g ** {power} * (k[t] @ q[T - 1]) * v[t] for t in range(T))
        return equal(run.outputs[T - 1], wanted)
"""


def written(text: str, name: str = "mine.py", **parts: str) -> Path:
    import textwrap

    path = Path(name)
    path.write_text(textwrap.dedent(text).format(**parts), encoding="utf-8")
    return path


def mends_of(run: Run, *files: str) -> list[dict[str, Any]]:
    (claim,) = json.loads(run("check", *files, "--format", "json").out)["claims"]
    assert claim["as_stated"]["verdict"] == "refuted"
    return claim["as_stated"].get("mends", [])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("TIME_LIMIT", "EDIT_LIMIT"):  # on a machine that is busy with other tests
        monkeypatch.setattr(mends, name, 10 * getattr(mends, name))


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "parts", "line", "after"),
    [
        (SGD, {"line": "w = w - eta * (x @ w + y) * x"}, 8, RIGHT),
        (
            MEMORY,
            {"output": "S.T @ q", "power": "(T - 1 - t)"},
            9,
            "return S, q @ S.T",
        ),
        (MEMORY, {"output": "q @ S", "power": "(T - 1 - t)"}, 9, "return S, q.T @ S"),
        (
            MEMORY,
            {"output": "S @ q", "power": "(T - t)"},
            14,
            "wanted = sum(g ** (T - t - 1) * (k[t] @ q[T - 1]) * v[t] for t in range(T))",
        ),
    ],
    ids=["sign", "transpose", "order", "index"],
)
def test_one_slip_is_named_by_its_line_and_mended(
    run: Run, text: str, parts: dict[str, str], line: int, after: str
):
    file = written(text, **parts)
    before = file.read_text("utf-8")
    mends = mends_of(run, "mine.py")
    assert file.read_text("utf-8") == before
    first = mends[0]
    assert (first["file"], first["line"], first["verdict"]) == ("mine.py", line, "proved")
    assert before.splitlines()[line - 1].strip() == first["before"]
    assert parts == {"output": "q @ S", "power": "(T - 1 - t)"} or first["after"] == after


@pytest.mark.long
def test_what_is_shown_holds_when_the_line_is_changed_by_hand(run: Run):
    file = written(SGD, line="w = w - 2 * eta * (x @ w - y) * x")
    mends = mends_of(run, "mine.py")
    assert mends[0]["after"] == "w = w - 1 * eta * (x @ w - y) * x"
    for mend in mends:
        text = file.read_text("utf-8")
        assert text.count(mend["before"]) == 1
        Path("other.py").write_text(text.replace(mend["before"], mend["after"]), encoding="utf-8")
        done = subprocess.run(command("check", "other.py"), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


@pytest.mark.long
@pytest.mark.parametrize(
    "line",
    [
        "w = w + 2 * eta * (x @ w + y) * x",  # two slips
        "w = w - eta * (x @ w) * x + y * x",  # a factor is missing that stands nowhere near
        "w = w - eta * (x @ w - y) * x * x",
    ],
)
def test_what_no_single_edit_mends_has_no_mend(run: Run, line: str):
    written(SGD, line=line)
    assert mends_of(run, "mine.py") == []
    assert "no mend: none is known" in run("check", "mine.py").out


@pytest.mark.long
def test_an_edit_that_helps_at_small_sizes_alone_is_not_told(run: Run):
    """With 2 · 3 in place of 2 · 4 it holds at N = 1, 2, 3, which are all sizes listed; and not at N = 4."""
    written(
        """
        from scanproof import Source, definition, equal

        paper = Source("mine", title="Sizes")

        @definition
        def most(x, N):
            return x * (min(N, 4) if N < 3 else 4)

        @paper.claim("mine.most", says="…", given={{"x": ""}}, sizes={{"N": (1, 2, 3)}})
        def claimed(x, N):
            return equal(most(x, N), N * x)
        """
    )
    assert mends_of(run, "mine.py") == []


@pytest.mark.long
def test_an_edit_that_empties_both_sides_is_no_mend(run: Run):
    written(
        """
        from scanproof import Source, definition, equal

        paper = Source("mine", title="Nothing")

        @definition
        def scaled(x):
            return 1 * x

        @paper.claim("mine.nothing", says="…", given={{"x": "N"}})
        def claimed(x):
            return equal(scaled(x) * x, scaled(x) + scaled(x))
        """
    )
    assert mends_of(run, "mine.py") == []


@pytest.mark.long
def test_a_slip_in_an_imported_file_of_the_users_is_found_there(run: Run):
    written("def step(_, S, token):\n    S = S - token\n    return S, S\n", "my_layers_of_test.py")
    written(
        """
        import my_layers_of_test as layers
        from scanproof import Source, equal, scan

        paper = Source("mine", title="Two files")

        @paper.claim("mine.sum", says="…", given={{"x": "N d"}})
        def claimed(x, d, xp):
            return equal(scan(layers.step, None, xp.zeros((d,)), x).final_state, x.sum(axis=0))
        """
    )
    first = mends_of(run, "mine.py")[0]
    assert (first["file"], first["line"]) == ("my_layers_of_test.py", 2)
    assert (first["after"], first["scope"]) == ("S = S + token", "all-sizes")


LEARNER = """
    from scanproof import Layer, Source, gradient

    paper = Source("mine", title="A learner of mine")

    def loss(w, x):
        return ((w * x).sum() - 1) ** 2 / 2

    def slope(w, x):
        return ((w * x).sum() - 1) * x

    def step(_, w, x):
        w = w + slope(w, x)
        return w, w

    def learner(_, w, x):
        return w - gradient(lambda w: loss(w, x), w)

    paper.law("mine.step", Layer(step, state="d", token="d").performs(learner))
"""


@pytest.mark.long
def test_of_a_law_the_step_is_mended_first_and_the_objective_last(run: Run):
    text = written(LEARNER).read_text("utf-8").splitlines()
    first, *others = [text[mend["line"] - 1].strip() for mend in mends_of(run, "mine.py")]
    assert first == "w = w + slope(w, x)"
    assert others[-1] in ("return ((w * x).sum() - 1) ** 2 / 2", text[16].strip())


@pytest.mark.long
def test_an_edit_that_never_ends_is_given_up(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mends, "EDIT_LIMIT", 4.0)
    written(
        """
        from scanproof import Source, definition, equal

        paper = Source("mine", title="A loop")

        @definition
        def total(x, N):
            t, s = 0, 0 * x[0]
            while t != N:
                s = s - x[t]
                t = t + 1
            return s

        @paper.claim("mine.total", says="…", given={{"x": "N"}})
        def claimed(x, N):
            return equal(total(x, N), x.sum(axis=0))
        """
    )
    assert mends_of(run, "mine.py")[0]["after"] == "s = s + x[t]"


@pytest.mark.long
def test_answers_are_the_same_twice(run: Run):
    written(MEMORY, output="S @ q", power="(T - t)")
    answers = [run("check", "mine.py", "--format", "json").out for _ in range(2)]
    first, second = ({**json.loads(answer), "timing": None} for answer in answers)
    assert first == second


@pytest.mark.long
def test_file_that_prints_when_it_is_read_prints_once(run: Run):
    written(MEMORY + '\n    print("read")\n', output="S @ q", power="(T - t)")
    done = subprocess.run(
        command("check", "mine.py", "--format", "json"),
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["claims"][0]["as_stated"]["mends"]
    assert done.stderr == "read\n"


@pytest.mark.long
def test_the_story_and_the_table_tell_the_mend(run: Run):
    written(SGD, line="w = w + eta * (x @ w - y) * x")
    mend = f"mine.py:8: w = w + eta * (x @ w - y) * x → {RIGHT} (proved at fixed sizes)"
    formats = ("github", "summary", "junit")
    also = [part for one in formats for part in ("--also", f"{one}={one}")]
    table = " ".join(run("check", "mine.py", "--save", *also).out.split())
    assert mend in table
    assert "1 claim: 1 refuted (1 with a mend)" in table
    for one in formats:
        told = Path(one).read_text(encoding="utf-8").replace("\\*", "*")  # of Markdown
        assert f"mend: {mend}" in told, one
    assert mend in " ".join(run("show", "mine.py", "mine.sgd").out.split())


@pytest.mark.long
def test_functions_run_as_they_were_after_all_edits():
    file = written(SGD, line="w = w + eta * (x @ w - y) * x")
    (source,) = ledger.from_file(file)
    claim = source.rows[0].claim
    functions, _ = own_functions(claim)
    assert [f.__name__ for f in functions] == ["step", "one_pass"]
    before = [f.__code__ for f in functions]
    found = own_near_misses(claim, {"N": 1, "f": 1}, nullcontext)
    assert [edit.line for edit in found] == [8, 15]
    assert [f.__code__ for f in functions] == before


def test_a_file_that_has_changed_since_it_was_read_is_left_alone():
    file = written(SGD, line="w = w + eta * (x @ w - y) * x")
    (source,) = ledger.from_file(file)
    file.write_text("# a line more\n" + file.read_text("utf-8"), encoding="utf-8")
    assert not list(own_edits(source.rows[0].claim))


TEXTS = (
    "y = a + b - (c)\n",
    "y = (a - b).T @ (c  # why\n     + d)\n",
    "é = α @ β.T  # ünï\n",
    "y = -x ** 2 * z[t - 1, :, 1:]\n",
    "y = f(a, k=-1.5) / g(*b)[:n]\n",
    "def f(a, *, k=0.5):\n    return xp.outer(a, -k), [a[i] for i in range(n)]\n",
    "y += lambda t: t * 2\n",
)


def test_a_number_is_taken_with_its_minus():
    text = "y = tri(n, k=-1) - -2"
    found = {edit.of(text) for edit in edits(text, ast.parse(text))}
    assert "y = tri(n, k=0) - -2" in found
    assert "y = tri(n, k=-1) - (-1)" in found
    assert not any("-0" in one or "--" in one for one in found)


@pytest.mark.parametrize("text", TEXTS)
def test_every_edit_is_a_program_with_other_syntax_at_one_place(text: str):
    tree = ast.parse(text)
    found = edits(text, tree)
    assert found
    for edit in found:
        after = edit.of(text)
        assert ast.dump(ast.parse(after)) != ast.dump(tree) or "(c)" in text, after
        assert after[: edit.start] == text[: edit.start]
