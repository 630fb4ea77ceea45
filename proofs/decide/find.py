"""From a claim to a certificate: a list of strategies, the first of which that finds one ends the search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from scanproof.constructs.errors import UsageError

from ..check.all_sizes import Unsafe
from ..check.arguments import NOT_SHOWN, SaysNothing, says_nothing
from ..check.beyond import smallest
from ..check.certificate import (
    AllSizes,
    Argument,
    Certificate,
    Collision,
    Counterexample,
    FixedSizes,
    Limits,
    Met,
    Refutation,
    Unsettled,
    named,
)
from ..check.instances.at_point import inputs_as_text, quick_statements_at, statements_at
from ..check.instances.at_random import agree, balls, overlap, residues
from ..check.instances.evaluate import in_symbols, unread
from ..check.instances.hypotheses import bounds
from ..check.instances.points import candidates
from ..check.limits import refute as refute_by_limits
from ..check.result import sizes_text
from ..check.sizes_beyond import next_sizes
from ..exact.engines import (
    FLINT,
    MOST_TERMS,
    Engine,
    Engines,
    has_entries,
    most_informative,
    small,
    terms,
    truth,
)
from ..exact.instance import shapes
from ..exact.scalar import DivisionByZero, NotPolynomial
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import (
    Approached,
    AtMost,
    Determines,
    Differs,
    Equal,
    Statement,
    Undetermined,
)
from ..refute.counterexamples import agreement, collision, difference, violation
from ..refute.near_misses import near_misses
from ..search.all_sizes import find as find_all_sizes

NOT_RUN = "it needs exp, log or a norm, which no engine that ran has"
QUICK_TRIES = 3
"""Draws from each palette before the kernel is queried for a bound; no others are made of what it proves."""
BOUND_TRIES = 60
"""Draws from each palette in search of a bound's counterexample: a false bound, too, holds at most points."""
TRIED_WELL = 4
"""At how many sizes many points are tried where conditions are bounds."""


NO_SIZES = "it speaks of no sizes"
"""Why the kernel is not asked where an engine computes the only instance that there is."""


def find(claim: Claim, engines: Engines) -> Certificate:
    """What settles the claim, or why nothing was found.

    Args:
        claim: the claim.
        engines: those that are queried.

    Raises:
        UsageError: if no inputs meet its conditions.
        Exception: what its body raises.
    """
    search = Search(claim, engines)
    for strategy in STRATEGIES:
        found = strategy(search)
        if found is not None:
            return found
    raise AssertionError("the last strategy settles everything")


def find_again(claim: Claim, fails: Sizes) -> Certificate:
    """A refutation where checking an argument saw a statement fail, or why there is none."""
    if fails in claim.every_size:
        found = violation(claim, [fails]) or violation(claim, claim.every_size)
        found = found or _agreement(claim, fails)
        return Unsettled(claim.id, NOT_SHOWN) if found is None else _refutation(claim, found)
    there = smallest(claim, fails)
    found = violation(claim, claim.every_size[:TRIED_WELL], QUICK_TRIES)  # as at ties
    found = found or violation(claim, [there], BOUND_TRIES) or _agreement(claim, there)
    why = f"at {sizes_text(there)} it fails at a random point; no small numbers were found that show it"
    if found is None or not _may_fail(claim, there, found.part):  # they agree at some inputs alone
        return Unsettled(claim.id, why)
    return _refutation(claim, found)


def _refutation(claim: Claim, found: Counterexample | Collision) -> Refutation:
    return Refutation(claim.id, found, near_misses(claim, dict(found.sizes)))


def _agreement(claim: Claim, sizes: Sizes) -> Counterexample | None:
    for part, statement in enumerate(_statements(claim, sizes)):
        if isinstance(statement, Differs):
            found = agreement(claim, sizes, part)
            if found is not None:
                return found
    return None


def _may_fail(claim: Claim, sizes: Sizes, part: int) -> bool:
    """Whether a statement is no two sides that are said to differ and do at residues."""
    with suppress(NotPolynomial, DivisionByZero, ZeroDivisionError):
        statement = residues(claim, sizes)[part]
        return not isinstance(statement, Differs) or agree(statement)
    return True


class Search:
    """What the strategies share; nothing is evaluated before one of them asks for it."""

    def __init__(self, claim: Claim, engines: Engines) -> None:
        self.claim = claim
        self.engines = engines
        self.met = self._met() if claim.assuming else []

    def _met(self) -> list[Met]:
        if self.claim.every_size and not self.read:
            return []
        for sizes in self.read:
            for point in candidates(self.claim, sizes):
                if statements_at(self.claim, sizes, point) is not None:
                    return [Met(named(sizes), named(inputs_as_text(point)))]
        raise UsageError(f"no inputs were found that meet: {'; '.join(self.claim.assuming)}")

    @cached_property
    def read(self) -> list[dict[str, int]]:
        """The listed sizes at which the claim has a statement."""
        return [sizes for sizes in self.claim.every_size if not unread(self.claim, sizes)]

    @cached_property
    def proof(self) -> AllSizes | str:
        """What the kernel is to be shown, or why there is nothing: without sizes one instance is all of it."""
        if not self.claim.ranges and self.engines.fixed and self.reader is not None:
            return NO_SIZES
        found = find_all_sizes(self.claim)
        return found if isinstance(found, str) else found.certificate

    @property
    def is_lifted(self) -> bool:
        """Whether there is a proof for all sizes."""
        return self.engines.kernel and not isinstance(self.proof, str)

    @cached_property
    def every(self) -> list[tuple[dict[str, int], list[tuple[Statement, bool | None]]]]:
        """The statements at each listed size, and what is seen of their truth; nothing where no engine reads them."""
        if self.reader is None:
            return []
        return [(sizes, list(self._seen(sizes))) for sizes in self.claim.every_size]

    @cached_property
    def reader(self) -> Engine | None:
        """The first engine that has what the claim needs, where it has a statement at each listed size."""
        if self.read != self.claim.every_size:
            return None
        for engine in self.engines.fixed:
            if engine is FLINT and not self._is_polynomial:
                continue
            with suppress(NotPolynomial):
                first = _first_with_entries(self.claim)
                for sizes in (first, *(s for s in most_informative(self.claim) if s != first)):
                    in_symbols(engine, self.claim, sizes)  # where arrays are short, less is needed
                return engine
        return None

    @cached_property
    def _is_polynomial(self) -> bool:
        """Whether + − · / are all that the claim needs, at every listed size."""
        with suppress(NotPolynomial):
            return len(self._residues) > 0
        return False

    @cached_property
    def _residues(self) -> dict[str, list[Statement] | None]:
        """The statements at residues of each listed size; None where something is divided by 0."""
        found: dict[str, list[Statement] | None] = {}
        for sizes in self.claim.every_size:
            try:
                found[str(sizes)] = residues(self.claim, sizes)
            except (DivisionByZero, ZeroDivisionError):
                found[str(sizes)] = None
        return found

    def _seen(self, sizes: Sizes) -> Iterator[tuple[Statement, bool | None]]:
        """Random numbers show that sides differ, faster than symbols that they do not."""
        found, same = None, overlap
        if self._is_polynomial:
            found, same = self._residues[str(sizes)], agree
        else:
            with suppress(DivisionByZero, ZeroDivisionError):
                found = balls(self.claim, sizes)
        has_bounds = found is not None and any(isinstance(s, AtMost) for s in found)
        if found is None or (has_bounds and not self._is_bound_by_symbols):
            yield from self._by_symbols(sizes)
            return
        for statement in found:
            if isinstance(statement, Equal):
                yield statement, same(statement)
            elif isinstance(statement, Differs) and same is agree:
                yield statement, not agree(statement)
            else:
                yield statement, None

    def _by_symbols(self, sizes: Sizes) -> Iterator[tuple[Statement, bool | None]]:
        found = [] if self.reader is None else in_symbols(self.reader, self.claim, sizes)
        yield from ((statement, truth(statement)) for statement in found)

    @cached_property
    def _is_bound_by_symbols(self) -> bool:
        """Whether the smallest size has bounds that are not between plain numbers."""
        found = self._by_symbols(self.claim.every_size[0])
        return any(isinstance(s, AtMost) and shown is None for s, shown in found)

    @cached_property
    def kinds(self) -> set[type]:
        """The kinds of its statements."""
        if self.every:
            return {type(s) for _, found in self.every for s, _ in found}
        return {type(s) for found in self.at_points for s in found}

    @cached_property
    def at_points(self) -> list[list[Statement]]:
        """The statements at one point of each listed size that has some."""
        return [_statements(self.claim, sizes) for sizes in self.read]

    @cached_property
    def is_bound(self) -> bool:
        """Whether it has bounds that symbols do not decide; where no engine reads it, they decide none."""
        if self.reader is None:
            return AtMost in self.kinds
        return any(isinstance(s, AtMost) and t is None for _, found in self.every for s, t in found)

    @cached_property
    def fails(self) -> list[tuple[dict[str, int], int, Statement]]:
        """Statements that are seen to be false."""
        return [
            (sizes, part, statement)
            for sizes, found in self.every
            for part, (statement, shown) in enumerate(found)
            if shown is False
        ]

    def parts(self, kind: type) -> list[int]:
        """The numbers of the statements of one kind."""
        found = {p for _, all in self.every for p, (s, _) in enumerate(all) if isinstance(s, kind)}
        return sorted(found)

    def by_kernel(self) -> Argument | None:
        """The kernel's proof alone."""
        if isinstance(self.proof, str):
            return None
        return Argument(self.claim.id, (*self.met, self.proof))

    def unsettled(self, why: str) -> Unsettled:
        """The answer that nothing was found, with the reason."""
        return Unsettled(self.claim.id, why)


def _first_with_entries(claim: Claim) -> Sizes:
    """The first listed size at which no array is empty: nothing is needed to read an empty one."""
    every = claim.every_size
    return next((s for s in every if all(all(d) for d in shapes(claim, s).values())), every[0])


def _statements(claim: Claim, sizes: Sizes) -> list[Statement]:
    """The statements at the first point that meets the conditions."""
    every = (quick_statements_at(claim, sizes, point) for point in candidates(claim, sizes))
    return next((found for found in every if found is not None), [])


def _kernel_alone(search: Search) -> Certificate | None:
    if search.engines.fixed:
        return None
    doubtful = isinstance(search.proof, Unsafe)
    return search.by_kernel() or Unsettled(search.claim.id, str(search.proof), doubtful)


def _where_no_engine_reads(search: Search) -> Certificate | None:
    """Only the kernel may have a law for its functions."""
    return None if search.reader or not search.engines.kernel else search.by_kernel()


def _empty(search: Search) -> None:
    """Raises SaysNothing for a claim that compares nothing at any of its sizes."""
    if not search.read:
        return
    problem = says_nothing([[s for s, _ in found] for _, found in search.every] or search.at_points)
    if problem is not None:
        raise SaysNothing(problem)


def _bound(search: Search) -> Certificate | None:
    """Bounds are the kernel's, if a few points do not show at once that they fail."""
    if not (search.is_bound and search.engines.kernel):
        return None
    found = violation(search.claim, search.read, QUICK_TRIES)
    return search.by_kernel() if found is None else None


def _counterexample(search: Search) -> Certificate | None:
    """The first failure: where one was seen, else where points can show one."""
    claim, found = search.claim, None
    for sizes, part, statement in search.fails:
        if isinstance(statement, Differs):
            found = agreement(claim, sizes, part)
        else:
            found = violation(claim, [sizes]) or violation(claim, claim.every_size)
        if found is not None:
            break
    if found is None and (search.reader is None or AtMost in search.kinds):
        found = _bound_violation(claim, search.read)
    for part in search.parts(Determines):
        found = found or collision(claim, claim.every_size, part)
    return None if found is None else _refutation(claim, found)


def _bound_violation(claim: Claim, read: Sequence[Sizes]) -> Counterexample | None:
    """Where conditions are met with equality half the draws do, and fewer where smaller sizes show nothing."""
    if not _hypotheses(claim):
        return violation(claim, read, BOUND_TRIES)
    first, later = read[:TRIED_WELL], read[TRIED_WELL:]
    return violation(claim, first, BOUND_TRIES // 2) or violation(claim, later)


def _hypotheses(claim: Claim) -> set[str]:
    """The conditions that are bounds, which a proof can use, and near which points are looked for."""
    return set(bounds(claim, claim.every_size[0]) if claim.every_size else ())


def _without_a_statement(search: Search) -> Certificate | None:
    """Why it has none at some listed size, where nothing is shown at the others."""
    lacking = next((sizes for sizes in search.claim.every_size if sizes not in search.read), None)
    return None if lacking is None else search.unsettled(unread(search.claim, lacking))


def _limits(search: Search) -> Certificate | None:
    """The first argument about limits that the claim itself gives, if it holds where there are others."""
    if search.claim.kind != "existence":
        return None
    places = [
        Limits(named(sizes), part)
        for sizes, found in search.every
        for part, (statement, _) in enumerate(found)
        if isinstance(statement, Approached)
    ]
    for place in places[:-1]:
        if not isinstance(refute_by_limits(search.claim, dict(place.sizes), place.part), str):
            return Refutation(search.claim.id, place)
    return Refutation(search.claim.id, places[-1]) if places else None


def _nothing(search: Search) -> Certificate | None:
    """Why there is neither a proof nor a counterexample."""
    if search.reader is None and not search.is_bound:
        return search.unsettled(NOT_RUN)
    if search.fails:
        return search.unsettled(NOT_SHOWN)
    if Determines in search.kinds:
        return search.unsettled(
            "no two inputs with equal statistics and different values were found"
        )
    if Approached in search.kinds:
        return search.unsettled("nothing shows that no parameters come near")
    if search.is_bound:
        if not search.engines.kernel:
            why = "a bound is proved for all sizes, by the kernel, which was not asked"
        else:
            why = f"{search.proof if isinstance(search.proof, str) else ''}{_unused(search.claim)}"
        return search.unsettled(f"no counterexample was found; {why}")
    return None


def _unused(claim: Claim) -> str:
    """Which conditions no proof can use."""
    texts = [text for text in claim.assuming if text not in _hypotheses(claim)]
    if not texts:
        return ""
    return (
        f"; no hypothesis, since it answers True or False instead of at_most(…): {'; '.join(texts)}"
    )


def _argument(search: Search) -> Certificate:
    """Identities at fixed sizes, few of them where the kernel proves all, and what needs a witness."""
    claim, reader, lifted = search.claim, search.reader, search.is_lifted
    if reader is None:
        raise AssertionError("what no engine reads was settled before")
    by: list = list(search.met)
    run = _few(search) if lifted else claim.every_size
    by.append(FixedSizes(reader.name, tuple(map(named, run))))
    others = search.engines.fixed[search.engines.fixed.index(reader) + 1 :]
    for engine in () if lifted else others:
        if few := [s for s in small(run) if terms(in_symbols(reader, claim, s)) <= MOST_TERMS]:
            by.append(FixedSizes(engine.name, tuple(map(named, few))))
    for sizes, found in search.every:
        for part, (statement, _) in enumerate(found):
            if isinstance(statement, Differs) and sizes in run:
                one = difference(claim, sizes, part)
                if one is None:
                    return search.unsettled("no inputs were found for which the two sides differ")
                by.append(one)
    beyond = [] if lifted else next_sizes(claim).values()
    for part in search.parts(Undetermined):
        found = None
        for sizes in (*claim.every_size, *beyond):  # it is said of each of them
            found = collision(claim, [sizes], part, found)
            if found is None:
                why = "no two inputs with equal statistics and different values were found at "
                return search.unsettled(why + sizes_text(sizes))
            by.append(found)
    if lifted and not isinstance(search.proof, str):
        return Argument(claim.id, (*by, search.proof))
    if not search.engines.kernel:
        return Argument(claim.id, tuple(by))
    if isinstance(search.proof, Unsafe):
        return search.unsettled(str(search.proof))
    return Argument(claim.id, tuple(by), str(search.proof))


def _few(search: Search) -> list[dict[str, int]]:
    """The most informative size, and for each comparison one at which there is something to compare."""
    run = most_informative(search.claim)
    for sizes, found in search.every:
        empty = set(range(len(found)))
        for own, others in search.every:
            if own in run:
                empty -= {p for p, (s, _) in enumerate(others) if has_entries(s)}
        if any(has_entries(found[part][0]) for part in empty):
            run.append(sizes)
    return run


STRATEGIES: tuple[Callable[[Search], Certificate | None], ...] = (
    _kernel_alone,
    _where_no_engine_reads,
    _empty,
    _bound,
    _counterexample,
    _without_a_statement,
    _limits,
    _nothing,
    _argument,
)
