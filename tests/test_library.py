"""scanproof as a library: what `prove`, `check` and `assert_equal` return, raise and print."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import scanproof
from scanproof import ProofResult, Source, UsageError, _library, _prove, equal
from scanproof.proofs.check.result import Result
from scanproof.proofs.decide import targets
from scanproof.proofs.decide.called import listed, with_arguments
from scanproof.proofs.decide.outcome import Outcome
from scanproof.proofs.doors.outputs import matched, paths, said
from scanproof.proofs.exact.counterexample import Counterexample
from scanproof.proofs.report.words import unmet

jax = pytest.importorskip("jax")
jnp = jax.numpy

CLAIMS = """
from scanproof import Source, definition, equal

paper = Source("shop", title="Prices <b> at $5 and $6")


@definition
def times(x, y):
    return x * y


@paper.claim("shop.sum", says="twice x & y < is x + x", given={"x": "N"})
def total(x):
    return equal(times(2, x), x + x)


@paper.claim("shop.square", says="x² is x", given={"x": "N"})
def square(x):
    return equal(times(x, x), x)


square.restate("half", "x²/2 is x x/2", given={"x": "N"})(
    lambda x: equal(times(x, x) / 2, x * (x / 2))
)
"""


NO_TARGET: Any = 3


def outcome(verdict: str, scope: str | None = None, **about: Any) -> Outcome:
    return Outcome("m:f", "m:g", {"x": "n"}, Result(verdict, scope, "because"), **about)


@pytest.mark.parametrize(
    ("verdict", "scope", "expected", "holds"),
    [
        ("proved", "all-sizes", None, True),
        ("proved", "fixed-size", None, False),
        ("unknown", None, None, False),
        ("refuted", None, None, False),
        ("refuted", None, "refuted", True),
        ("unknown", None, "refuted", False),
        ("proved", "all-sizes", "refuted", False),
        ("proved", "fixed-size", "unknown", False),
    ],
)
def test_a_result_is_true_where_it_is_proved_for_all_sizes_or_as_expected(
    verdict, scope, expected, holds
):
    assert bool(ProofResult(outcome(verdict, scope), expected=expected)) is holds


def test_what_is_proved_for_some_sizes_is_neither_proved_nor_as_expected():
    condition = {"sizes": {"n": 70000}, "plus": 0, "at_most": 2**31 - 1}
    about = outcome("proved", "all-sizes")
    about.result.evidence = [{"method": "kernel", "conditions": [condition]}]
    words = "proved for all n with 70000·n ≤ 2147483647"
    for expected in (None, "proved"):
        found = ProofResult(about, expected=expected)
        assert not found and found.words == words and repr(found).endswith(f"{words}>")
    assert "all n ≥ 1 with 70000·n ≤ 2147483647" in ProofResult(about).statement
    assert _prove._code(about, True, None) == 2 and _prove._code(about, False, "proved") == 1
    assert f"expected proved, came {words}" in unmet({**about.as_dict(), "expect": "proved"})


def test_what_is_proved_and_rests_on_what_is_not_is_false():
    found = ProofResult(outcome("proved", "all-sizes"))
    found.tainted = True
    assert not found


def twice(x):
    return x + x


def thrice(x):
    return 3 * x


@pytest.mark.long
def test_a_refutation_is_false_and_has_arrays_on_which_the_two_differ():
    found = scanproof.prove(twice, equals=thrice, shapes="x: n")
    shown = found.counterexample
    assert not found and found.verdict == "refuted" and shown is not None
    assert np.array_equal(twice(shown.inputs["x"]), shown.actual)
    assert np.array_equal(thrice(shown.inputs["x"]), shown.claimed)
    assert shown.actual.dtype == float and not np.array_equal(shown.actual, shown.claimed)
    assert all(isinstance(one, Fraction) for one in shown.exact.inputs["x"])
    assert "x = [1]" in str(found) and "the specification [3]" in str(found)
    assert repr(found).count("\n") == 0 and repr(found).endswith("thrice: refuted>")
    assert "n ≥ 1" in found.statement and "x: n" in found.statement


def test_numbers_that_no_fraction_is_are_kept_as_text():
    result = Result("refuted")
    result.counterexample = Counterexample({"n": 1}, {"x": ["1/3", "2"]}, 0, ["√2"], ["nan"])
    shown = ProofResult(Outcome("m:f", "m:g", {}, result)).counterexample
    assert shown is not None and shown.claimed.tolist() == ["√2"] and np.isnan(shown.actual[0])
    assert shown.inputs["x"][0] == 1 / 3 and shown.exact.inputs["x"][0] == Fraction(1, 3)


@pytest.mark.long
def test_assert_equal_is_silent_where_it_is_proved_and_else_shows_inputs_and_both_outputs():
    scanproof.assert_equal(twice, lambda x: 2 * x, shapes="x: n")
    with pytest.raises(AssertionError) as raised:
        scanproof.assert_equal(twice, thrice, shapes="x: n", suffices="unknown")
    for line in ("refuted", "x = [1]", "the program gives [2]", "the specification [3]"):
        assert line in str(raised.value)


@pytest.mark.parametrize(
    ("verdict", "scope", "suffices", "raises"),
    [
        ("proved", "fixed-size", "proved", True),
        ("proved", "fixed-size", "proved*", False),
        ("proved", "fixed-size", "unknown", False),
        ("unknown", None, "proved", True),
        ("unknown", None, "proved*", True),
        ("unknown", None, "unknown", False),
        ("refuted", None, "unknown", True),
    ],
)
def test_assert_equal_takes_less_only_where_that_is_said(
    verdict, scope, suffices, raises, monkeypatch
):
    answer = ProofResult(outcome(verdict, scope))
    monkeypatch.setattr(_library, "prove", lambda *args, **options: answer)
    if not raises:
        return scanproof.assert_equal(twice, thrice, suffices=suffices)
    with pytest.raises(AssertionError) as raised:
        scanproof.assert_equal(twice, thrice, suffices=suffices)
    hint = {"refuted": None, "unknown": "unknown", "proved": "proved*"}[verdict]
    assert (hint is None) or f'suffices="{hint}"' in str(raised.value)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: scanproof.assert_equal(twice, thrice, suffices="most"), "allowed: proved, proved*"),
        (lambda: scanproof.prove(twice, equals=thrice, expect="true"), "allowed: proved, refuted, unknown"),
        (lambda: scanproof.prove(twice, equals=thrice), "neither has annotations of jaxtyping"),
        (lambda: scanproof.check(NO_TARGET), "3 is of type int; give a path, a module, a Source"),
        (lambda: scanproof.check(Source("empty", title="")), "the source empty has no claim"),
        (lambda: scanproof.check(sys), "sys defines no claim"),
        (lambda: scanproof.check("missing.py"), "no such file"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_call_is_a_usage_error_that_says_what_to_give(call, told):
    with pytest.raises(UsageError) as raised:
        call()
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"equals": 3}, "3 is no function"),
        ({"shapes": ["x: n"]}, "give a text such as 'X: T f, q: f'"),
        ({"shapes": {"x": ("n", "d")}}, "give a text such as 'X: T f, q: f'"),
        ({"shapes": {1: "n"}}, "give a text such as 'X: T f, q: f'"),
        ({"sizes": [1, 2]}, "give values by the sizes' names"),
        ({"sizes": {"n": 3}}, "sizes of n: 3; give one whole number or more"),
        ({"sizes": {"n": ()}}, "sizes of n: (); give one whole number or more"),
        ({"sizes": {"n": (1.5,)}}, "sizes of n: 1.5: give a whole number"),
        ({"sizes": {"k": (1,)}}, "'k' is no size; the shapes have n"),
        ({"framework": "tf"}, "framework='tf': no such framework; allowed: jax, torch"),
        ({"steps": -1}, "steps = -1: give a whole number ≥ 1"),
        ({"time_limit": "5"}, "time_limit = '5': give a number of seconds"),
        ({"memory_limit": [1]}, "memory_limit = [1]: give an amount of memory"),
    ],
)
def test_an_option_of_prove_that_is_none_is_told(options: dict[str, Any], told: str):
    with pytest.raises(UsageError) as raised:
        scanproof.prove(twice, **{"equals": twice, "shapes": "x: n", **options})
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (twice, "twice"),
        (functools.partial(twice), "twice(…)"),
        (Fraction(2).__add__, "fractions:Fraction(…).__add__"),
        (Fraction.from_float, "fractions:Fraction.from_float"),
        (np.vectorize(twice), "vectorize(…)"),
    ],
)
def test_a_function_that_is_made_of_another_is_named_after_it(target, name: str):
    assert targets.name(target).endswith(name)


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("own") / "shop.py"
    file.write_text(CLAIMS, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def checked(shop):
    return scanproof.check(shop, jobs=1)


def test_a_path_gives_rows_by_order_and_id_that_say_their_verdicts(checked):
    first, second = checked
    assert checked[-1] is second and checked[:1] == [first]
    assert (first.id, first.verdict, first.scope) == ("shop.sum", "proved", "all-sizes")
    assert first and not second and not checked
    assert checked["shop.square"] is second and checked[1] is second and len(checked) == 2
    assert [one.id for one in second.amendments] == ["shop.square+half"]
    assert checked["shop.square+half"] and checked.counts == {"proved": 1, "refuted": 1}
    assert checked.report["schema"] == "scanproof.report/1"
    assert second.counterexample.inputs["x"].tolist() == [2.0]
    with pytest.raises(KeyError, match=r"nearest: shop\.square"):
        checked["shop.squar"]


def test_a_check_prints_the_table_and_a_row_what_show_prints(checked):
    assert "shop.square  refuted" in str(checked)
    assert repr(checked) == "<CheckResult of 2 rows: 1 proved, 1 refuted>"
    assert str(checked[1]).startswith("shop.square: refuted") and "x = [2]" in str(checked[1])
    assert repr(checked[0]) == "<ClaimResult shop.sum: proved>"


@pytest.mark.long
def test_a_row_s_statement_has_its_derivation_and_its_script_runs(checked, tmp_path):
    assert "Derivation of shop.sum" in checked[0].statement and checked[0].script is None
    done = subprocess.run([sys.executable, "-c", checked[1].script], capture_output=True, text=True)
    assert done.returncode == 0 and "the two sides differ" in done.stdout


@pytest.mark.long
def test_a_module_and_a_source_are_checked_as_their_file_is(shop, monkeypatch):
    monkeypatch.syspath_prepend(shop.parent)
    import shop as module  # type: ignore[import-not-found]

    assert [one.verdict for one in scanproof.check(module, jobs=1)] == ["proved", "refuted"]
    source = Source("own", title="")
    source.claim("own.same", says="x is x", given={"x": "N"})(
        lambda x: equal(scanproof.definition(twice)(x), 2 * x)
    )
    assert scanproof.check(source, jobs=1)


def test_a_notebook_shows_formulas_and_takes_no_words_for_markup(checked):
    proof = ProofResult(outcome("proved", "all-sizes", proved=["Σ[j < n] <i>x[j] = $2$ y[1]"]))
    pages = [checked._repr_html_(), checked[0]._repr_html_(), proof._repr_html_()]
    assert "<b>" not in pages[0].replace("<b style", "") and "&lt;b&gt; at" in pages[1]
    assert "twice x &amp; y &lt; is x + x" in pages[0]
    assert "Σ<sub>j &lt; n</sub> &lt;i&gt;x<sub>j</sub>" in pages[2] and "$2$" not in pages[2]
    assert "$$" in pages[1] and r"\mathrm{left}" in pages[1]


class State(NamedTuple):
    h: Any
    c: Any


@dataclass
class Step:
    loss: Any
    state: State


def step(x):
    return Step(x.sum(), State(x, 2 * x))


@pytest.mark.short(4)
@pytest.mark.parametrize(
    ("other", "part"),
    [
        (lambda x: Step(x.sum(), State(x, 3 * x)), "state.c"),
        (lambda x: {"loss": x.sum(), "state": {"h": x, "c": 3 * x}}, "state.c"),
        (lambda x: (2 * x.sum(), [x, 2 * x]), "loss"),
        (lambda x: {"loss": x.sum(), "state": {"h": x, "c": 2 * x}}, None),
    ],
)
def test_outputs_are_compared_one_by_one_and_the_answer_says_which_differs(other, part):
    found = scanproof.prove(step, equals=other, shapes="x: n")
    shown = found.counterexample
    assert (found.verdict, shown.part if shown else None) == (
        ("proved", None) if part is None else ("refuted", part)
    )
    assert part is None or f"output {part} differs" in str(found)


def test_an_output_that_is_not_read_is_named_where_runs_differ():
    found = scanproof.prove(
        lambda x: {"a": x.sum(), "b": jnp.sort(x)},
        equals=lambda x: {"a": x.sum(), "b": x},
        shapes="x: n",
    )
    assert found.verdict == "refuted" and found.counterexample.part == "b"


def test_outputs_with_other_names_are_refused():
    own, others = ([path for path, _ in paths(one)] for one in ({"a": 1}, {"b": 1}))
    with pytest.raises(UsageError, match="returns a where the specification returns b"):
        matched("prove f = g", own, others)
    nested = {"z": [1, State(2, None)], "a": ()}
    assert [said(path) for path, _ in paths(nested)] == ["z[0]", "z[1].h"]


def with_unread(key, p, train):
    del key
    return 2 * p


def with_defaults(p, eps=1e-6, *, scale=2):
    return scale * p


def reading(function):
    """A wrapper of the user's that reads what the function does not."""

    @functools.wraps(function)
    def run(key, p, train=True):
        return function(key, p) if key is None else key

    return run


@pytest.mark.parametrize(
    ("function", "given", "message"),
    [
        (with_unread, "p", None),
        (with_defaults, "p", None),
        (with_unread, "train", "p has no default, and is read: give its shape"),
        (with_unread, "q", "takes key, p, train; --shapes names q"),
        (lambda x, y: locals()["y"], "x", "y has no default"),
        (lambda x, y: [y for _ in range(2)], "x", "y has no default"),
        (reading(with_unread), "p", "key has no default, and is read"),
        (jax.jit(with_unread, static_argnames="train"), "p", None),
        (jax.checkpoint(with_unread), "p", None),
    ],
)
def test_an_argument_is_left_out_that_has_a_default_or_that_nothing_reads(
    function: Callable[..., Any], given, message
):
    if message is None:
        assert list(listed("f", function, {given: "n"})) == [given]
        assert with_arguments(function, [given])(3) == 6
        return
    with pytest.raises(UsageError) as raised:
        listed("f", function, {given: "n"})
    assert message in str(raised.value)


@pytest.mark.long
def test_an_input_may_be_called_as_bodies_of_claims_call_their_parameters():
    assert scanproof.prove(with_unread, equals=with_defaults, shapes="p: n")
    found = scanproof.prove(with_unread, equals=lambda p: p, shapes="p: n*m")
    assert found.counterexample is not None and list(found.counterexample.inputs) == ["p"]
    assert "p_" not in str(found)


PROGRAM = "import jax.numpy as jnp\n\ndef f(x, key): return {n} * x.sum()\n"


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    for name, n in (("here/jerr", 1), ("here/sub/jerr", 2), ("there/jerr", 3)):
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PROGRAM.format(n=n))
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.delitem(sys.modules, "jerr", raising=False)
    return tmp_path


@pytest.mark.short(3)
@pytest.mark.parametrize(
    ("target", "number"),
    [
        ("jerr:f", 1),
        ("jerr.py:f", 1),
        ("./jerr.py:f", 1),
        ("{}/here/jerr.py:f", 1),
        ("sub/jerr.py:f", 2),
        ("./sub/../sub/jerr.py:f", 2),
        ("../there/jerr.py:f", 3),
        ("{}/there/jerr.py:f", 3),
    ],
)
def test_a_function_is_named_by_its_module_or_its_file(files, target, number):
    importing = targets.function("jerr:f")  # what another file of this name is must not matter
    found = targets.function(target.format(files))
    itself = targets.itself(target.format(files))
    ones = np.ones(2)
    assert (importing(ones, 0), found(ones, 0), itself(ones, 0)) == (2, 2 * number, 2 * number)


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("./missing.py:f", "there is no file ./missing.py"),
        ("jerr.py", "expects module:function or file.py:function"),
        ("./jerr.py:g", "has no 'g'; it has f"),
    ],
)
def test_a_file_or_function_that_is_not_there_is_told(files, target, told):
    with pytest.raises(UsageError) as raised:
        targets.function(target)
    assert told in str(raised.value)


@pytest.mark.long
def test_a_script_calls_both_functions_as_they_were_called(files):
    (files / "here" / "other.py").write_text(
        "from dataclasses import dataclass\n\n@dataclass\nclass Two:\n    b: object\n    a: object\n\n"
        "def f(x): return Two(2 * x.sum(), x)\ndef g(x): return {'a': x, 'b': 3 * x.sum()}\n"
    )
    for program, equals in (("other:f", "./other.py:g"), ("./jerr.py:f", "sub/jerr.py:f")):
        found = scanproof.prove(program, equals=equals, shapes="x: n")
        done = subprocess.run(
            [sys.executable, "-c", found.script or ""], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 and "the two differ" in done.stdout, done.stderr


def test_public_results_are_imported_only_when_they_are_used():
    code = "import sys, scanproof; scanproof.ProofResult; print({'jax', 'sympy'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


IN_TORCH = """
from __future__ import annotations
from dataclasses import dataclass
from typing import NamedTuple
import torch

class State(NamedTuple):
    h: torch.Tensor
    c: torch.Tensor

@dataclass
class Out:
    loss: torch.Tensor
    state: State

def step(x, mask, scale=2.0): return Out(x.sum(), State(x, scale * x))
def table(x): return {"state": {"h": x, "c": x + x}, "loss": x.sum()}
def wrong(x): return {"state": {"h": x, "c": x + x * x}, "loss": x.sum()}
"""


@pytest.mark.long
def test_programs_for_torch_leave_arguments_out_and_return_data_classes(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in_torch.py").write_text(IN_TORCH)
    assert scanproof.prove("./in_torch.py:step", equals="in_torch:table", shapes="x: n")
    found = scanproof.prove("in_torch:step", equals="in_torch:wrong", shapes="x: n")
    assert found.counterexample is not None and found.counterexample.part == "state.c"
