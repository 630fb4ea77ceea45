"""Chunks of a number of tokens are proved as chunks of any length, of which the claim's statement is one case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import pytest
from claims import claim
from gallery.pair import planted
from jax import lax
from test_delta_programs import delta, same

from scanproof.proofs.check import certificate_file
from scanproof.proofs.check.all_sizes import Proof, check
from scanproof.proofs.check.certificate import Argument
from scanproof.proofs.decide import proving as deciding
from scanproof.proofs.search.all_sizes import find
from scanproof.proofs.search.proving import proving
from scanproof.proofs.statement import making, nodes
from scanproof.proofs.statement.errors import IllFormed
from scanproof.proofs.statement.general import general, lengths_in
from scanproof.proofs.statement.statement import Statement, relation
from scanproof.proofs.statement.whole import Size, whole

TOKENS = "q: n 16 d, k: n 16 d, v: n 16 e, beta: n 16"
N = whole(Size("n", 1))


def tokens(q, k, v, beta):
    flat = (x.reshape(-1, *x.shape[2:]) for x in (q, k, v, beta))
    return delta(*flat)[0].reshape(v.shape)


def chunks(q, k, v, beta):
    """Chunks of 16, their systems solved row by row before the loop over chunks."""
    A = jnp.tril(beta[:, :, None] * (k @ jnp.swapaxes(k, 1, 2)), -1)

    def row(T, i):
        earlier = jnp.where(jnp.arange(16) < i, -A[:, i], 0.0)
        new = earlier + (earlier[:, :, None] * T).sum(1)
        return jnp.where((jnp.arange(16) == i)[:, None], new[:, None], T), None

    T = lax.scan(row, -A, jnp.arange(2, 16))[0] + jnp.eye(16)
    W, U = T @ (beta[:, :, None] * k), T @ (beta[:, :, None] * v)

    def chunk(S, one):
        q, k, W, U = one
        u = U - W @ S
        return S + k.T @ u, q @ S + jnp.tril(q @ k.T) @ u

    start = jnp.zeros((k.shape[2], v.shape[2]))
    return lax.scan(chunk, start, (q, k, W, U))[1]


def row() -> Any:
    body, given = same(tokens, chunks, TOKENS)
    return claim(body, given, sizes={"n": (1, 2), "d": (1, 2), "e": (1,)})


FAULTS = [
    ("arange(2, 16)", "arange(3, 16)"),
    ("arange(2, 16)", "arange(2, 15)"),
    ("jnp.arange(16) < i", "jnp.arange(16) < i - 1"),
    ("jnp.eye(16)", "jnp.eye(16, k=-1)"),
    ("jnp.tril(q @ k.T)", "jnp.tril(q @ k.T, -15)"),
    ("S + k.T @ u", "S + k[:15].T @ u[:15]"),
]
"""A text of `chunks`, and what stands there in a planted fault."""


@pytest.mark.long
def test_chunks_of_16_are_the_tokens_by_a_proof_for_longer_ones_too(tmp_path: Path) -> None:
    one = row()
    found = find(one)
    assert not isinstance(found, str), found
    certificate = found.certificate
    assert certificate.general == 16
    file = tmp_path / "certificate.json"
    file.write_text(certificate_file.written(Argument(one.id, (certificate,))))
    again = certificate_file.read(file, one.id)
    assert again == Argument(one.id, (certificate,))
    assert isinstance(check(one, certificate, proving), Proof)
    for number in (None, 0, 1, 8, 15, 17, 32):
        assert not isinstance(check(one, replace(certificate, general=number), proving), Proof)


@pytest.mark.sample(3)
@pytest.mark.long
@pytest.mark.parametrize(("text", "fault"), FAULTS)
def test_a_fault_in_chunks_of_16_is_not_proved(text: str, fault: str) -> None:
    body, given = same(tokens, planted(chunks, text, fault), TOKENS)
    assert isinstance(find(claim(body, given, sizes={"n": (1, 2), "d": (1,), "e": (1,)})), str)


def said(kind: str = "equal", length: Any = 16 * N) -> Statement:
    """x[0] and x[15] of an input of this length, compared."""
    x = nodes.Input("x", (length,))
    first, last = making.row(x, 0), making.row(x, 15)
    sizes = (Size("n", 1),)
    return Statement("test", sizes, (x,), (relation(kind, first, last),))


def test_a_size_stands_for_lengths_near_its_multiples() -> None:
    one = said()
    assert lengths_in(one) == [16]
    found = general(one, 16)
    n, C = found.sizes
    assert (C.name, C.least) == ("C", 16)
    assert found.inputs[0].shape == (whole(C) * whole(n),)
    assert found.relations[0].right == making.row(found.inputs[0], whole(C) - 1)


@pytest.mark.parametrize(
    ("one", "number"),
    [(said(), 0), (said(), -16), (said(), 7), (said("differs"), 16), (said("at_most"), 16)],
)
def test_a_size_stands_for_no_small_number_and_in_equations_alone(
    one: Statement, number: int
) -> None:
    with pytest.raises(IllFormed, match="a size in place of"):
        general(one, number)


def test_no_length_is_found_where_none_is_long() -> None:
    assert lengths_in(said(length=4 * N)) == []


def test_fewer_sizes_are_tried_where_arrays_are_long() -> None:
    long = [*["1 16*n 1 16"] * 3, "1 16*n 1"]
    assert deciding._at_fewer(long, {}) == {"n": (1, 2)}
    assert deciding._at_fewer(long, {"n": (1, 2, 3)}) == {"n": (1, 2, 3)}
    assert deciding._at_fewer(["64*n 64"], {}) == {"n": (1,)}
    assert deciding._at_fewer(["T d", "d"], {"T": (2,)}) == {"T": (2,), "d": (1, 2, 3)}
