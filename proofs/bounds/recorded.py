"""A certificate on the tape: written when it is found, and read in place of the search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ..inequalities.certificate import Certificate
from ..inequalities.reading import read
from ..inequalities.statements import Refused
from ..search import tape
from ..search.session import current
from .written import written


def found_or_read(find: Callable[[], Certificate]) -> Certificate:
    """What `find` finds, or the certificate that is on the tape."""

    def search() -> Certificate:
        fields: list[Any] = []

        def make() -> Certificate:
            # What the search rewrites is of no account: a run of its own, that no tape hears.
            with tape.using(cast(Any, None)):
                found = find()
            fields.append(written(found, current().recursions))
            return found

        return tape.lasting("certificate", make, [fields])

    def again(made: list[Certificate]) -> Certificate:
        if not made:
            raise Refused("no certificate is recorded")
        return made[0]

    return tape.choice(search, again)


@tape.redone("certificate")
def _again(fields: Any) -> Certificate:
    (value,) = fields if type(fields) is list else [None]
    session = current()
    return read(value, session.recursions, session.add)
