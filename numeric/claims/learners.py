"""The explicit learners in JAX are those of the definitions."""

from __future__ import annotations

from typing import Any

from scanproof.constructs.learners import descent
from scanproof.constructs.learners.losses import HALF_MEAN, HALF_SUM, MEAN, SUM
from scanproof.proofs.doors.program import program
from scanproof.proofs.language.statements import equal

from .source import READ, lanes

LOSSES = {"sum": SUM, "half-sum": HALF_SUM, "mean": MEAN, "half-mean": HALF_MEAN}


@lanes.claim(
    "lanes.jax.learners.gradient-descent",
    says=(
        "gradient_descent in JAX, whose gradient is JAX's reverse mode, makes one step on the sum and the mean of "
        "squares, halved or not, as the definition does, for any number of targets"
    ),
    given={"W": "f k", "x": "N f", "y": "N k", "eta": ""},
    sizes={"N": (1, 2, 3), "f": (1, 2), "k": (1, 2)},
    reading=READ,
)
def descend(W, x, y, eta):
    """One step of gradient descent in JAX against the definition, for each loss."""
    for name, loss in LOSSES.items():

        def learner(W: Any, x: Any, y: Any, eta: Any, loss: Any = loss) -> Any:
            from ..tasks.learners import gradient_descent

            return gradient_descent(loss, W, x, y, eta)

        wanted = descent.gradient_descent(loss, W, x, y, eta)
        yield equal(program(learner)(W, x, y, eta), wanted, label=f"loss: {name}")


@lanes.claim(
    "lanes.jax.learners.several-steps",
    says="gradient_descent in JAX makes L steps on half the sum of squares as the definition does",
    given={"w": "f", "x": "N f", "y": "N", "eta": "", "turns": "L"},
    sizes={"N": (1, 2), "f": (1, 2), "L": (1, 2, 3)},
    reading=READ + " `turns` is there for its length alone.",
)
def descend_again(w, x, y, eta, turns, L):
    """L steps of gradient descent in JAX against the definition."""

    def learner(w: Any, x: Any, y: Any, eta: Any, turns: Any) -> Any:
        from ..tasks.learners import gradient_descent

        return gradient_descent(HALF_SUM, w, x, y, eta, turns.shape[0])

    wanted = descent.gradient_descent(HALF_SUM, w, x, y, eta, L)
    return equal(program(learner)(w, x, y, eta, turns), wanted)


@lanes.claim(
    "lanes.jax.learners.stochastic-gradient-descent",
    says="stochastic_gradient_descent in JAX makes one step for each example in turn as the definition does",
    given={"w": "f", "x": "N f", "y": "N", "eta": ""},
    sizes={"N": (1, 2, 3), "f": (1, 2)},
    reading=READ,
)
def stochastic(w, x, y, eta):
    """One step for each example in JAX against the definition."""

    def learner(w: Any, x: Any, y: Any, eta: Any) -> Any:
        from ..tasks.learners import stochastic_gradient_descent

        return stochastic_gradient_descent(HALF_SUM, w, x, y, eta)

    wanted = descent.stochastic_gradient_descent(HALF_SUM, w, x, y, eta)
    return equal(program(learner)(w, x, y, eta), wanted)


lanes.unchecked(
    "lanes.jax.learners.newton-step",
    says="newton_step in JAX is the definition's",
    missing="it solves a linear system by a factorisation with pivots (lu), which is not read",
)
