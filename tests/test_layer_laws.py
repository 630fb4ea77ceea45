"""Claims of one line about any layer: what is proved of right ones, refuted of wrong ones, and refused of slips."""

from typing import Any, NamedTuple

import pytest

from scanproof import Layer, Ledger, Source, UsageError, _main, descent
from scanproof import numpy as np
from scanproof.proofs.decide.row_verdicts import check


class Token(NamedTuple):
    k: Any
    v: Any
    q: Any


class Gated(NamedTuple):
    k: Any
    v: Any
    q: Any
    beta: Any


class Two(NamedTuple):
    m: Any
    """Named as a size is."""
    p: Any
    """Named as a body's parameters are."""


def attention(_, S, token):
    S = S + np.outer(token.v, token.k)
    return S, S @ token.q


def delta(_, S, token):
    S = S + token.beta * np.outer(token.v - S @ token.k, token.k)
    return S, S @ token.q


def longhorn(_, S, token):
    rate = token.beta / (1 + token.beta * np.dot(token.k, token.k))
    return delta(None, S, token._replace(beta=rate))


def momentum(rates, state, token):
    weights, velocity = state
    velocity = rates[0] * velocity + token.m
    weights = weights - rates[1] * velocity
    return (weights, velocity), np.dot(weights, token.p)


def parallel(_, S, t):
    return S + t.v.T @ t.k, t.q @ S.T + np.tril(t.q @ t.k.T) @ t.v


def strictly(_, S, t):
    return S + t.v.T @ t.k, t.q @ S.T + np.tril(t.q @ t.k.T, -1) @ t.v


def forgetful(_, S, t):
    return t.v.T @ t.k, np.tril(t.q @ t.k.T) @ t.v


def averaged(_, S, t):
    return S, np.tril(t.q @ t.k.T) @ t.v / t.v.shape[0]


def convolution(w, state, x):
    x = np.concatenate([state, x])
    return x[-2:], x[2:] * w[2] + x[1:-1] * w[1] + x[:-2] * w[0]


def gated(_, S, t):
    S = np.exp(t.beta) * S + np.outer(t.v, t.k)
    return S, S @ t.q


def gated_at_once(k: int):
    def chunk(_, S, t):
        sums = np.cumsum(t.beta)
        kept = np.tril(np.exp(sums[:, None] - sums[None, :]), k) * (t.q @ t.k.T)
        outputs = kept @ t.v + np.exp(sums)[:, None] * (t.q @ S.T)
        left = np.exp(sums[-1] - sums)[:, None] * t.k
        return np.exp(sums[-1]) * S + t.v.T @ left, outputs

    return chunk


def wrong_at_seven(_, S, t):
    S, outputs = parallel(None, S, t)
    return S, outputs * 2 if t.v.shape[0] == 7 else outputs


def squared_error(W, token):
    return np.sum((W @ token.k - token.v) ** 2) / 2


def proximal(W, S, token):
    return np.sum((W - S) ** 2) / 2 + token.beta * squared_error(W, token)


LINEAR = Layer(attention, state="d m", token=Token("m", "d", "m"))
DELTA = Layer(delta, state="d m", token=Gated("m", "d", "m", ""))
LONGHORN = Layer(longhorn, state="d m", token=Gated("m", "d", "m", ""))
MOMENTUM = Layer(momentum, parameters="2", state=("m", "m"), token=Two("m", "m"))
CONVOLUTION = Layer(convolution, parameters="3", state="2 d", token="d")
GATED = Layer(gated, state="d m", token=Gated("m", "d", "m", ""))
LAWS = {
    "parallel form": (lambda: LINEAR.chunked(parallel), "proved all-sizes"),
    "parallel form without the last": (lambda: LINEAR.chunked(strictly), "refuted"),
    "resumed": (lambda: LINEAR.resumes(parallel), "proved all-sizes"),
    "resumed token by token": (lambda: LINEAR.resumes(), "proved all-sizes"),
    "resumed without the state": (lambda: LINEAR.resumes(forgetful), "refuted"),
    "a convolution resumed": (lambda: CONVOLUTION.resumes(convolution), "proved all-sizes"),
    "not causal, for it speaks of the length": (lambda: LINEAR.causal(averaged), "refuted"),
    "causal with gates": (lambda: GATED.causal(gated_at_once(0)), "proved all-sizes"),
    "not causal with gates": (lambda: GATED.causal(gated_at_once(1)), "refuted"),
    "padding of the delta rule": (lambda: DELTA.ignores(beta=0), "proved all-sizes"),
    "padding with a state of two": (lambda: MOMENTUM.ignores(m=0), "refuted"),
    "the delta rule is a step": (
        lambda: DELTA.performs(descent(squared_error, step_size=lambda _, token: token.beta)),
        "proved all-sizes",
    ),
    "with another rate": (lambda: DELTA.performs(descent(squared_error, step_size=1)), "refuted"),
    "a learner of one's own": (
        lambda: MOMENTUM.performs(
            lambda rates, state, token: (
                state[0] - rates[1] * (rates[0] * state[1] + token.m),
                rates[0] * state[1] + token.m,
            )
        ),
        "proved all-sizes",
    ),
    "Longhorn's minimum": (lambda: LONGHORN.minimises(proximal), "proved all-sizes"),
    "not the delta rule's": (lambda: DELTA.minimises(proximal), "refuted"),
    "a number of tokens that is looked at": (lambda: LINEAR.chunked(wrong_at_seven), "refuted"),
}


def verdict(law: Any) -> str:
    source = Source("mine", title="A layer of mine")
    source.law("mine.law", law)
    found = check(Ledger([source]), jobs=1)["claims"][0]["as_stated"]
    assert found["definitions"] or found["verdict"] == "error"
    return " ".join(filter(None, [found["verdict"], found["scope"]]))


@pytest.mark.long
@pytest.mark.parametrize("name", LAWS)
def test_a_law_of_a_layer_is_decided(name):
    law, expected = LAWS[name]
    assert verdict(law()) == expected


def counterexample(law: Any) -> dict[str, Any]:
    source = Source("mine", title="A layer of mine")
    source.law("mine.law", law)
    return check(Ledger([source]), jobs=1)["claims"][0]["as_stated"]["counterexample"]


@pytest.mark.long
def test_what_a_padding_token_overwrites_is_no_input():
    assert set(DELTA.ignores(q=0).given) == {"state", "k", "v", "beta"}
    assert set(counterexample(DELTA.ignores(q=0))["inputs"]) == {"state", "k", "v", "beta"}
    wide = Layer(attention, state="d m", token=Gated("m", "d", "m", "r"))
    assert set(wide.ignores(beta=0, k=0).given) == {
        "state",
        "v",
        "q",
        "beta",
    }  # r stands nowhere else


class Memory(NamedTuple):
    M: Any
    S: Any


@pytest.mark.long
@pytest.mark.parametrize(
    ("state", "part"),
    [(Memory("d", "d"), "state.S"), (("d", "d"), "state[1]")],
)
def test_of_several_arrays_the_one_that_differs_is_named(state: Any, part: str):
    def step(_, state, x):
        first, second = state
        after = (first, second + 1)
        return (Memory(*after) if isinstance(state, Memory) else after), x

    assert counterexample(Layer(step, state=state, token="d").ignores(0))["part"] == part


def test_names_of_symbols_are_told_apart_from_sizes_and_from_what_bodies_are_called_with():
    given = MOMENTUM.resumes().given
    assert given["m_"] == given["p_"] == "S+T m"
    assert {"parameter", "state0", "state1"} < set(given)


def test_a_length_has_a_letter_that_no_shape_uses():
    layer = Layer(attention, state="S C", token=Token("C", "S", "C"))
    assert layer.chunked(parallel).given["k"] == "C_ C"
    assert layer.resumes(parallel).given["k"] == "S_+T C"


@pytest.mark.long
def test_an_amendment_of_a_law_has_a_condition():
    source = Source("mine", title="A layer of mine")
    row = source.law("mine.sgd", DELTA.performs(descent(squared_error, step_size=1)))
    row.amend("unit", "the same for β = 1", assuming={"β = 1": lambda beta: beta == 1})
    found = check(Ledger([source]), jobs=1)["claims"][0]
    assert found["as_stated"]["verdict"] == "refuted"
    assert found["amended"][0]["verdict"] != "refuted"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Layer(3, token="d"), r"expects a function \(parameters, state, token\)"),  # type: ignore[arg-type]
        (lambda: Layer(attention, state=2, token="d"), "expects shapes as texts"),
        (lambda: Layer(attention, state="d m"), "expects shapes as texts"),
        (lambda: DELTA.ignores(gamma=0), "expects fields of its token"),
        (lambda: DELTA.ignores(), "such as ignores\\(beta=0\\)"),
        (lambda: Layer(attention, token=("d", "d")).ignores(k=0), "make it a NamedTuple"),
        (lambda: CONVOLUTION.ignores(x=0), r"or ignores\(0\) if a token is one array"),
        (lambda: LINEAR.chunked("parallel"), "expects a function"),  # type: ignore[arg-type]
        (lambda: Source("mine", title="x").law("mine.a", parallel), "a method of Layer makes"),  # type: ignore[arg-type]
    ],
)
def test_a_slip_is_told_with_what_is_expected(wrong, words):
    with pytest.raises(UsageError, match=words):
        wrong()


@pytest.mark.long
def test_a_function_that_returns_one_thing_is_told_to_return_two():
    source = Source("mine", title="x")
    source.law("mine.law", LINEAR.chunked(lambda parameters, state, tokens: state))
    found = check(Ledger([source]), jobs=1)["claims"][0]["as_stated"]
    assert found["verdict"] == "error"
    assert "expects (state, output), the state first" in found["reason"]


@pytest.mark.long
@pytest.mark.parametrize("objective", [lambda W, S, t: np.sum(S * S), lambda *_: 1])
def test_an_objective_that_does_not_use_the_new_state_is_none(objective):
    source = Source("mine", title="x")
    source.law("mine.law", LONGHORN.minimises(objective))
    found = check(Ledger([source]), jobs=1)["claims"][0]["as_stated"]
    assert found["verdict"] == "error"
    assert "does not use its first argument, the state W" in found["reason"]


FILE = """
from scanproof import Layer, Source
from scanproof import numpy as np

mine = Source("mine", title="A layer of mine")


def step(_, S, x):
    return S + x, S + x


def at_once(_, S, x):
    return S + x.sum(axis=0), S + {factor} * np.cumsum(x, axis=0)


mine.law("mine.law", Layer(step, state="d", token="d").chunked(at_once))
"""


@pytest.mark.long
def test_a_law_is_checked_anew_when_the_function_changes(tmp_path, capsys):
    path = tmp_path / "claims.py"
    answers = []
    for factor in (1, 2):
        path.write_text(FILE.format(factor=factor), encoding="utf-8")
        _main.run(["check", str(path), "--jobs", "1"])
        answers.append(capsys.readouterr().out)
    assert [" proved" in a for a in answers] == [True, False]
