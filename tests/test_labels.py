"""Inputs that are labels or truths: `y: n in C` and `m: n bool`."""

from __future__ import annotations

import subprocess
import sys

import pytest

from scanproof import UsageError
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.report.program_script import program_script

jax = pytest.importorskip("jax")
jnp = jax.numpy


def cross_entropy(z, y):
    logs = jax.nn.log_softmax(z)
    return -jnp.mean(logs[jnp.arange(z.shape[0]), y])


def by_one_hot(z, y):
    return -jnp.mean(jnp.sum(jax.nn.one_hot(y, z.shape[1]) * jax.nn.log_softmax(z), -1))


def summed(z, y):
    return cross_entropy(z, y) * z.shape[0]


def its_gradient(z, y):
    return jax.grad(cross_entropy)(z, y)


def softmax_less_one_hot(z, y):
    return (jax.nn.softmax(z) - jax.nn.one_hot(y, z.shape[1])) / z.shape[0]


def gradient_of_squares(x, y):
    return jax.grad(lambda x: (x[y] ** 2).sum())(x)


def twice_the_counted(x, y):
    return 2 * x * jax.nn.one_hot(y, x.shape[0]).sum(0)


def embedded(E, y):
    return jnp.take(E, y, axis=0)


def by_product(E, y):
    return jax.nn.one_hot(y, E.shape[0]) @ E


def squared_error_of_values(q, a, r):
    return jnp.mean((r + 0.9 * q.max(-1) - jnp.take_along_axis(q, a[:, None], 1)[:, 0]) ** 2)


def squared_error_by_one_hot(q, a, r):
    taken = jnp.sum(q * jax.nn.one_hot(a, q.shape[1]), -1)
    return jnp.mean((taken - r - 0.9 * q.max(-1)) ** 2)


def mean_where(x, m):
    return jnp.where(m, x, 0.0).sum() / jnp.maximum(m.sum(), 1)


def mean_of_products(x, m):
    return (x * m).sum() / jnp.maximum(m.sum(), 1)


def mean_elsewhere(x, m):
    return jnp.where(m, 0.0, x).sum() / jnp.maximum(m.sum(), 1)


def ratio(z, z0, y, A):
    """PPO's, of the probabilities of what was chosen."""
    logs = jax.nn.log_softmax(z) - jax.nn.log_softmax(z0)
    return jnp.mean(jnp.exp(jnp.take_along_axis(logs, y[:, None], 1)[:, 0]) * A)


def ratio_of_all(z, z0, y, A):
    of_all = jax.nn.softmax(z) / jax.nn.softmax(z0)
    return jnp.mean(jnp.sum(jax.nn.one_hot(y, z.shape[1]) * of_all, -1) * A)


def ratio_upside_down(z, z0, y, A):
    return ratio_of_all(z0, z, y, A)


LOGITS, TABLE, MASKED = "z: n C, y: n in C", "E: V d, y: T in V", "x: n, m: n bool"


def shares(w, x, y):
    """Of each example, divided by how many have its label."""
    return w @ jax.nn.one_hot(y, w.shape[0]).T * x / jax.nn.one_hot(y, w.shape[0]).sum(0)[y]


def shares_by_pairs(w, x, y):
    return w[y] * x / (y[:, None] == y[None]).sum(1)


def shares_of_others(w, x, y):
    return w[y] * x / (y[:, None] != y[None]).sum(1)


def hinge(x, y):
    """Of the margins between all entries and that at the label, which is none of its own."""
    at_label = jnp.take_along_axis(x, y[:, None], axis=1)
    return jnp.mean(jnp.sum(jnp.maximum(0, 1 + x - at_label), 1) - 1)


def hinge_of_others(x, y):
    one_hot = jax.nn.one_hot(y, x.shape[1], dtype=x.dtype)
    margin = x - jnp.sum(x * one_hot, 1, keepdims=True) + 1
    return jnp.mean(jnp.sum(jnp.where(one_hot == 1, 0, jax.nn.relu(margin)), 1))


def hinge_of_all(x, y):
    return 1 + hinge(x, y)


def huber_of_double_q(q, target, a, r, choice):
    rows = jnp.arange(a.shape[0])
    size = jnp.abs(r + target[rows, jnp.argmax(choice, axis=-1)] - q[rows, a])
    quadratic = jnp.minimum(size, 1)
    return jnp.mean(0.5 * quadratic**2 + size - quadratic)


def huber_by_one_hot(q, target, a, r, choice):
    def at(x, labels):
        return jnp.sum(x * jax.nn.one_hot(labels, x.shape[1], dtype=x.dtype), -1)

    error = r + at(target, jnp.argmax(choice, -1)) - at(q, a)
    return jnp.mean(jnp.where(abs(error) <= 1, error**2 / 2, abs(error) - 0.5))


CHOSEN = "z: n C, z0: n C, y: n in C, A: n"
EQUAL = {
    "jax one hot": (cross_entropy, by_one_hot, LOGITS),
    "jax gradient": (its_gradient, softmax_less_one_hot, LOGITS),
    "jax table": (embedded, by_product, TABLE),
    "jax values": (squared_error_of_values, squared_error_by_one_hot, "q: n A, a: n in A, r: n"),
    "jax truths": (mean_where, mean_of_products, MASKED),
    "jax entries at two labels": (gradient_of_squares, twice_the_counted, "x: C, y: n in C"),
    "jax ratio": (ratio, ratio_of_all, CHOSEN),
    "jax pairs": (shares, shares_by_pairs, "w: C, x: n, y: n in C"),
    "jax hinge": (hinge, hinge_of_others, "x: n C, y: n in C"),
    "jax two labels": (
        huber_of_double_q,
        huber_by_one_hot,
        "q: n A, target: n A, a: n in A, r: n, choice: n A",
    ),
    "torch one hot": ("cross_entropy", "by_one_hot", LOGITS),
    "torch two indices": ("cross_entropy", "by_two_indices", LOGITS),
    "torch gather": ("cross_entropy", "by_gather", LOGITS),
    "torch smoothed": ("smoothed", "smoothed_by_hand", LOGITS),
    "torch weights": ("weighted", "weighted_by_one_hot", "z: n C, y: n in C, w: C"),
    "torch focal": ("focal", "focal_by_one_hot", LOGITS),
    "torch table": ("embedded", "by_product", TABLE),
    "torch agreement": ("agreement", "difference_is_0", LOGITS),
    "torch truths": ("mean_where", "mean_of_products", MASKED),
}
DIFFERENT = {
    "jax sum": (cross_entropy, summed, LOGITS),
    "jax truths": (mean_where, mean_elsewhere, MASKED),
    "jax ratio": (ratio, ratio_upside_down, CHOSEN),
    "jax pairs": (shares, shares_of_others, "w: C, x: n, y: n in C"),
    "jax hinge": (hinge_of_all, hinge_of_others, "x: n C, y: n in C"),
    "torch focal": ("focal", "focal_by_truth", LOGITS),
    "torch last label": ("cross_entropy", "without_the_last", "z: n C+1, y: n in C+1"),
    "torch next label": ("cross_entropy", "at_the_next_label", LOGITS),
    "torch truths": ("mean_where", "mean_elsewhere", MASKED),
}


def answer(program, specification, shapes):
    named = isinstance(program, str)
    if named:
        pytest.importorskip("torch")
    pair = [f"labels_in_torch:{one}" if named else one for one in (program, specification)]
    return prove(pair[0], equals=pair[1], shapes=shapes)


@pytest.mark.sample(3)
@pytest.mark.long
@pytest.mark.parametrize("name", EQUAL)
def test_programs_of_labels_are_proved_equal_at_all_sizes(name):
    result = answer(*EQUAL[name]).result
    assert (result.verdict, result.scope) == ("proved", "all-sizes"), result.reason


@pytest.mark.sample(2)
@pytest.mark.short("jax truths")
@pytest.mark.parametrize("name", DIFFERENT)
def test_programs_that_differ_are_refuted_at_labels_and_truths(name):
    found = answer(*DIFFERENT[name])
    assert found.result.verdict == "refuted", found.result.reason
    inputs, sizes = found.result.counterexample.inputs, found.result.counterexample.sizes
    truths, labels = inputs.get("m", []), inputs.get("y", [])
    assert all(one in (0, 1) for one in truths)
    assert all(one in range(max(sizes.values()) + 1) for one in labels)
    assert len(truths or labels) == sizes["n"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["torch next label", "torch truths"])
def test_a_script_gives_labels_and_truths(name, tmp_path, monkeypatch):
    found = answer(*DIFFERENT[name])
    monkeypatch.chdir(tmp_path)
    shown = found.result.counterexample
    text = program_script(
        found.program, found.specification, shown, found.frameworks, shapes=found.shapes
    )
    (tmp_path / "shown.py").write_text(f"import sys\nsys.path[:0] = {sys.path}\n{text}")
    ran = subprocess.run([sys.executable, "shown.py"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "the two differ" in ran.stdout


@pytest.mark.long
def test_that_labels_are_read_as_places_is_said():
    found = prove(embedded, equals=embedded, shapes=TABLE, sizes={"V": (1, 2), "T": (1,)})
    assert "zero((−k + argmax[t < V] y[i, t]))" in found.proved[0]
    assert not any("where" in line for line in found.proved)
    assert any("y: T in V" in note for note in found.notes)
    assert found.shapes["y"] == "T in V"


def sum_of_record_times(x):
    def turn(carried, now):
        (best, found), (t, entry) = carried, now
        return (jnp.maximum(best, entry), found + t * (entry > best)), None

    return jax.lax.scan(turn, (x[0], 0.0), (jnp.arange(x.shape[0]) * 1.0, x))[0][1]


@pytest.mark.long
def test_only_the_place_of_a_greatest_entry_is_called_argmax():
    lines = prove(sum_of_record_times, equals=sum_of_record_times, shapes="x: T").proved
    assert lines and not any("argmax" in line for line in lines)


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ("z: n C, y: n in", "the dimension 'in' is not made of sizes"),
        ("z: n C, y: in n C", "the dimension 'in' is not made of sizes"),
        ("z: n C, y: n in C/2", "the dimension 'C/2' is not made of sizes"),
        ("z: n C, y: n in 0", "y: n in 0 has no label"),
        ("z: n C, y: n in C-1", "y: n in C-1 has no label at C = 1; give larger --sizes"),
        ("z: n C, y: n bool bool", "a size cannot be called bool"),
        ("z: n C, y: m k in C", r"does not run on arrays of shapes \(\d, \d\), \(\d, \d\) "),
    ],
)
def test_shapes_that_are_none_of_labels_are_refused(shapes, said):
    with pytest.raises(UsageError, match=said):
        prove(cross_entropy, equals=cross_entropy, shapes=shapes)


def test_labels_below_0_are_none():
    with pytest.raises(UsageError, match="y: n in C has no label at C = 0; give larger --sizes"):
        prove(cross_entropy, equals=cross_entropy, shapes=LOGITS, sizes={"C": (0, 1)})
