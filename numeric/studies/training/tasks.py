"""Tasks to train on: what is drawn for one of them inside a compiled program, and the loss of a prediction.

The distributions are those of `numeric.tasks.samplers`, which draws the tasks for evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from scanproof.constructs.learners.losses import HALF_MEAN, BinaryCrossEntropy, CrossEntropy

from ...jax_backend import jax
from ...tasks import samplers


class Drawn(NamedTuple):
    """One task, or several with a leading axis."""

    inputs: tuple[Any, ...]
    """What a model takes."""
    target: Any
    """What it is to predict."""


@dataclass(frozen=True)
class Regression:
    """y = Wᵀx with W from N(0, I): N examples and a query."""

    examples: int
    features: int
    targets: int | None = None
    """None: one target without an axis of its own."""
    sampler: str = "uniform"
    scale: float = 1.0
    """The half-width of the uniform distribution of inputs, or the standard deviation of the normal one."""
    factor: Fraction = Fraction(1, 2)
    """Of the squared error, which is averaged over the targets."""

    kind: ClassVar[str] = "regression"
    objective: ClassVar[Any] = HALF_MEAN
    """What a learner descends on."""

    def draw(self, key: Any) -> Drawn:
        """A task."""
        random, shape = jax().random, (self.examples + 1, self.features)
        for_inputs, for_weights = random.split(key)
        if self.sampler == "uniform":
            x = random.uniform(for_inputs, shape, minval=-1.0, maxval=1.0)
        else:
            x = random.normal(for_inputs, shape)
        x = self.scale * x
        y = x @ random.normal(for_weights, _weights(self.features, self.targets))
        return Drawn((x, y[:-1]), y[-1])

    def fresh(self, count: int, seed: int, scale: float | None = None) -> Drawn:
        """Tasks for evaluation, float32; `scale` other than in training if given."""
        task = samplers.regression(
            count,
            self.examples,
            self.features,
            self.targets,
            sampler=self.sampler,
            input_scale=scale or self.scale,
            seed=seed,
        )
        target = np.einsum("hf,hf...->h...", task.x[:, -1], task.w)
        return _single(Drawn((task.x, task.y), target))

    def loss(self, prediction: Any, target: Any) -> Any:
        """Of one prediction."""
        return float(self.factor) * ((prediction - target) ** 2).mean()


@dataclass(frozen=True)
class Sine(Regression):
    """y = sin(Wᵀx), entry by entry: not linear (gril B.4)."""

    def draw(self, key: Any) -> Drawn:
        """A task."""
        (x, y), target = super().draw(key)
        return Drawn((x, jax().numpy.sin(y)), jax().numpy.sin(target))

    def fresh(self, count: int, seed: int, scale: float | None = None) -> Drawn:
        """Tasks for evaluation, float32."""
        (x, y), target = super().fresh(count, seed, scale)
        return Drawn((x, np.sin(y)), np.sin(target))


@dataclass(frozen=True)
class Classification:
    """The class of the largest of K logits Wᵀx, or the sign of one logit for K = 1 (gril B.5)."""

    examples: int
    features: int
    classes: int
    scale: float = 1.0
    sampler: ClassVar[str] = "uniform"
    kind: ClassVar[str] = "classification"

    @property
    def objective(self) -> Any:
        """What a learner descends on."""
        return BinaryCrossEntropy(mean=True) if self.classes == 1 else CrossEntropy(mean=True)

    def draw(self, key: Any) -> Drawn:
        """A task."""
        j = jax()
        for_inputs, for_weights = j.random.split(key)
        shape = self.examples + 1, self.features
        x = self.scale * j.random.uniform(for_inputs, shape, minval=-1.0, maxval=1.0)
        columns = None if self.classes == 1 else self.classes
        logits = x @ j.random.normal(for_weights, _weights(self.features, columns))
        if self.classes == 1:
            y = (logits > 0).astype(x.dtype)
        else:
            y = j.nn.one_hot(logits.argmax(axis=-1), self.classes, dtype=x.dtype)
        return Drawn((x, y[:-1]), y[-1])

    def fresh(self, count: int, seed: int, scale: float | None = None) -> Drawn:
        """Tasks for evaluation, float32."""
        whole = samplers.classification(
            count,
            self.examples + 1,
            self.features,
            self.classes,
            input_scale=scale or self.scale,
            seed=seed,
        )
        # The last example, whose label is known, is the query.
        return _single(Drawn((whole.x[:, :-1], whole.y[:, :-1]), whole.y[:, -1]))

    def loss(self, prediction: Any, target: Any) -> Any:
        """The cross-entropy of one prediction, a logit or K of them."""
        j = jax()
        if self.classes == 1:
            return j.nn.softplus(prediction) - target * prediction
        return -(target * j.nn.log_softmax(prediction)).sum()


@dataclass(frozen=True)
class Recall:
    """Associative recall: keys and values in turns, then a key that was seen; its value is asked for."""

    pairs: int
    letters: int
    """Of keys, and of values, which are numbered after them."""
    kind: ClassVar[str] = "recall"
    scale: ClassVar[float] = 1.0

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return 2 * self.letters

    def draw(self, key: Any) -> Drawn:
        """A task: keys without repetition, any values."""
        j = jax()
        for_keys, for_values, for_query = j.random.split(key, 3)
        keys = j.random.permutation(for_keys, self.letters)[: self.pairs]
        values = self.letters + j.random.randint(for_values, (self.pairs,), 0, self.letters)
        asked = j.random.randint(for_query, (), 0, self.pairs)
        stream = j.numpy.stack([keys, values], axis=1).reshape(-1)
        tokens = j.numpy.concatenate([stream, keys[asked][None]])
        return Drawn((tokens,), values[asked] - self.letters)

    def fresh(self, count: int, seed: int, scale: float | None = None) -> Drawn:
        """Tasks for evaluation."""
        keys = jax().random.split(jax().random.key(seed), count)
        return jax().vmap(self.draw)(keys)

    def loss(self, prediction: Any, target: Any) -> Any:
        """The cross-entropy of one prediction."""
        return -jax().nn.log_softmax(prediction)[target]


@dataclass(frozen=True)
class Expressions:
    """Expressions like [MAX 2 [SUM 3 1 ] 0 ] that are made on the fly, in the manner of ListOps; asked is their value.

    An operator has two or three operands; those of the outermost one are digits, or expressions of digits, each with
    probability ½. SUM is modulo the number of digits. The tokens are the digits, then MAX, MIN, SUM, ], and what fills
    up a short expression on its left.
    """

    digits: int
    kind: ClassVar[str] = "expressions"
    scale: ClassVar[float] = 1.0

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return self.digits + 5

    @property
    def length(self) -> int:
        """How many tokens an expression has at most."""
        return MOST * (MOST + 2) + 2

    def draw(self, key: Any) -> Drawn:
        """A task."""
        j = jax()
        (for_digits, for_inner, for_outer), np_ = j.random.split(key, 3), j.numpy
        # An operand at each of MOST places: a digit is the first of the digits that an inner expression would have.
        digits = j.random.randint(for_digits, (MOST, MOST), 0, self.digits)
        operator, count, nested = (
            j.random.randint(one, (MOST,), low, high)
            for one, (low, high) in zip(
                j.random.split(for_inner, 3), ((0, 3), (2, MOST + 1), (0, 2)), strict=True
            )
        )
        outer, operands = (
            j.random.randint(one, (), low, high)
            for one, (low, high) in zip(
                j.random.split(for_outer), ((0, 3), (2, MOST + 1)), strict=True
            )
        )
        place = np_.arange(MOST)
        held = place < np_.where(nested, count, 1)[:, None]
        values = np_.where(nested, j.vmap(self._value)(operator, digits, held), digits[:, 0])
        close, fill = self.digits + 3, self.digits + 4
        whole = nested[:, None] == 1
        inner = np_.concatenate(
            [self.digits + operator[:, None], digits, np_.full((MOST, 1), close)], axis=1
        )
        kept = np_.concatenate([whole, held, whole], axis=1) & (place < operands)[:, None]
        ends = np_.ones((1,), bool)
        tokens = np_.concatenate(
            [self.digits + outer[None], inner.reshape(-1), np_.full((1,), close)]
        )
        there = np_.concatenate([ends, kept.reshape(-1), ends])
        order = np_.argsort(there, stable=True)  # what is left out comes first
        return Drawn(
            (np_.where(there, tokens, fill)[order],), self._value(outer, values, place < operands)
        )

    def _value(self, operator: Any, operands: Any, held: Any) -> Any:
        """MAX, MIN or SUM of the operands that are held."""
        np_ = jax().numpy
        most = np_.where(held, operands, 0).max()
        least = np_.where(held, operands, self.digits).min()
        total = np_.where(held, operands, 0).sum() % self.digits
        return np_.stack([most, least, total])[operator]

    def fresh(self, count: int, seed: int, scale: float | None = None) -> Drawn:
        """Tasks for evaluation."""
        return jax().vmap(self.draw)(jax().random.split(jax().random.key(seed), count))

    def loss(self, prediction: Any, target: Any) -> Any:
        """The cross-entropy of one prediction."""
        return -jax().nn.log_softmax(prediction)[target]


MOST = 3
"""Operands of an operator in an expression."""

Task: TypeAlias = Regression | Classification | Recall | Expressions


def _weights(features: int, columns: int | None) -> tuple[int, ...]:
    return (features,) if columns is None else (features, columns)


def _single(drawn: Drawn) -> Drawn:
    return jax().tree.map(lambda array: np.asarray(array, dtype=np.float32), drawn)
