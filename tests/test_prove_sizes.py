"""`prove` on programs that take roots of sizes, ask for them, or have one format; beside each a false neighbour."""

import builtins
import functools
import math
import subprocess
import sys
from math import sqrt as root

import einops  # noqa: F401  what equations are written with
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from equations import equations
from gallery import by_name
from jax import lax
from numpy import arange as positions  # noqa: F401
from numpy import square

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide import in_order
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.doors.jaxpr import stand_ins
from scanproof.proofs.exact.counterexample import Counterexample
from scanproof.proofs.report.program_script import program_script


def attention(q, k, v):
    scores = (q @ k.T) * (1.0 / math.sqrt(q.shape[-1]))
    return jax.nn.softmax(scores, axis=-1) @ v


def attention_scaled_first(q, k, v, power=-0.5):
    scores = jnp.einsum("td,sd->ts", q * q.shape[-1] ** power, k)
    weights = jnp.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)) @ v


def summed(x):
    return x.sum(0)


def running(dtype):
    def run(x):
        return lax.scan(lambda h, row: (h + row, None), jnp.zeros(x.shape[1], dtype), x)[0]

    return run


def running_differences(x):
    start = jnp.zeros(x.shape[1], jnp.float32)
    return lax.scan(lambda h, row: (h - row, None), start, x)[0]


def linear_attention_in_float32(q, k, v):
    def step(state, token):
        q, k, v = token
        state = state + jnp.outer(k, v).astype(jnp.float32)
        return state, (q.astype(jnp.float32) @ state).astype(q.dtype)

    start = jnp.zeros((k.shape[1], v.shape[1]), jnp.float32)
    return lax.scan(step, start, (q, k, v))[1]


def one_row_alone(x, wrong=1):
    if x.shape[0] == 1:
        return wrong * x[0]
    return x.sum(0)


def halves(x):
    middle = x.shape[0] // 2
    return x[:middle].sum(0) + x[middle:].sum(0)


def halves_without_the_middle(x):
    half = x.shape[0] // 2
    return x[:half].sum(0) + x[x.shape[0] - half :].sum(0)


def common_rows(x, y, sign=1):
    n = min(len(x), len(y))
    return (x[:n] + sign * y[:n]).sum(0)


def common_rows_apart(x, y):
    n = min(x.shape[0], y.shape[0])
    return x[:n].sum(0) + y[:n].sum(0)


def broadcast(x, w):
    return x * w[0] if w.shape[0] == 1 else x * w


def last_three(x):
    return x[x.shape[0] - min(len(x), 3) :].sum(0)


def last_three_in_branches(x, few=3):
    return x.sum(0) if len(x) <= few else x[-3:].sum(0)


@functools.lru_cache
def angles(T, d):
    """A table of NumPy's, of positions and of even features."""
    return np.outer(np.arange(T), 100.0 ** (-np.arange(0, 2 * d, 2) / (2 * d)))


def turned_rows(x):
    T, d = x.shape
    return x * np.cos(angles(T, d))


def turned_rows_by_formula(x):
    t, j = (jnp.arange(n)[:, None] for n in x.shape)
    return x * jnp.cos(t * 100.0 ** (-(j.T) / x.shape[1]))


def chunks_of_four(x):
    """Rows by fours, zeros behind the last ones."""
    length = 4 * math.ceil(x.shape[0] / 4)
    rows = jnp.pad(x, ((0, length - x.shape[0]), (0, 0)))
    return rows.reshape(-1, 4, x.shape[1]).sum((0, 1))


def alternating(x):
    signs = np.ones(2)
    signs[1] = -1
    return x * signs[:, None] * np.multiply.reduce([1.0, 1.0])


def negated_first(x):
    return x.at[0].multiply(-1)


def by_root(x):
    return x / math.sqrt(x.shape[1])


TRUE = equations(
    globals(),
    """
math.sqrt(d) and d ** -0.5 | q: T d, k: S d, v: S e | attention(q, k, v) = attention_scaled_first(q, k, v)
NumPy's positions in a table that is remembered | x: T d | turned_rows(x) = turned_rows_by_formula(x)
a function of NumPy's that was imported | x: T d | x * positions(0, 2 * x.shape[0], 2)[:, None]
    = x * 2 * jnp.arange(x.shape[0])[:, None]
math.ceil(T / 4) | x: T d | chunks_of_four(x) = summed(x)
arrays of NumPy's that are written into | x: 2 d | alternating(x) = x * jnp.array([1, -1])[:, None]
a size in einops | x: 2 d | einops.repeat(x, 't d -> (n t) d', n=x.shape[1]) = jnp.tile(x, (x.shape[1], 1))
a part that is multiplied in its place | x: T d | negated_first(x)
    = jnp.where(jnp.arange(x.shape[0])[:, None] == 0, -x, x)
np.sqrt(d) and a root that was imported | q: T d | q / np.sqrt(q.shape[1]) = q / root(q.shape[1])
d ** 1.5, d ** -1, d ** 2.0 | q: T d | q * q.shape[1] ** 1.5 * q.shape[1] ** (-1) * q.shape[1] ** 2.0
    = q * jnp.sqrt(q.shape[1]) ** 3 * q.shape[1]
d ** 0.3 | q: T d | q * q.shape[1] ** 0.3 = (q[::-1] * q.shape[1] ** 0.3)[::-1]
math.log(len(x)) | x: T | x * math.log(len(x)) = x * jnp.log(x.shape[0])
a float32 state | x: T d | running(jnp.float32)(x) = summed(x)
a bfloat16 state | x: T d | running(jnp.bfloat16)(x) = summed(x)
casts to float32 inside a scan | q: T d, k: T d, v: T e | linear_attention_in_float32(q, k, v)
    = jnp.tril(q @ k.T) @ v
a cast to float32 beside exp | q: T d, k: S d | jnp.exp((q @ k.T).astype(jnp.float32)).sum(-1)
    = jnp.sum(jnp.exp(jnp.einsum('td,sd->ts', q, k)), 1)
the last entry by its number | x: T d | x[x.shape[0] - 1] = x[-1]
an entry in the middle, and its place set to 0 | x: 2*n+1 d | x.at[x.shape[0] // 2].set(0)[x.shape[0] // 2 + 1]
    = x[(x.shape[0] - 1) // 2 + 1]
T = 1 alone | x: T d | one_row_alone(x) = summed(x)
T·d beside d | x: T d | (x if x.size > x.shape[1] else x + 0) = x
T // 2 | x: T d | halves(x) = summed(x)
min of two sizes | x: T d, y: S d | common_rows(x, y) = common_rows_apart(x, y)
a broadcast that asks whether d is 1 | x: T d, w: d | broadcast(x, w) = x * w
min(T, 3) | x: T d | last_three(x) = last_three_in_branches(x)
√d·√d | x: T d | by_root(by_root(x)) = x / x.shape[1]
d ** -0.5 twice | x: T d | x * x.shape[1] ** (-0.5) * x.shape[1] ** (-0.5) = x / x.shape[1]
√d/d | x: T d | x * (x.shape[1] ** 0.5 / x.shape[1]) = by_root(x)
d/√d | x: T d | x * x.shape[1] / math.sqrt(x.shape[1]) = x * x.shape[1] ** 0.5
√(4 d) | x: T d | x * math.sqrt(4 * x.shape[1]) = 2 * x * math.sqrt(x.shape[1])
√d·√T | x: T d | x * math.sqrt(x.shape[1]) * math.sqrt(x.shape[0]) = x * math.sqrt(x.shape[0] * x.shape[1])
√(2/d) | x: T d | x * math.sqrt(2 / x.shape[1]) = x * math.sqrt(2) / math.sqrt(x.shape[1])
√(d + 1) twice | x: T d | x * math.sqrt(x.shape[1] + 1) * math.sqrt(x.shape[1] + 1) = x * (x.shape[1] + 1)
""",
)
FALSE = equations(
    globals(),
    """
d ** 0.5 for d ** -0.5 | q: T d, k: S d, v: S e | attention(q, k, v) ≠ attention_scaled_first(q, k, v, 0.5)
math.floor(T / 4) for math.ceil(T / 4) | x: T d | x[:4 * math.floor(x.shape[0] / 4)].sum(0) ≠ summed(x)
all that is multiplied for a part | x: T d | negated_first(x) ≠ -x
even places for odd ones | x: T d | x * np.arange(1, 2 * x.shape[0], 2)[:, None]
    ≠ x * 2 * jnp.arange(x.shape[0])[:, None]
root of T for root of d | q: T d | q / np.sqrt(q.shape[1]) ≠ q / root(q.shape[0])
d ** 1.5 for d | q: T d | q * q.shape[1] ** 1.5 ≠ q * q.shape[1]
log(T + 1) for log T | x: T | x * math.log(len(x) + 1) ≠ x * jnp.log(x.shape[0])
a float32 state with another sign | x: T d | running_differences(x) ≠ summed(x)
exp of half | q: T d, k: S d | jnp.exp((q @ k.T).astype(jnp.float32) / 2).sum(-1)
    ≠ jnp.sum(jnp.exp(jnp.einsum('td,sd->ts', q, k)), 1)
the middle entry for the last | x: T d | x[x.shape[0] // 2] ≠ x[-1]
T·d = 5·d | x: T d | (2 * x if x.size == 5 * x.shape[1] else x) ≠ x
T = 1 doubled | x: T d | one_row_alone(x, wrong=2) ≠ summed(x)
odd T without the middle | x: T d | halves_without_the_middle(x) ≠ summed(x)
min of two sizes with a sign | x: T d, y: S d | common_rows(x, y, sign=-1) ≠ common_rows_apart(x, y)
all of four | x: T d | last_three(x) ≠ last_three_in_branches(x, few=4)
""",
)


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("name", TRUE)
def test_it_is_proved_for_all_sizes(name):
    shapes, left, right, _ = TRUE[name]
    found = prove(left, shapes=shapes, equals=right).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_refuted(name):
    shapes, left, right, _ = FALSE[name]
    found = prove(left, shapes=shapes, equals=right).result
    assert found.verdict == "refuted", found.reason


@pytest.mark.long
def test_the_answer_names_the_cases_and_what_was_proved_in_each():
    found = prove(halves, shapes="x: T d", equals=summed)
    assert found.cases == ["T = 2·n with n ≥ 1", "T = 2·n + 1 with n ≥ 0"]
    assert found.proved[0].startswith("T = 2·n with n ≥ 1: Σ[j < n] x[j")
    assert {one["case"] for one in found.result.evidence} == set(found.cases)


@pytest.mark.long
def test_a_counterexample_is_at_the_program_s_own_sizes():
    found = prove(halves_without_the_middle, shapes="x: T d", equals=summed).result
    assert found.counterexample.sizes["T"] % 2 == 1
    assert set(found.counterexample.sizes) == {"T", "d"}


@pytest.mark.long
def test_more_cases_than_eight_are_not_told_apart():
    def by_sixteen(x):
        return x.sum(0) if x.shape[0] % 16 else x.sum(0) + 0 * x[0]

    found = prove(by_sixteen, shapes="x: T d", equals=summed).result
    assert found.scope != "all-sizes"
    assert "mod(T, 16)" in str(found.reason)


@pytest.mark.long
def test_what_is_left_over_is_said_in_the_program_s_names():
    found = prove(lambda x: jnp.exp(jnp.log(x)), shapes="x: T", equals=lambda x: x)
    if found.result.scope != "all-sizes":
        assert found.leftover == ["exp(log(x[i])) = x[i]"]


@pytest.mark.long
def test_what_was_proved_is_said_in_the_program_s_names():
    found = prove(running("float64"), shapes="x: T d", equals=summed)
    assert found.proved == [
        "S[T, i] = Σ[j < T] x[j, i]   (i < d)",
        "where S[0, k] = 0",
        "where S[t + 1, k] = S[t, k] + x[t, k]",
    ]


def test_numbers_without_an_exact_form_refute_by_enclosures():
    found = prove(jnp.tanh, shapes="x: T", equals=lambda x: jnp.tanh(2 * x)).result
    assert found.verdict == "refuted"
    assert found.counterexample.sizes == {"T": 1}


def test_a_letter_is_an_array_or_a_size():
    with pytest.raises(UsageError, match="T is an array and a size"):
        prove(lambda g, T: g * T, shapes="g: T d, T:", equals=lambda g, T: T * g)


@pytest.mark.long
def test_a_size_may_be_called_p():
    found = prove(lambda u: u.sum(1), shapes="u: T p", equals=lambda u: u.T.sum(0)).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes")


@pytest.mark.long
def test_what_is_not_read_is_told_before_anything_is_multiplied_out(monkeypatch):
    asked = []
    own = decide
    monkeypatch.setattr(
        in_order,
        "decide",
        lambda claim, engines: asked.append(engines.names) or own(claim, engines),
    )
    prove(running("float64"), shapes="x: T d", equals=summed)
    assert asked == [["kernel"]]
    asked.clear()
    prove(lambda x: jnp.sort(x), shapes="x: T", equals=lambda x: x)
    assert asked[:1] != [["flint", "sympy"]]


@pytest.mark.long
def by_horner(x, y):
    return lax.scan(lambda sum, z: (z * (1 + sum), None), 0.0, (x + y)[::-1])[0]


def sum_of_products(x, y):
    return jnp.cumprod(x + y).sum()


@pytest.mark.long
def test_sides_of_a_billion_terms_are_not_multiplied_out_at_sizes_that_are_given():
    result = prove(
        by_horner, equals=sum_of_products, shapes="x: n, y: n", sizes={"n": (3, 30)}, steps=2000
    ).result
    assert result.verdict == "unknown"
    assert "both sides are too large to be multiplied out" in str(result.reason)


@pytest.mark.long
def test_names_are_python_s_own_again_after_a_trace():
    own = math.sqrt, math.log, np.sqrt, np.power, root, builtins.len
    prove(attention, shapes="q: T d, k: S d, v: S e", equals=attention_scaled_first)
    assert own == (math.sqrt, math.log, np.sqrt, np.power, root, builtins.len)
    assert "len" not in globals()


def test_numbers_are_not_touched_by_what_stands_in():
    with stand_ins.standing_in(attention, type(None)):
        assert math.sqrt(4) == 2.0
        assert np.sqrt(np.float32(4)).dtype == np.float32
        assert np.log2(8) == 3
        assert len([1, 2]) == 2


@pytest.mark.long
def test_what_is_taken_for_a_function_of_numpy_is_that_function():
    """Of what was there for a proof and is not any more the identity may be a later function's."""
    prove(summed, equals=lambda x: sum(x), shapes="x: T")
    now = {id(value): name for name, value in vars(np).items() if callable(value)}
    assert now == stand_ins.OF_NUMPY


def cubed(x):
    return x * x * x


def with_what_was_there(x):
    return square(x)


@pytest.mark.long
@pytest.mark.usefixtures("only_read")
@pytest.mark.parametrize("name", ["square", "linalg.norm"])
def test_a_function_that_a_program_has_put_into_numpy_is_read_as_that_function(name, monkeypatch):
    def f(x):
        return functools.reduce(getattr, name.split("."), np)(x)

    def named(x):
        return functools.reduce(getattr, name.split("."), jnp)(x)

    monkeypatch.setattr(f"numpy.{name}", cubed)
    assert prove(f, equals=cubed, shapes="x: T").result.verdict == "proved"
    assert prove(f, equals=named, shapes="x: T").result.verdict != "proved"


def test_a_function_of_numpy_that_was_imported_before_another_took_its_place_is_itself(monkeypatch):
    monkeypatch.setattr("numpy.square", cubed)
    with stand_ins.standing_in(with_what_was_there, type(None)):
        assert jax.jit(with_what_was_there)(3.0) == 9


class Unit(type):
    def __eq__(cls, other):
        raise TypeError("units are compared by name")

    __hash__ = type.__hash__


class Metre(metaclass=Unit):
    pass


METRE = Metre()


@pytest.mark.long
def test_a_module_s_own_types_are_not_compared():
    def twice(x):
        return x + x

    assert prove(twice, equals=lambda x: 2 * x, shapes="x: T").result.verdict == "proved"


def sees_what_stands_in(x):
    return x.sum(0) * (1 if "len" in globals() else 2)


@pytest.mark.long
def test_a_program_that_looks_for_what_stands_in_is_what_its_numbers_are():
    assert prove(sees_what_stands_in, shapes="x: T d", equals=summed).result.verdict == "refuted"
    twice = prove(sees_what_stands_in, shapes="x: T d", equals=lambda x: 2 * x.sum(0)).result
    assert twice.scope != "all-sizes"


class Own:
    def __init__(self, x):
        self.shape = x.shape

    def __len__(self):
        return 3


@pytest.mark.long
def test_the_length_of_a_class_of_one_s_own_is_its_own():
    found = prove(
        lambda x: x.sum(0) * len(Own(x)), shapes="x: T d", equals=lambda x: 3 * x.sum(0)
    ).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes")


@pytest.mark.long
def test_whether_a_size_has_a_root_is_still_a_question():
    def asks(x):
        return x.sum(0) * (2 if hasattr(x.shape[0], "sqrt") else 1)

    found = prove(asks, shapes="x: T d", equals=summed).result
    assert found.verdict == "proved"  # a size has none, as numbers have none


@pytest.mark.long
def test_what_only_the_third_chunk_shows_is_found():
    pair = by_name("simple GLA: chunks of four = recurrent")
    left, right = pair.broken(pair.bugs[0])
    found = prove(left, shapes=pair.shapes, equals=right, steps=2000).result
    assert found.verdict == "refuted" and found.counterexample is not None
    assert found.counterexample.sizes["n"] == 3


SCRIPTED = """
import jax.numpy as jnp

def mean(x):
    return x.sum(0) / x.shape[1]

def wrong(x):
    return x.sum(0) / x.shape[0]
"""


def shown(found) -> Counterexample:
    assert found.result.counterexample is not None
    return found.result.counterexample


@pytest.mark.long
def test_a_script_shows_a_counterexample_without_scanproof(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scripted.py").write_text(SCRIPTED)
    found = prove("scripted:mean", shapes="x: T d", equals="scripted:wrong")
    text = program_script(found.program, found.specification, shown(found))
    (tmp_path / "shown.py").write_text(text)
    ran = subprocess.run([sys.executable, "shown.py"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "the two differ" in ran.stdout
    assert "scanproof" not in text


@pytest.mark.long
def test_a_script_calls_each_side_in_its_own_framework(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scripted.py").write_text(SCRIPTED)
    (tmp_path / "summing.py").write_text("import torch\n\ndef wrong(x):\n    return x.sum(0)\n")
    found = prove("scripted:mean", shapes="x: T d", equals="summing:wrong")
    assert found.frameworks == ("jax", "torch")
    text = program_script(found.program, found.specification, shown(found), found.frameworks)
    assert "actual = call_jax(program" in text and "claimed = call_torch(specification" in text
    alike = text.replace("torch.tensor", "jax.numpy.asarray").replace("torch.float64", "float")
    alike = alike.replace("import torch\n", "").replace(".detach().double().numpy()", "")
    (tmp_path / "summing.py").write_text("def wrong(x):\n    return x.sum(0)\n")
    (tmp_path / "shown.py").write_text(alike)  # torch itself is not installed here
    ran = subprocess.run([sys.executable, "shown.py"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.long
def test_functions_without_a_name_have_no_script():
    found = prove(lambda x: x, shapes="x: T", equals=lambda x: 2 * x)
    with pytest.raises(UsageError, match="imports both functions by name"):
        program_script(found.program, found.specification, shown(found))


@pytest.mark.long
def test_a_search_ends_after_the_steps_that_it_is_given():
    found = prove(running("float64"), shapes="x: T d", equals=summed, steps=10).result
    assert found.scope == "fixed-size"
    assert "takes too long; with more than 10 steps (--steps, steps=)" in str(found.reason)


def test_all_of_it_ends_after_the_seconds_that_it_is_given():
    found = prove(running("float64"), shapes="x: T d", equals=summed, time_limit=1e-6).result
    assert found.verdict == "unknown"
    assert "the time limit" in str(found.reason)


NO_ROOTS = equations(
    globals(),
    """
√d is not d | x: T d | by_root(x) ≠ x / x.shape[1]
√(4 d) is not 4√d | x: T d | x * math.sqrt(4 * x.shape[1]) ≠ 4 * x * math.sqrt(x.shape[1])
√d·√T is not √(d + T) | x: T d | x * math.sqrt(x.shape[1]) * math.sqrt(x.shape[0])
    ≠ x * math.sqrt(x.shape[0] + x.shape[1])
√d/d is not √d | x: T d | x * (x.shape[1] ** 0.5 / x.shape[1]) ≠ x * x.shape[1] ** 0.5
√x·√x is x for x ≥ 0 alone | x: T d | jnp.sqrt(x) * jnp.sqrt(x) ≠ x
√(x²) is not x | x: T d | jnp.sqrt(x * x) ≠ x
""",
)


@pytest.mark.long
@pytest.mark.parametrize("name", NO_ROOTS)
def test_roots_are_not_taken_for_others(name):
    shapes, left, right, _ = NO_ROOTS[name]
    found = prove(left, shapes=shapes, equals=right).result
    assert (found.verdict, found.scope) != ("proved", "all-sizes")


def a_drawn_size(x):
    drawn = int(np.random.default_rng(0).integers(30, 60))
    return summed(x) if x.shape[0] != drawn else x.mean(0)


@pytest.mark.long
@pytest.mark.usefixtures("only_read")
def test_a_size_that_a_program_asks_about_is_tried_though_no_number_of_its_text_names_it():
    result = prove(a_drawn_size, shapes="x: T d", equals=summed).result
    assert result.verdict == "refuted"
    assert result.counterexample.sizes["T"] == np.random.default_rng(0).integers(30, 60)
