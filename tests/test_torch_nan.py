"""NaN in programs for PyTorch: where it is chosen, and what asks for it; and divergences, whose x log y chooses it."""

import math

import pytest

pytest.importorskip("torch")

import torch

from scanproof.proofs.decide.proving import prove


def divergence(p, q):
    return torch.nn.functional.kl_div(q.log(), p, reduction="sum")


DIVERGENCES = {
    "of probabilities": (divergence, lambda p, q: (p * (p.log() - q.log())).sum(), "proved"),
    "of softmaxes": (
        lambda p, q: divergence(p.softmax(-1), q.softmax(-1)),
        lambda p, q: (p.softmax(-1) * (p.log_softmax(-1) - q.log_softmax(-1))).sum(),
        "proved",
    ),
    "the other way": (divergence, lambda p, q: (q * (q.log() - p.log())).sum(), "refuted"),
}


@pytest.mark.short("[of probabilities]")
@pytest.mark.parametrize("name", DIVERGENCES)
def test_a_divergence_is_a_sum_of_logarithms(name):
    program, specification, verdict = DIVERGENCES[name]
    found = prove(program, shapes="p: B V, q: B V", equals=specification).result
    assert (found.verdict, found.scope in (None, "all-sizes")) == (verdict, True), found.reason


NAN = {
    "chosen nowhere": (lambda x: torch.nan_to_num(x), lambda x: x, "proved"),
    "asked for": (
        lambda x: torch.where(torch.isnan(torch.full_like(x, math.nan)), 1.0, 0.0) + x,
        lambda x: x + 1,
        "proved",
    ),
    "asked for and not told": (
        lambda x: torch.where(torch.isnan(torch.full_like(x, math.nan)), 1.0, 0.0) + x,
        lambda x: x,
        "refuted",
    ),
    "not infinite": (
        lambda x: torch.where(torch.isinf(torch.full_like(x, math.nan)), 1.0, 0.0) + x,
        lambda x: x,
        "proved",
    ),
    "moved and left out": (
        lambda x: torch.cat([x, torch.full_like(x, math.nan)])[: x.shape[0]],
        lambda x: x,
        "proved",
    ),
    "compared": (lambda x: (torch.full_like(x, math.nan) > 0) + x, lambda x: x, "unknown"),
    "returned": (lambda x: torch.where(x > 0, math.nan, x), lambda x: x, "unknown"),
}


@pytest.mark.usefixtures("only_read")
@pytest.mark.parametrize("name", NAN)
def test_nan_is_chosen_and_asked_for_and_nothing_is_computed_of_it(name):
    program, specification, verdict = NAN[name]
    found = prove(program, shapes="x: T", equals=specification).result
    assert found.verdict == verdict, found.reason
