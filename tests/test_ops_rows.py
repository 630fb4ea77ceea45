"""The rows on the ops' JAX programs are proved, and none of thirty mistakes in copies of the ops is."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax.experimental.pallas import run_state

from scanproof import Source, _providers, equal
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import ssd
from scanproof.constructs.learners import descent
from scanproof.constructs.learners.losses import HALF_MEAN
from scanproof.numeric import claims
from scanproof.numeric.claims import SOURCE
from scanproof.proofs.check.certificate import AllSizes
from scanproof.proofs.check.formulas import hash_of
from scanproof.proofs.decide.certificates import Certificates
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.doors.program import program
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.search.all_sizes import prove

ROWS = {row.claim.id: row.claim for row in SOURCE.rows}
FOLDER = Path(claims.__file__).parent / "certificates"
UNKNOWN = {
    *("lanes.jax.chunked.decays", "lanes.jax.learners.newton-step"),
    *("lanes.jax.sharded.exchanges", "lanes.jax.sharded.devices"),
    *(f"lanes.jax.run.{why}" for why in ("outside", "two-head", "decays", "masked")),
}


@pytest.mark.short("lanes.jax.chunked.block-step")
@pytest.mark.parametrize("id", sorted(ROWS.keys() - UNKNOWN))
def test_the_program_that_runs_is_the_definition_at_every_size(id):
    found = prove(ROWS[id])
    assert not isinstance(found, str), found
    kept = Certificates(FOLDER).load(ROWS[id])
    assert [one.statement for one in kept.by if isinstance(one, AllSizes)] == [hash_of(ROWS[id])]


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


# Copies of the ops, with a place for each mistake.


def recurrent(tokens, last, H0, bug=""):
    """The recurrent op: n chunks of C tokens, and r more."""
    n, C = tokens.v.shape[:2]
    joined = ssd.Token(
        *(
            jnp.concatenate([a.reshape(n * C, *a.shape[2:]), b])
            for a, b in zip(tokens, last, strict=True)
        )
    )
    if bug == "shifted gates":
        joined = joined._replace(decay=jnp.concatenate([joined.decay[1:], joined.decay[:1]]))
    T = joined.v.shape[0]
    core = T - T % C
    if bug == "a branch on T" and T == 3:
        core = 0

    def step(H, token):
        v, a, k, q = token
        before = H
        kept = {"missing decay": H, "squared decay": a * a * H}.get(bug, a * H)
        H = a * (H + jnp.outer(v, k)) if bug == "decay after the write" else kept + jnp.outer(v, k)
        read = {"output before the write": before, "transposed readout": H.T}.get(bug, H)
        return H, read @ q

    run = functools.partial(jax.lax.scan, step, reverse=bug == "reversed scan")

    def outer(H, chunk):
        after, outputs = run(jnp.zeros_like(H) if bug == "a state for each chunk" else H, chunk)
        return (H if bug == "stale carry" else after), outputs

    if bug == "dropped initial state":
        H0 = jnp.zeros_like(H0)
    chunks = ssd.Token(*(a[:core].reshape(-1, C, *a.shape[1:]) for a in joined))
    state, outputs = jax.lax.scan(outer, H0, chunks)
    begin = {"boundary token twice": core - 1}.get(bug, core)
    rest = ssd.Token(*(a[begin:] for a in joined))
    if bug == "rest from the initial state":
        state = H0
    state, later = run(state, rest)
    if bug == "boundary token twice":
        later = later[1:]
    if bug == "C instead of r":
        later = outputs[-1][: T - core]
    return outputs, later, state


def chunked(v, k, q, H0, bug=""):
    """The chunked op with decay 1."""
    n, C, _ = v.shape
    if bug == "tokens in another order":
        v = v.reshape(n * C, -1)[::-1].reshape(n, C, -1)

    def step(H, chunk):
        v, k, q = chunk
        scores = k @ q.T if bug == "transposed scores" else q @ k.T
        mask = {"mask off by one": -1, "mask one too far": 1}.get(bug, 0)
        within = scores if bug == "no mask" else jnp.tril(scores, k=mask)
        if bug == "upper mask":
            within = jnp.triu(scores)
        written = v.T @ k
        after = written if bug == "state replaced" else H + written
        if bug == "boundary token dropped":
            after = H + v[1:].T @ k[1:]
        read = after if bug == "state after the chunk" else H
        outputs = within @ v if bug == "no state read" else within @ v + q @ read.T
        return after, outputs

    final, outputs = jax.lax.scan(step, H0, (v, k, q))
    return outputs, final


def in_memory(v, k, q, H0, final, written, bug=""):
    """A head's program in the kernel of the chunked op with decay 1."""
    n = v.shape[0]

    def head(refs):
        (v, k, q, H0), final, written = refs

        def turn(t, H):
            at = 0 if bug == "the first block again" else t
            after, outputs = linear_attention_of(H, (v[at], k[t], q[t]))
            if bug == "added to what is in memory":
                outputs = outputs + written[t]
            written[t] = outputs
            return H if bug == "a state of its own" else after

        turns = n - 1 if bug == "a block too few" else n
        last = jax.lax.fori_loop(0, turns, turn, H0[...])
        if bug != "final state not written":
            final[...] = last

    _, final, written = run_state(head)(((v, k, q, H0), final, written))
    return written, final


def linear_attention_of(H, chunk):
    v, k, q = chunk
    return H + v.T @ k, jnp.tril(q @ k.T) @ v + q @ H.T


def learner(W, x, y, eta, bug=""):
    """One step on half the mean of squares."""
    wrong = x @ W - y
    slope = x.T @ wrong
    if bug == "mean over features":
        return W - eta * slope / x.shape[1]
    if bug == "missing 1/N":
        return W - eta * slope
    if bug == "ascent":
        return W + eta * slope / x.shape[0]
    return W - eta * slope / x.shape[0]


def recurrences(bug):
    def body(v, a, k, q, last_v, last_a, last_k, last_q, H0):
        tokens, last = ssd.Token(v, a, k, q), ssd.Token(last_v, last_a, last_k, last_q)

        def lane(H0, *arrays):
            return recurrent(ssd.Token(*arrays[:4]), ssd.Token(*arrays[4:]), H0, bug)

        first = scan_merged(ssd.step, None, H0, tokens)
        then = scan(ssd.step, None, first.final_state, last)
        outputs, later, state = program(lane)(H0, *tokens, *last)
        yield equal(outputs, first.outputs)
        yield equal(later, then.outputs)
        yield equal(state, then.final_state)

    own = {"v": "n r+s N", "a": "n r+s", "k": "n r+s N", "q": "n r+s N"}
    rest = {"last_v": "r N", "last_a": "r", "last_k": "r N", "last_q": "r N"}
    sizes = {"n": (1, 2), "r": (1, 2), "s": (1,), "N": (1, 2)}
    return {**own, **rest, "H0": "N N"}, sizes, body


def chunks(bug):
    def body(v, k, q, H0, xp, n, C):
        outputs, final = program(functools.partial(chunked, bug=bug))(v, k, q, H0)
        wanted = scan_merged(ssd.step, None, H0, ssd.Token(v, xp.ones((n, C)), k, q))
        yield equal(outputs, wanted.outputs)
        yield equal(final, wanted.final_state)

    sizes = {"n": (1, 2), "C": (1, 2), "D": (1,), "N": (1,)}
    return {"v": "n C D", "k": "n C N", "q": "n C N", "H0": "D N"}, sizes, body


def kernels(bug):
    given, sizes, _ = chunks("")

    def body(v, k, q, H0, final, written, xp, n, C):
        run = program(functools.partial(in_memory, bug=bug))
        outputs, last = run(v, k, q, H0, final, written)
        wanted = scan_merged(ssd.step, None, H0, ssd.Token(v, xp.ones((n, C)), k, q))
        yield equal(outputs, wanted.outputs)
        yield equal(last, wanted.final_state)

    return {**given, "final": "D N", "written": "n C D"}, sizes, body


def steps(bug):
    def body(W, x, y, eta):
        found = program(functools.partial(learner, bug=bug))(W, x, y, eta)
        return equal(found, descent.gradient_descent(HALF_MEAN, W, x, y, eta))

    return {"W": "f k", "x": "N f", "y": "N k", "eta": ""}, {}, body


BUGS = {
    recurrences: (
        *("missing decay", "squared decay", "decay after the write", "output before the write"),
        *("transposed readout", "reversed scan", "a state for each chunk", "stale carry"),
        *("dropped initial state", "shifted gates", "boundary token twice", "C instead of r"),
        *("rest from the initial state", "a branch on T"),
    ),
    chunks: (
        *("mask off by one", "mask one too far", "no mask", "upper mask", "transposed scores"),
        *("state replaced", "state after the chunk", "no state read", "boundary token dropped"),
        "tokens in another order",
    ),
    kernels: (
        *("added to what is in memory", "the first block again", "a block too few"),
        *("a state of its own", "final state not written"),
    ),
    steps: ("mean over features", "missing 1/N", "ascent"),
}


def claim(kind, bug=""):
    given, sizes, body = kind(bug)
    return Source("own", title="copies").claim("own.copy", says="x", given=given, sizes=sizes)(body)


@pytest.mark.short("recurrences", "kernels")
@pytest.mark.parametrize("kind", BUGS)
def test_the_copies_are_proved(kind):
    found = prove(claim(kind).claim)
    assert not isinstance(found, str), found


@pytest.mark.long
@pytest.mark.parametrize(("kind", "bug"), [(k, bug) for k, bugs in BUGS.items() for bug in bugs])
def test_a_mistake_is_refuted_with_inputs_or_stopped(kind, bug):
    if bug == "a branch on T":
        told = prove(claim(kind, bug).claim)
        assert isinstance(told, str)
        assert "asks at" in told
        return
    found = decide(claim(kind, bug).claim, ENGINES["all"])
    assert found.verdict == "refuted", found.reason
    assert found.counterexample is not None
    assert found.counterexample.as_json()["inputs"]
