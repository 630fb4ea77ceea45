"""Convolutions by Fourier transforms: they are proved where they are convolutions, and nothing else is read."""

import math

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from scanproof.proofs.decide.proving import prove

ROWS = "u: T, k: T"
LAYER = "u: T, lam: N, B: N, C: N"


def transformed(u, k, n):
    return jnp.fft.irfft(jnp.fft.rfft(u, n=n) * jnp.fft.rfft(k, n=n), n=n)


def twice_as_long(u, k):
    return transformed(u, k, 2 * len(u))[: len(u)]


def padded(u, k):
    one, other = (jnp.fft.rfft(jnp.pad(one, (0, len(u)))) for one in (u, k))
    return jnp.fft.irfft(one * other)[: len(u)]


def of_complex_numbers(u, k):
    n = 2 * len(u)
    return jnp.fft.ifft(jnp.fft.fft(u, n=n) * jnp.fft.fft(k, n=n)).real[: len(u)]


def as_long(u, k):
    return transformed(u, k, len(u))


def correlated(u, k):
    n = 2 * len(u)
    found = jnp.fft.rfft(u, n=n) * jnp.conj(jnp.fft.rfft(k, n=n))
    return jnp.fft.irfft(found, n=n)[: len(u)]


def lags(u):
    i = jnp.arange(len(u))
    return i[:, None] - i[None, :]


def convolution(u, k):
    return jnp.where(lags(u) >= 0, k[jnp.maximum(lags(u), 0)], 0.0) @ u


def correlation(u, k):
    return jnp.where(lags(u) <= 0, k[jnp.maximum(-lags(u), 0)], 0.0) @ u


def columns(u, k):
    n = 2 * len(u)
    both = jnp.fft.rfft(u, n=n, axis=0) * jnp.fft.rfft(k, n=n, axis=0)
    return jnp.fft.irfft(both, n=n, axis=0)[: len(u)]


def of_each_column(u, k):
    return jax.vmap(convolution, 1, 1)(u, k)


def by_its_kernel(u, lam, B, C):
    """A diagonal state space layer as S4 computes it: the convolution with K_t = Σ_n C_n λ_n^t B_n."""
    kernel = jnp.sum(C * B * lam ** jnp.arange(len(u))[:, None], 1)
    return twice_as_long(u, kernel)


def token_by_token(u, lam, B, C):
    def step(state, x):
        state = lam * state + B * x
        return state, C @ state

    return lax.scan(step, jnp.zeros_like(B), u)[1]


def late(u, lam, B, C):
    def step(state, x):
        return lam * state + B * x, C @ state

    return lax.scan(step, jnp.zeros_like(B), u)[1]


PROVED = [
    (twice_as_long, convolution, ROWS),
    (padded, convolution, ROWS),
    (of_complex_numbers, convolution, ROWS),
    (correlated, correlation, ROWS),
    (columns, of_each_column, "u: T d, k: T d"),
    (by_its_kernel, token_by_token, LAYER),
]
REFUTED = [
    (as_long, convolution, ROWS),
    (correlated, convolution, ROWS),
    (by_its_kernel, late, LAYER),
]
WRITTEN_OUT = [
    ("an entry", lambda u: jnp.fft.fft(u)[0].real, lambda u: u.sum()),
    (
        "its size",
        lambda u: jnp.abs(jnp.fft.rfft(u)) ** 2,
        lambda u: jnp.fft.rfft(u).real ** 2 + jnp.fft.rfft(u).imag ** 2,
    ),
    ("a transform is returned", lambda u: jnp.fft.fft(u).real, lambda u: jnp.cos(turns(u)) @ u),
    ("of no transform", lambda u: jnp.fft.ifft(u).real[0], lambda u: u.mean()),
    (
        "of another kind",
        lambda u: jnp.fft.fft(jnp.fft.fft(u)).real[0],
        lambda u: jnp.fft.fft(u).real.sum(),
    ),
    (
        "of several axes",
        lambda u: jnp.fft.fft2(jnp.stack([u, u])).real,
        lambda u: jnp.stack([2 * jnp.fft.fft(u).real, 0 * u]),
    ),
]
"""Programs that need entries of transforms, and others that are the same sums."""
NOT_READ = [
    (
        "half a transform is returned",
        lambda u: jnp.fft.rfft(u),
        "half a Fourier transform is returned",
    ),
    (
        "of another length",
        lambda u: jnp.fft.irfft(jnp.fft.rfft(u), n=len(u) + 1),
        "a real inverse Fourier transform of other numbers than a transform's",
    ),
]


def turns(u):
    k = jnp.arange(len(u))
    return 2 * math.pi * k[:, None] * k / len(u)


try:
    import torch_transforms as of_torch
except ImportError:
    of_torch = None


def of_both(table):
    """The cases of a table, each with its framework: those here, and PyTorch's."""
    cases = [("jax", *case) for case in globals().get(table, ())]
    cases += [("torch", *case) for case in getattr(of_torch, table, ())]
    return [pytest.param(*case, id="-".join(map(named, case[:-1]))) for case in cases]


def named(part):
    return part if isinstance(part, str) else part.__name__


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize(("framework", "program", "specification", "shapes"), of_both("PROVED"))
def test_a_convolution_by_transforms_is_proved_for_all_sizes(
    framework, program, specification, shapes
):
    found = prove(program, shapes=shapes, equals=specification, framework=framework).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize(("framework", "program", "specification", "shapes"), of_both("REFUTED"))
def test_what_is_another_convolution_is_refuted(framework, program, specification, shapes):
    found = prove(program, shapes=shapes, equals=specification, framework=framework).result
    assert found.verdict == "refuted", found.reason


@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize(("framework", "program", "specification", "shapes"), of_both("WRITTEN"))
def test_what_differs_where_no_number_is_drawn_is_not_proved(
    framework, program, specification, shapes
):
    found = prove(program, shapes=shapes, equals=specification, framework=framework).result
    assert found.scope != "all-sizes"


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize(("framework", "kind", "program", "same"), of_both("WRITTEN_OUT"))
def test_what_needs_an_entry_of_a_transform_is_read_as_sums(framework, kind, program, same):
    found = prove(program, shapes="u: T", equals=same, framework=framework).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.long
@pytest.mark.parametrize(("framework", "kind", "program", "why"), of_both("NOT_READ"))
def test_what_is_not_read_of_transforms_is_refused_by_name(framework, kind, program, why):
    found = prove(program, shapes="u: T", equals=program, framework=framework).result
    assert found.scope != "all-sizes"
    assert why in str(found.reason)
