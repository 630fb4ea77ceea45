"""What one asks of any layer, as claims of one line: is it resumable, chunked, padded, causal, a step of a learner?

    delta = Layer(step, state="d m", token=Token(k="m", v="d", q="m", beta=""))
    mine.law("mine.chunks", delta.chunked(chunk))
    mine.law("mine.padding", delta.ignores(beta=0))

A `Law` is the words, symbols and body of a claim; `Source.law` makes a row of it. Every state and token is a symbol, so
that what is proved holds from any state, for any data, for sequences of any length.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.arrays.definition import note
from scanproof.constructs.arrays.gradient import depends, gradient
from scanproof.constructs.arrays.scan import leaves, map_leaves, scan
from scanproof.constructs.errors import UsageError

from .place import Place, calling_place
from .sizes import by_name, dimensions, names
from .statements import Equal, Statement, equal

Function = Callable[..., Any]
RESERVED = ("p", "xp", "construction")
"""What bodies are called with besides symbols and sizes."""


@dataclass(frozen=True, eq=False)
class Law:
    """A claim about a layer, without an id."""

    says: str
    given: Mapping[str, str]
    body: Callable[..., Iterator[Statement]]
    place: Place | None = None
    """Where it was made."""


_made: ContextVar[list[Law] | None] = ContextVar("made", default=None)


@contextmanager
def laws_made() -> Iterator[list[Law]]:
    """The laws that are made in this block."""
    laws: list[Law] = []
    token = _made.set(laws)
    try:
        yield laws
    finally:
        _made.reset(token)


@dataclass(frozen=True)
class Layer:
    """A step function `(parameters, state, token) -> (state, output)` with the shapes of what it takes.

    A shape is a text as in `given`: "d m" is a matrix, "" a number. Several arrays are a tuple or a named tuple of
    shapes; a layer without a state, or without parameters, has None.

    `forward`, wherever it is asked for, takes a whole sequence: `(parameters, state, tokens) -> (state, outputs)`,
    with a leading axis of any length on tokens and outputs. If none is given it is the step, token by token.
    """

    step: Function
    state: Any = None
    token: Any = None
    parameters: Any = None
    symbols: Mapping[str, Any] = field(init=False, default_factory=dict)
    """The names of the arrays of parameters, state and token."""

    def __post_init__(self) -> None:
        if not callable(self.step):
            raise UsageError(
                f"Layer({self.step!r}) expects a function (parameters, state, token) -> (state, output)."
            )
        shapes = [s for part in (self.parameters, self.state, self.token) for s in leaves(part)]
        taken = set(names([s for s in shapes if isinstance(s, str)]))
        found = {}
        for part, name in (("parameters", "parameter"), ("state", "state"), ("token", "token")):
            shapes = getattr(self, part)
            wrong = [one for one in leaves(shapes) if not isinstance(one, str)]
            if wrong or (part == "token" and not leaves(shapes)):
                raise UsageError(
                    f'Layer({_name(self.step)}, {part}={shapes!r}) expects shapes as texts, "d m" for a matrix, "" '
                    "for a number, or a (named) tuple of them."
                )
            found[part] = _named(shapes, name, taken)
        object.__setattr__(self, "symbols", found)

    def resumes(self, forward: Function | None = None) -> Law:
        """A sequence split anywhere, the state carried over, gives the same outputs and the same last state."""
        first, second = self._lengths("S", "T")
        run = self._forward(forward)

        def body(parameters: Any, state: Any, tokens: Any, sizes: Any) -> Iterator[Statement]:
            whole, outputs = run(parameters, state, tokens)
            between, early = run(parameters, state, _rows(tokens, slice(sizes[first])))
            last, late = run(parameters, between, _rows(tokens, slice(sizes[first], None)))
            yield from _equal(_rows(outputs, slice(sizes[first])), early, "outputs before")
            yield from _equal(_rows(outputs, slice(sizes[first], None)), late, "outputs after")
            yield from _equal(whole, last, "last state")

        says = f"{_name(forward or self.step)} split anywhere, its state carried over, gives the same as the whole"
        return self._law(says, f"{first}+{second}", body, (first,), tested=forward)

    def chunked(self, chunk: Function) -> Law:
        """A chunk of tokens at once, `chunk(parameters, state, tokens)`, is the step token by token, from any state."""
        (length,) = self._lengths("C")
        run, recurrent = self._forward(chunk), self._forward(None)

        def body(parameters: Any, state: Any, tokens: Any, sizes: Any) -> Iterator[Statement]:
            state_at_once, outputs_at_once = run(parameters, state, tokens)
            last, outputs = recurrent(parameters, state, tokens)
            yield from _equal(outputs_at_once, outputs, "outputs")
            yield from _equal(state_at_once, last, "last state")

        says = f"{_name(chunk)} of {length} tokens is {_name(self.step)} token by token, from any state"
        return self._law(says, length, body, tested=chunk)

    def ignores(self, padding: Any = None, /, **fields: Any) -> Law:
        """A padding token leaves every state as it is, so that padding changes nothing wherever it stands.

        Args:
            padding: for a token that is one array, the number that all its entries have.
            fields: the fields of a padding token with their numbers; the others may be anything.
        """
        known = getattr(self.token, "_fields", ())
        if fields and not known and isinstance(self.token, tuple):
            raise UsageError(
                f"ignores() of {_name(self.step)} got {', '.join(fields)}, but its token is a plain tuple, whose parts "
                "have no names; make it a NamedTuple with these fields, in the step and in Layer(token=…)."
            )
        unknown = set(fields) - set(known)
        if unknown or (padding is None) is not bool(fields) or (fields and not known):
            raise UsageError(
                f"ignores() of {_name(self.step)} expects fields of its token with numbers, such as "
                f"ignores({known[-1] if known else 'beta'}=0), or ignores(0) if a token is one array; "
                f"got {padding!r} and {fields}."
            )

        def body(parameters: Any, state: Any, token: Any, sizes: Any) -> Iterator[Statement]:
            after, _ = self._stepped(parameters, state, token)
            yield from _equal(after, state, "state")

        symbols = self.symbols["token"]
        of_field = {n: v for f, v in fields.items() for n in leaves(getattr(symbols, f))}
        constants = of_field if fields else dict.fromkeys(leaves(symbols), padding)

        words = by_name(fields) or f"all entries {padding}"
        says = f"a token with {words} leaves every state of {_name(self.step)} as it is: padding changes nothing"
        return self._law(says, "", body, constants=constants)

    def causal(self, forward: Function) -> Law:
        """What comes later changes no output: two sequences that agree so far have the same outputs so far.

        And so has the sequence that ends there, with an output for each token: an output that speaks of the
        length speaks of what comes later.
        """
        first, second = self._lengths("S", "T")
        run = self._forward(forward)
        shapes = [s for part in (self.parameters, self.state, self.token) for s in leaves(part)]
        other = _named(self.token, "other", {*self._names, *names(shapes), first, second}, "other_")

        def body(parameters: Any, state: Any, tokens: Any, sizes: Any, **later: Any) -> Any:
            def changed(one: Any, name: str) -> Any:
                xp = namespace(one)
                return xp.concat([one[: sizes[first]], later[name]], axis=0)

            _, outputs = run(parameters, state, tokens)
            _, others = run(parameters, state, map_leaves(changed, tokens, other))
            so_far = slice(sizes[first])
            yield from _equal(_rows(outputs, so_far), _rows(others, so_far), "outputs so far")
            _, alone = run(parameters, state, map_leaves(lambda one: one[so_far], tokens))
            yield from _equal(_rows(outputs, so_far), alone, "outputs of what there is so far")

        says = f"the outputs of {_name(forward)} do not depend on later tokens"
        more = _shapes(self.token, other, second)
        return self._law(says, f"{first}+{second}", body, (first,), more, tested=forward)

    def performs(self, learner: Function) -> Law:
        """One step takes the state to `learner(parameters, state, token)`, such as `descent(loss, step_size)`."""

        def body(parameters: Any, state: Any, token: Any, sizes: Any) -> Iterator[Statement]:
            after, _ = self._stepped(parameters, state, token)
            yield from _equal(after, learner(parameters, state, token), "state")

        says = f"a step of {_name(self.step)} is one step of {_name(learner)}"
        return self._law(says, "", body, about=(learner,))

    def minimises(self, objective: Function) -> Law:
        """The gradient of `objective(W, state, token)` vanishes at the new state: its minimum, if it is convex."""

        def body(parameters: Any, state: Any, token: Any, sizes: Any) -> Iterator[Statement]:
            after, _ = self._stepped(parameters, state, token)

            def at(W: Any) -> Any:
                return objective(W, state, token)

            if not depends(at, after):
                raise UsageError(
                    f"{_name(objective)} does not use its first argument, the state W, so that every state would "
                    "minimise it; minimises() expects objective(W, state, token) of the new state W."
                )
            slope = gradient(at, after)
            yield from _equal(slope, slope - slope, "gradient")

        says = f"after a step of {_name(self.step)} the gradient of {_name(objective)} vanishes"
        return self._law(says, "", body, about=(objective,))

    # How laws are made.

    @property
    def _names(self) -> list[str]:
        return [name for part in self.symbols.values() for name in leaves(part)]

    def _lengths(self, *wanted: str) -> list[str]:
        """Names for lengths that no shape of the layer uses."""
        shapes = [s for part in (self.parameters, self.state, self.token) for s in leaves(part)]
        used = {*names(shapes), *self._names}
        found: list[str] = []
        for name in wanted:
            while name in used:
                name += "_"
            used.add(name)
            found.append(name)
        return found

    def _stepped(self, parameters: Any, state: Any, token: Any) -> Any:
        note(getattr(self.step, "__wrapped__", self.step))
        return _pair(self.step, self.step(parameters, state, token))

    def _forward(self, forward: Function | None) -> Function:
        """A whole sequence at once, or the step token by token."""
        if forward is not None and not callable(forward):
            raise UsageError(
                f"a law of {_name(self.step)} expects a function (parameters, state, tokens) -> (state, outputs), "
                f"got {forward!r}."
            )

        def run(parameters: Any, state: Any, tokens: Any) -> Any:
            if forward is None:
                found = scan(self.step, parameters, state, tokens)
                return found.final_state, found.outputs
            note(getattr(forward, "__wrapped__", forward))
            return _pair(forward, forward(parameters, state, tokens))

        return run

    def _law(
        self,
        says: str,
        length: str,
        body: Callable[..., Iterator[Statement]],
        sizes: tuple[str, ...] = (),
        more: Mapping[str, str] | None = None,
        about: tuple[Any, ...] = (),
        tested: Function | None = None,
        constants: Mapping[str, Any] | None = None,
    ) -> Law:
        """A law whose body is called with parameters, state, tokens, sizes, and what there is besides.

        What it is `about`, and what is `tested` against the step, are the user's functions: a verdict depends on their
        text, and sizes are drawn from it.
        Symbols with `constants` are arrays of these numbers, and none of the claim's inputs.
        """
        given = {
            **_shapes(self.parameters, self.symbols["parameters"]),
            **_shapes(self.state, self.symbols["state"]),
            **_shapes(self.token, self.symbols["token"], length),
            **(more or {}),
        }

        constants = constants or {}
        shapes = {name: given.pop(name) for name in constants}
        kept = {
            n: text
            for n, text in shapes.items()
            if set(names([text])) - set(names(list(given.values())))
        }
        given.update(kept)  # no other symbol has their sizes
        lengths = names(list(shapes.values()))

        def called(xp: Any = None, **values: Any) -> Iterator[Statement]:
            for name, number in constants.items():
                zeros = xp.zeros(dimensions(shapes[name], values))
                values[name] = zeros + xp.asarray(number)
            own = {
                part: map_leaves(lambda name: values[name], of) for part, of in self.symbols.items()
            }
            own["tokens" if length else "token"] = own.pop("token")
            besides = {name: values[name] for name in more or {}}
            return body(**own, sizes={name: values[name] for name in sizes}, **besides)

        keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
        more_asked = ["xp"] if constants else []
        wanted: list[str] = list(dict.fromkeys([*given, *sizes, *lengths, *more_asked]))
        asked = [inspect.Parameter(name, keyword) for name in wanted]
        users = [f for f in (tested, self.step, *about) if f is not None]
        called.about = tuple(g for f in users for g in (f, *getattr(f, "about", ())))  # type: ignore[attr-defined]
        called.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined]
        law = Law(says, given, called, calling_place())
        made = _made.get()
        if made is not None:
            made.append(law)
        return law


def descent(loss: Function, step_size: Any) -> Function:
    """The learner that takes a step of gradient descent: W − η · ∇loss(W, token).

    Args:
        loss: (W, token) -> a number, of which the gradient is derived.
        step_size: η, a number, or a function (parameters, token) -> a number.
    """

    def gradient_descent(parameters: Any, state: Any, token: Any) -> Any:
        eta = step_size(parameters, token) if callable(step_size) else step_size
        return state - eta * gradient(lambda W: loss(W, token), state)

    gradient_descent.about = tuple(filter(callable, (loss, step_size)))  # type: ignore[attr-defined]
    gradient_descent.__name__ = f"gradient descent on {_name(loss)}"
    return gradient_descent


def _named(shapes: Any, alone: str, taken: set[str], prefix: str = "") -> Any:
    """The same tuples, with a name of its own for every array."""

    def fresh(name: str) -> str:
        while name in taken or name in RESERVED:
            name += "_"
        taken.add(name)
        return name

    if not isinstance(shapes, tuple):
        return None if shapes is None else fresh(alone)
    fields = getattr(shapes, "_fields", [f"{alone}{k}" for k in range(len(shapes))])
    parts = [
        _named(s, name if prefix == "" else prefix + name, taken, prefix)
        for s, name in zip(shapes, fields, strict=True)
    ]
    return type(shapes)(*parts) if hasattr(shapes, "_fields") else tuple(parts)


def _shapes(shapes: Any, symbols: Any, length: str = "") -> dict[str, str]:
    """The shape of every array by its name, with a leading axis of this length."""
    found = zip(leaves(symbols), leaves(shapes), strict=True)
    return {name: f"{length} {text}".strip() for name, text in found}


def _rows(tree: Any, place: slice) -> Any:
    return map_leaves(lambda leaf: leaf[place], tree)


def _equal(left: Any, right: Any, label: str) -> Iterator[Equal]:
    """An equation for each array of two equally built tuples."""
    ones, others = leaves(left), leaves(right)
    if len(ones) != len(others):
        raise UsageError(
            f"the two sides ({label}) have {len(ones)} and {len(others)} arrays; return the same (named) tuple of "
            "arrays on both."
        )
    for place, one, other in zip(_places(right), ones, others, strict=True):
        yield equal(one, other, label=label + place)


def _places(tree: Any) -> list[str]:
    """How each array of a tuple is reached: ".M", "[0]"; of an array alone, "".

    In the order of `leaves`.
    """
    if not isinstance(tree, tuple):
        return [place for place in [""] if leaves(tree)]
    fields = getattr(tree, "_fields", None)
    steps = [f".{name}" for name in fields] if fields else [f"[{k}]" for k in range(len(tree))]
    return [step + rest for step, one in zip(steps, tree, strict=True) for rest in _places(one)]


def _pair(function: Function, found: Any) -> Any:
    if not isinstance(found, tuple) or len(found) != 2:
        raise UsageError(
            f"{_name(function)} returned {type(found).__name__}; a law expects (state, output), the state first."
        )
    return found


def _name(function: Function) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "a lambda" if name == "<lambda>" else name
