"""A construction as one value: what it computes, and how claims take it."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scanproof import Source, UsageError, equal
from scanproof.constructs.constructions import gril
from scanproof.constructs.constructions.ch9 import ICL
from scanproof.constructs.constructions.gd_ssm import PROP3
from scanproof.constructs.learners.learner import Descent
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.exact.roots import RootsField
from scanproof.proofs.language.learns import learns
from scanproof.proofs.language.pinned import of_user

GIVEN = {"x": "N+1 f", "y": "N f", "eta": ""}


def numbers(*shape: int, seed: int = 0):
    """Small whole numbers, exactly."""
    drawn = np.random.default_rng(seed).integers(-3, 4, shape)
    return np.array([[Fraction(int(entry)) for entry in row] for row in drawn])


@pytest.mark.parametrize("online", [gril.LONGHORN, gril.ONLINE], ids=["Longhorn", "delta rule"])
def test_an_online_layer_is_its_learner_in_exact_numbers(online):
    def both(xp, x, y, W0):
        eta = xp.asarray(Fraction(1, 3))
        found = online.predictions(SimpleNamespace(beta=eta), x, y, W0)
        return found, online.learned(x, y, eta, W0)

    given = numbers(4, 2), numbers(3, 2, seed=1), numbers(2, 2, seed=2)
    found, learned = exactly(RootsField(), both, *given)
    assert found.size and (found == learned).all()


def test_a_learner_on_a_part_sees_that_part_and_epsilon_of_the_others():
    x, y = np.arange(8.0).reshape(4, 2), np.asarray([1.0, 2.0, 3.0])
    learner = Descent(HALF_SUM, from_zero=True, part=lambda t, **_: (t - 1, t), others=True)
    found = learner.prediction(x, y, 0.5, None, 1, t=2, eps=0.25)
    weights = 0.5 * y[1] * x[1] + 0.25 * (y[0] * x[0] + y[2] * x[2])
    assert found == pytest.approx(x[-1] @ weights)


def test_a_claim_has_the_parameters_of_its_construction_and_its_amendments_too():
    row = Source("own", title="").claim("own.a", says="", given=GIVEN, construction=gril.PROP4_1)(
        learns
    )
    row.amend("last", "", construction=gril.A2_LAST)
    row.amend("same", "", corrections=("index",))
    row.amend("without", "", parameters=gril.prop4_1, body=lambda p, x, y, eta: equal(x, x))
    last, same, without = row.amendments
    assert row.claim.parameters is gril.prop4_1 and same.construction is gril.PROP4_1
    assert last.parameters is gril.a2 and last.construction is gril.A2_LAST
    assert without.construction is None


def test_a_body_without_a_construction_cannot_ask_for_one():
    with pytest.raises(UsageError, match="asks for 'construction', which it is not given"):
        Source("own", title="").claim("own.a", says="", given=GIVEN)(learns)


def test_what_is_no_construction_is_refused():
    with pytest.raises(UsageError, match="construction= expects a Construction"):
        Source("own", title="").claim("own.a", says="", given=GIVEN, construction=3)(learns)


def test_a_users_step_makes_a_claim_a_users_though_its_body_is_ours():
    layer: Any = gril.PROP4_1.layer

    def step(parameters, state, token):
        return layer.step(parameters, state, token)

    own = gril.PROP4_1._replace(layer=layer._replace(step=step))
    ours, theirs = (
        Source("own", title="").claim("own.a", says="", given=GIVEN, construction=one)(learns).claim
        for one in (gril.PROP4_1, own)
    )
    assert of_user(theirs) and not of_user(ours)


def test_the_weights_in_the_tokens_of_ch9_are_those_of_the_learner_at_every_token():
    def both(xp, x, y, w):
        eta = xp.asarray(Fraction(1, 5))
        found = ICL.predictions(ICL.parameters(xp, d=2, eta=eta), x, y, w, 2)
        return found, ICL.learned(x, y, eta, w, 2)

    given = numbers(4, 2), numbers(1, 3, seed=1)[0], numbers(1, 2, seed=2)[0]
    found, learned = exactly(RootsField(), both, *given)
    assert found.size and (found == learned).all()


def test_stacked_layers_read_at_every_token_are_read_last_at_the_query():
    x, y, W0 = (np.random.default_rng(k).normal(size=(n, 2)) for k, n in enumerate((4, 3, 2)))
    p = PROP3.parameters(np, N=3, eta=np.asarray(0.1))
    every = PROP3._replace(every=True).predictions(p, x, y, W0, 2)
    np.testing.assert_array_equal(every[-1], PROP3.predictions(p, x, y, W0, 2))


def claimed(construction):
    Source("c", title="C").claim("c.a", says="", given=GIVEN, construction=construction)(learns)


class Other(type(gril.PROP4_1)):
    def predictions(self, p, x, y, *more, **symbols):
        return self.learned(x, y, *more)


@pytest.mark.parametrize(
    ("construction", "answer"),
    [
        (Other(*gril.PROP4_1), "expects a Construction"),
        (gril.PROP4_1._replace(learner=HALF_SUM), "has a learner of another kind; give Descent"),
        (gril.LONGHORN._replace(every=True), "give every=False"),
        (gril.PROP4_1._replace(layer=print), "has a layer of another kind; give Recurrent"),
        (gril.PROP4_1._replace(tokens=None), "has tokens = None; give a function of x and y"),
        (gril.PROP4_1._replace(targets="two"), "has targets = 'two'; allowed: 'vector'"),
    ],
    ids=["another type", "learner", "every token", "layer", "tokens", "targets"],
)
def test_a_construction_of_other_parts_is_refused_when_the_claim_is_written_down(
    construction, answer
):
    with pytest.raises(UsageError, match=answer):
        claimed(construction)
