"""The rows on the ops' JAX programs are proved, and none of thirty mistakes in copies of the ops is."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from gallery.pair import planted
from jax.experimental.pallas import run_state

from scanproof import Source, _providers, equal
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import ssd
from scanproof.constructs.learners import descent
from scanproof.constructs.learners.losses import HALF_MEAN
from scanproof.numeric import claims
from scanproof.numeric.claims import SOURCE
from scanproof.numeric.ops.chunked import unrolled
from scanproof.proofs.check import alike
from scanproof.proofs.check.certificate import AllSizes
from scanproof.proofs.check.formulas import hash_of
from scanproof.proofs.decide.certificates import Certificates
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.doors.jaxpr.programs import lowered
from scanproof.proofs.doors.program import program
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.search.all_sizes import prove
from scanproof.proofs.statement.nodes import Input
from scanproof.proofs.statement.whole import Size, whole

ROWS = {row.claim.id: row.claim for row in SOURCE.rows}
FOLDER = Path(claims.__file__).parent / "certificates"
UNKNOWN = {
    *("lanes.jax.chunked.decays", "lanes.jax.learners.newton-step"),
    *("lanes.jax.sharded.exchanges", "lanes.jax.sharded.devices"),
    *(f"lanes.jax.run.{why}" for why in ("outside", "two-head", "decays", "masked")),
}


KNOWN = sorted(ROWS.keys() - UNKNOWN)


def test_the_certificate_of_a_program_that_runs_is_of_its_statement():
    row = ROWS["lanes.jax.chunked.block-step"]  # `make docs` checks the certificates of all rows
    kept = Certificates(FOLDER).load(row)
    assert [one.statement for one in kept.by if isinstance(one, AllSizes)] == [hash_of(row)]


@pytest.mark.short("lanes.jax.chunked.block-step")
@pytest.mark.parametrize("id", sorted({*KNOWN[::6], "lanes.jax.chunked.block-step"}))
def test_the_program_that_runs_is_proved_to_be_the_definition_without_its_certificate(id):
    found = prove(ROWS[id])
    assert not isinstance(found, str), found


def test_how_many_turns_a_round_of_a_scan_takes_makes_no_other_program():
    def summed(x):
        turns = unrolled(x.shape[0])
        return jax.lax.scan(lambda s, one: (s + one, None), 0.0 * x[0], x, unroll=turns)[0]

    T = whole(Size("T", 1))
    found = lowered(summed, [Input("x", (T,))])
    at_three = dataclasses.replace(found, apart=(T - 3,))
    assert alike.difference([at_three], {"T": 1}, [], seed=0) is None


def test_what_no_machine_decides_is_known():
    assert ROWS.keys() >= UNKNOWN
    assert {id for id, claim in ROWS.items() if claim.missing} == UNKNOWN


def test_without_jax_the_rows_are_named_in_a_line_and_not_counted(monkeypatch):
    assert SOURCE in _providers.sources()
    assert _providers.left_out() is None
    monkeypatch.setattr(_providers, "has_jax", lambda: False)
    assert SOURCE not in _providers.sources()
    line = _providers.left_out() or ""
    assert f"{len(ROWS)} rows lanes.jax.*" in line
    assert "pip install 'scanproof[jax]'" in line


@pytest.mark.long
def test_listing_the_rows_imports_no_jax():
    code = "import sys, scanproof.numeric.claims; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Copies of the ops, and mistakes in them.


def recurrent(tokens, last, H0):
    """The recurrent op: n chunks of C tokens, and r more."""
    n, C = tokens.v.shape[:2]
    flat = (a.reshape(n * C, *a.shape[2:]) for a in tokens)
    joined = ssd.Token(*(jnp.concatenate(both) for both in zip(flat, last, strict=True)))
    T = joined.v.shape[0]
    core = T - T % C

    def step(H, token):
        v, a, k, q = token
        after = a * H + jnp.outer(v, k)
        return after, after @ q

    def outer(H, chunk):
        return jax.lax.scan(step, H, chunk)

    chunks = ssd.Token(*(a[:core].reshape(-1, C, *a.shape[1:]) for a in joined))
    state, outputs = jax.lax.scan(outer, H0, chunks)
    rest = ssd.Token(*(a[core:] for a in joined))
    state, later = jax.lax.scan(step, state, rest)
    return outputs, later, state


def chunked(v, k, q, H0):
    """The chunked op with decay 1."""

    def step(H, chunk):
        v, k, q = chunk
        within = jnp.tril(q @ k.T)
        return H + v.T @ k, within @ v + q @ H.T

    final, outputs = jax.lax.scan(step, H0, (v, k, q))
    return outputs, final


def in_memory(v, k, q, H0, final, written):
    """A head's program in the kernel of the chunked op with decay 1."""
    n = v.shape[0]

    def head(refs):
        (v, k, q, H0), final, written = refs

        def turn(t, H):
            v_t, k_t, q_t = v[t], k[t], q[t]
            written[t] = jnp.tril(q_t @ k_t.T) @ v_t + q_t @ H.T
            return H + v_t.T @ k_t

        final[...] = jax.lax.fori_loop(0, n, turn, H0[...])

    _, final, written = run_state(head)(((v, k, q, H0), final, written))
    return written, final


def learner(W, x, y, eta):
    """One step on half the mean of squares."""
    return W - eta * x.T @ (x @ W - y) / x.shape[0]


def recurrences(lane):
    def body(v, a, k, q, last_v, last_a, last_k, last_q, H0):
        tokens, last = ssd.Token(v, a, k, q), ssd.Token(last_v, last_a, last_k, last_q)

        def run(H0, *arrays):
            return lane(ssd.Token(*arrays[:4]), ssd.Token(*arrays[4:]), H0)

        first = scan_merged(ssd.step, None, H0, tokens)
        then = scan(ssd.step, None, first.final_state, last)
        outputs, later, state = program(run)(H0, *tokens, *last)
        yield equal(outputs, first.outputs)
        yield equal(later, then.outputs)
        yield equal(state, then.final_state)

    own = {"v": "n r+s N", "a": "n r+s", "k": "n r+s N", "q": "n r+s N"}
    rest = {"last_v": "r N", "last_a": "r", "last_k": "r N", "last_q": "r N"}
    sizes = {"n": (1, 2), "r": (1, 2), "s": (1,), "N": (1, 2)}
    return {**own, **rest, "H0": "N N"}, sizes, body


def chunks(lane):
    def body(v, k, q, H0, xp, n, C):
        outputs, final = program(lane)(v, k, q, H0)
        wanted = scan_merged(ssd.step, None, H0, ssd.Token(v, xp.ones((n, C)), k, q))
        yield equal(outputs, wanted.outputs)
        yield equal(final, wanted.final_state)

    sizes = {"n": (1, 2), "C": (1, 2), "D": (1,), "N": (1,)}
    return {"v": "n C D", "k": "n C N", "q": "n C N", "H0": "D N"}, sizes, body


def kernels(lane):
    given, sizes, _ = chunks(lane)

    def body(v, k, q, H0, final, written, xp, n, C):
        outputs, last = program(lane)(v, k, q, H0, final, written)
        wanted = scan_merged(ssd.step, None, H0, ssd.Token(v, xp.ones((n, C)), k, q))
        yield equal(outputs, wanted.outputs)
        yield equal(last, wanted.final_state)

    return {**given, "final": "D N", "written": "n C D"}, sizes, body


def steps(lane):
    def body(W, x, y, eta):
        found = program(lane)(W, x, y, eta)
        return equal(found, descent.gradient_descent(HALF_MEAN, W, x, y, eta))

    return {"W": "f k", "x": "N f", "y": "N k", "eta": ""}, {}, body


COPIES = {recurrences: recurrent, chunks: chunked, kernels: in_memory, steps: learner}
BUGS = [
    (recurrences, "a * H + jnp", "H + jnp"),
    (recurrences, "a * H + jnp", "a * a * H + jnp"),
    (recurrences, "a * H + jnp.outer(v, k)", "a * (H + jnp.outer(v, k))"),
    (recurrences, "after @ q", "H @ q"),
    (recurrences, "after @ q", "after.T @ q"),
    (recurrences, "scan(step, H, chunk)", "scan(step, H, chunk, reverse=True)"),
    (recurrences, "scan(step, H, chunk)", "scan(step, 0 * H, chunk)"),
    (recurrences, "jax.lax.scan(step, H, chunk)", "H, jax.lax.scan(step, H, chunk)[1]"),
    (recurrences, "scan(outer, H0", "scan(outer, 0 * H0"),
    (recurrences, "for a in tokens", "for a in tokens._replace(decay=tokens.decay[:, ::-1])"),
    (
        recurrences,
        "step, state, rest",
        "step, step(state, ssd.Token(*(a[core - 1] for a in joined)))[0], rest",
    ),
    (recurrences, "outputs, later, state", "outputs, outputs[-1][: T - core], state"),
    (recurrences, "step, state, rest", "step, H0, rest"),
    (chunks, "q @ k.T)", "q @ k.T, -1)"),
    (chunks, "q @ k.T)", "q @ k.T, 1)"),
    (chunks, "jnp.tril(q @ k.T)", "q @ k.T"),
    (chunks, "tril", "triu"),
    (chunks, "q @ k.T", "k @ q.T"),
    (chunks, "return H + v.T", "return v.T"),
    (chunks, "q @ H.T", "q @ (H + v.T @ k).T"),
    (chunks, " + q @ H.T", ""),
    (chunks, "v.T @ k", "v[1:].T @ k[1:]"),
    (chunks, "H0, (v,", "H0, (v[::-1, ::-1],"),
    (kernels, "k_t.T) @ v_t", "k_t.T) @ v_t + written[t]"),
    (kernels, "v[t]", "v[0]"),
    (kernels, "(0, n, turn", "(0, n - 1, turn"),
    (kernels, "return H + v_t.T @ k_t", "return H"),
    (kernels, "final[...] = ", "_ = "),
    (steps, "x.shape[0]", "x.shape[1]"),
    (steps, " / x.shape[0]", ""),
    (steps, "W - eta", "W + eta"),
]
"""For a kind of claim a text of the copy that it is about, and what stands there in a mistake."""


def claim(kind, lane):
    given, sizes, body = kind(lane)
    return Source("own", title="copies").claim("own.copy", says="x", given=given, sizes=sizes)(body)


@pytest.mark.long
@pytest.mark.parametrize("kind", COPIES)
def test_the_copies_are_proved(kind):
    found = prove(claim(kind, COPIES[kind]).claim)
    assert not isinstance(found, str), found


@pytest.mark.long
@pytest.mark.parametrize(("kind", "text", "mistake"), BUGS)
def test_a_mistake_is_refuted_with_inputs(kind, text, mistake):
    found = decide(claim(kind, planted(COPIES[kind], text, mistake)).claim, ENGINES["all"])
    assert found.verdict == "refuted", found.reason
    assert found.counterexample is not None
    assert found.counterexample.as_json()["inputs"]


@pytest.mark.long
def test_a_branch_on_the_number_of_tokens_is_told():
    def lane(tokens, last, H0):
        return recurrent(tokens, last, 0 * H0 if last.v.shape[0] == 3 else H0)

    assert "asks at" in str(prove(claim(recurrences, lane).claim))
