"""JAX programs through their own traces: programs as nodes, what a trace must not decide, claims with programs."""

from __future__ import annotations

import math
from typing import Any

import gallery
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from claims import claim
from jax import lax

from scanproof import equal
from scanproof.numeric.claims import SOURCE
from scanproof.proofs.check.all_sizes import equations_of
from scanproof.proofs.check.fidelity import disagreement
from scanproof.proofs.doors.jaxpr.programs import Written, equation, leaves, lowered
from scanproof.proofs.doors.program import program
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.language.sizes import shapes_of
from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.readings.problem import problem
from scanproof.proofs.readings.reading import Reading
from scanproof.proofs.search.lemmas import show
from scanproof.proofs.search.proving import proving
from scanproof.proofs.statement.nodes import Input
from scanproof.proofs.statement.statement import inputs_of
from scanproof.proofs.statement.text import text
from scanproof.proofs.statement.whole import Size, whole


def drawn(written: Written, first: int) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """Sizes from a first on, and inputs."""
    sizes = {one.name: first + k for k, one in enumerate(written.statement.sizes)}
    rng, length = np.random.default_rng(first), Reading(np, sizes, {}).whole
    inputs = {}
    for one in dict.fromkeys((*written.statement.inputs, *inputs_of(written.statement.owed))):
        dims = tuple(map(length, one.lengths))
        whole_ones = one.format.is_whole
        inputs[one.name] = rng.integers(0, 2, dims) if whole_ones else rng.uniform(0.2, 1, dims)
    return sizes, inputs


def wrong(written: Written, left: Any, right: Any, names: Any, first: int = 2) -> str:
    """Where the statement of two programs is not what JAX computes with them."""
    sizes, inputs = drawn(written, first)
    reading = Floats(sizes, inputs)
    for side, function, form in zip(("left", "right"), (left, right), written.formats, strict=True):
        with jax.enable_x64(form == "float64"):
            found = jax.tree.leaves(function(*[jnp.asarray(inputs[n], form) for n in names]))
        for k, wanted in enumerate(found if side == "left" else found[:1]):
            got = reading(getattr(written.statement.relations[k], side))
            if got.shape != wanted.shape or not np.allclose(got, wanted, rtol=1e-5, atol=1e-6):
                return f"the {side} side of output {k}"
    for one in (*written.statement.relations, *written.statement.owed):
        if not np.allclose(reading(one.left), reading(one.right), rtol=1e-6, atol=1e-7):
            return f"the sides differ: {one.label}"
    return ""


def proved(written: Written) -> bool:
    """Whether a proof for all sizes is found as the search is told nothing more; raises what it stops at."""
    with proving() as current:
        for left, right in equations_of(problem(written.statement, current, taken_inside=True)):
            show(left, right)
    return True


@pytest.mark.short(
    "[HGRN: convex combination = interpolation]",
    "[retention: clip]",
    "[square of \\u03c3 = exp of twice log \\u03c3]",
)
@pytest.mark.parametrize("pair", gallery.EVERY[::12], ids=lambda pair: pair.name)
def test_a_pair_of_the_gallery_becomes_nodes_that_are_what_jax_computes(pair: Any):
    shapes = shapes_of(pair.shapes)
    written = equation(pair.left, pair.right, shapes)
    assert wrong(written, pair.left, pair.right, shapes) == ""


AT_ONCE = (
    "linear attention: recurrent = parallel",
    "RG-LRU by a mask",
    "delta rule: outputs = WY form",
    "matrices: associative scan = recurrence",
    "running mean: weights = increments",
)
"""Pairs that need no way in which a search begins anew."""


@pytest.mark.parametrize("name", AT_ONCE)
def test_a_pair_of_the_gallery_is_proved_of_its_nodes(name: str):
    pair = next(one for one in gallery.EVERY if one.name == name)
    assert proved(equation(pair.left, pair.right, shapes_of(pair.shapes)))


@pytest.mark.parametrize(
    "pair", [pair for pair in gallery.EVERY if pair.bugs][:40:8], ids=lambda pair: pair.name
)
def test_a_planted_bug_shows_in_the_nodes(pair: Any):
    left, right = pair.broken(pair.bugs[0])
    shapes = shapes_of(pair.shapes)
    written = equation(left, right, shapes)
    assert any(wrong(written, left, right, shapes, k).startswith("the sides") for k in (2, 3, 4))


# What a trace must not decide.


def refusal(function: Any, *shapes: Any) -> str:
    T = whole(Size("T", 1))
    with pytest.raises(Refused) as error:
        lowered(
            function,
            [Input(f"x{k}", tuple(T if n == "T" else n for n in s)) for k, s in enumerate(shapes)],
        )
    return str(error.value)


def test_a_size_that_a_program_asks_for_is_refused_with_its_line_whatever_it_catches():
    def decides(x: Any) -> Any:
        try:
            return x if x.shape[0] == 4 else 2 * x
        except Exception:
            return x

    said = refusal(decides, ("T",))
    assert "the program asks at tests/test_jaxpr_programs.py:" in said and "whether T == 4" in said
    assert "the text of T" in refusal(lambda x: x * len(str(x.shape[0])), ("T",))


def test_a_refusal_says_by_what_the_sizes_are_to_be_told_apart():
    T = whole(Size("T", 1))

    def hinges(function: Any) -> Any:
        with pytest.raises(Refused) as error:
            lowered(function, [Input("x", (T,))])
        return error.value.depends

    assert hinges(lambda x: x if x.shape[0] > 1 else 2 * x) == (T - 1, None)
    assert hinges(lambda x: x.reshape(x.shape[0] // 4, 4)) == (T, 4)
    assert hinges(lambda x: lax.slice(x, (2,), (x.shape[0],))).number in (T - 2, 2 - T)


def test_a_number_of_an_array_that_a_program_asks_for_is_refused_though_it_catches_the_error():
    def eagerly(x: Any) -> Any:
        try:
            if x.sum() < 0:
                return -x
        except jax.errors.TracerBoolConversionError:
            pass
        return x

    assert "for the numbers of an array" in refusal(eagerly, ("T",))


def test_a_trace_in_another_format_says_so():
    def single(x: Any) -> Any:
        return lax.scan(lambda s, row: (s + row, None), jnp.zeros((), jnp.float32), x)[0]

    T = whole(Size("T", 1))
    assert lowered(single, [Input("x", (T,))]).format == "float32"
    assert lowered(lambda x: x, [Input("x", (T,))]).format == "float64"


def test_an_operator_that_is_not_associative_leaves_an_equation_that_is_false():
    def scanned(x: Any) -> Any:
        return lax.associative_scan(lambda a, b: a - b, x)

    written = equation(scanned, scanned, {"x": "T"})
    labels = [one.label[0] for one in written.statement.owed]
    assert any("is associative" in one for one in labels)
    assert wrong(written, lambda x: x, lambda x: x, ["x"]) != ""
    sizes, inputs = drawn(written, 3)
    reading = Floats(sizes, inputs)
    gaps = [abs(reading(r.left) - reading(r.right)).max() for r in written.statement.owed]
    assert max(gaps) > 0.01


def test_an_operator_that_looks_at_other_elements_leaves_an_equation_that_is_false():
    def scanned(x: Any) -> Any:
        return lax.associative_scan(lambda a, b: a + b + 0 * a[::-1] + (a - a[::-1]), x)

    written = equation(scanned, scanned, {"x": "T"})
    sizes, inputs = drawn(written, 3)
    reading = Floats(sizes, inputs)
    apart = [r for r in written.statement.owed if "each element" in r.label[0]]
    assert apart and any(abs(reading(r.left) - reading(r.right)).max() > 0.01 for r in apart)


# Numbers.


def test_a_counter_is_no_state_and_a_bound_of_its_type_is_said():
    def counted(x: Any) -> Any:
        def step(carry: Any, row: Any) -> Any:
            mean, count = carry
            most = jnp.iinfo(jnp.int32).max
            count = jnp.where(count < most, count + 1, most)
            return (mean + (row - mean) / count, count), None

        return lax.scan(step, (jnp.zeros(x.shape[1]), jnp.int32(0)), x)[0][0]

    written = equation(counted, lambda x: x.mean(0), {"x": "T n"})
    assert text(written.statement).count(" from ") == 1
    assert "sizes are no greater than 2³¹ − 1" in written.statement.assumed
    assert proved(written)


def test_a_float_is_the_decimal_that_it_prints_also_where_python_took_it_from_1():
    def average(x: Any) -> Any:
        return lax.scan(lambda m, row: (0.9 * m + (1 - 0.9) * row, None), jnp.zeros(()), x)[0]

    written = equation(average, average, {"x": "T"})
    assert "9/10 · " in text(written.statement) and "1/10 · " in text(written.statement)
    assert any("0.09999999999999998 is 1/10" in one for one in written.statement.assumed)


def test_a_scan_goes_through_as_many_turns_as_a_size_says():
    def in_parts(x: Any) -> Any:
        def add(state: Any, _: None) -> Any:
            place, total = state
            part = jax.lax.dynamic_slice(x, (place, 0), (4, x.shape[1]))
            return (place + 4, total + part.sum(0)), None

        start = 0, jnp.zeros(x.shape[1])
        return jax.lax.scan(add, start, None, length=math.ceil(x.shape[0] / 4))[0][1]

    def in_step(x: Any) -> Any:
        return jax.lax.scan(lambda s, row: (s + row, None), x[0] * 0, x, x.shape[0])[0]

    assert proved(equation(in_parts, in_step, {"x": "4*n c"}))


def test_sizes_split_join_and_index_axes():
    def halves(x: Any) -> Any:
        return x.reshape(x.shape[0], 2, x.shape[1] // 2).sum(1)

    def shifted(x: Any) -> Any:
        c = x.shape[1] // 2
        i = jnp.arange(x.shape[0])
        return x[:, :c] + x[i][:, c:], x[jnp.maximum(i[:, None] - jnp.arange(3), 0)]

    written = equation(lambda x: (halves(x), shifted(x)[1]), shifted, {"x": "T 2*c"})
    assert wrong(written, lambda x: (halves(x), shifted(x)[1]), shifted, ["x"]) == ""
    assert proved(equation(halves, lambda x: shifted(x)[0], {"x": "T 2*c"}))


@pytest.mark.long
def test_minus_infinity_is_joined_and_selected_where_a_softmax_leaves_it_out():
    def padded(x: Any, y: Any) -> Any:
        seen = jnp.concatenate([x, jnp.full(y.shape, -jnp.inf)])
        return jax.nn.softmax(seen)[: x.shape[0]]

    written = equation(padded, lambda x, y: jax.nn.softmax(x), {"x": "T", "y": "n"})
    assert wrong(written, padded, lambda x, y: jax.nn.softmax(x), ["x", "y"]) == ""


# Programs in claims.


def total(x: Any) -> Any:
    return lax.scan(lambda s, row: (s + row, s), jnp.zeros(x.shape[1]), x)


@pytest.mark.long
def test_a_claims_program_is_recorded_as_nodes():
    def body(x):
        last, rows = program(total)(x)
        yield equal(last, x.sum(axis=0))
        yield equal(rows[0], 0 * x[0])

    one = claim(body, {"x": "T n"})
    statement = record(one)
    assert len(statement.relations) == 2 and text(statement).count(" from ") == 1
    assert disagreement(one, statement) is None


def test_what_is_taken_for_granted_of_a_claims_program_is_said_in_its_statement():
    one = claim(lambda x: equal(program(lambda x: 0.1 * x)(x), x / 10), {"x": "T"})
    statement = record(one)
    assert statement.assumed == ("literals are the numbers that they mean: 0.1 is 1/10",)
    assert "  given that literals are" in text(statement)


def test_what_a_claims_program_has_to_show_besides_is_a_relation():
    def body(x):
        sums = program(lambda x: lax.associative_scan(lambda a, b: a + b, x))(x)
        return equal(sums[0], x[0])

    one = claim(body, {"x": "T n"})
    statement = record(one)
    assert [one.name for one in statement.inputs] == ["x"]
    assert any("is associative" in str(r.label) for r in statement.owed)
    assert disagreement(one, statement) is None


def test_a_claims_program_that_is_not_read_is_refused_with_its_line():
    one = claim(lambda x: equal(program(lambda x: jnp.sort(x))(x), x), {"x": "T"})
    with pytest.raises(
        Refused, match=r"an order that inputs determine \(sort, tests/test_jaxpr_programs"
    ):
        record(one)


def test_a_row_about_jax_is_recorded_and_reads_as_its_program_runs():
    (one,) = (row.claim for row in SOURCE.rows if row.claim.id == "lanes.jax.chunked.blocks")
    assert disagreement(one, record(one)) is None


def test_results_are_nested_as_the_function_nests_them():
    found = lowered(lambda x: {"a": (x, 2 * x), "b": [x + 1j]}, [Input("x", (3,))])
    assert [path for path, _ in leaves(found.outputs)] == [
        ("a", 0),
        ("a", 1),
        ("b", 0, "real"),
        ("b", 0, "imag"),
    ]


def test_a_finite_mask_is_minus_infinity_to_a_softmax_and_that_is_said():
    def masked(q: Any, value: Any) -> Any:
        seen = jnp.tril(jnp.ones((q.shape[0], q.shape[0]), bool))
        return jax.nn.softmax(jnp.where(seen, q @ q.T, value))

    written = equation(lambda q: masked(q, -1e30), lambda q: masked(q, -jnp.inf), {"q": "T d"})
    assert (
        "-1e+30, which a mask selects, is taken for −∞: exp of it is 0" in written.statement.assumed
    )
    assert proved(written)


def test_a_finite_mask_that_is_no_exponent_is_the_number_that_it_is():
    def chosen(x: Any) -> Any:
        return jnp.where(x > 0, x, -1e30)

    written = equation(chosen, chosen, {"x": "T"})
    assert not any("−∞" in one for one in written.statement.assumed)
    assert wrong(written, chosen, chosen, ["x"]) == ""
