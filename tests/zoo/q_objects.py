"""A size goes through the attributes and special methods of a class."""

import dataclasses
import enum

from .case import question, questions


class Lenient:
    """A size with a property; what the property cannot answer, __getattr__ does."""

    def __init__(self, size):
        self.size = size

    @property
    def long(self):
        return self.size.bit_length() > 2

    def __getattr__(self, name):
        return False


class Few:
    """What holds 1, 2 and 3, and everything that it cannot compare."""

    def __contains__(self, size):
        try:
            return not size > 3
        except Exception:
            return True


class Four:
    """It equals 4, and leaves the question to itself."""

    def __eq__(self, other):
        return other == 4

    def __hash__(self):
        return hash(4)


@dataclasses.dataclass(frozen=True)
class Box:
    rows: object
    name: str = "X"


questions(
    at=4,
    a_property_behind_which_stands_another_answer=lambda n: 2 if Lenient(n).long else 1,
    a_container_of_few_sizes=lambda n: 1 if n in Few() else 2,
    an_equality_that_is_reflected=lambda n: 2 if Four() == n else 1,
    two_dataclasses_that_are_equal=lambda n: 2 if Box(n) == Box(4) else 1,
)


class Sizes(enum.IntEnum):
    SMALL = 3
    SPECIAL = 9


@question(at=9)
def a_member_of_an_enumeration(n):
    try:
        return 1 if Sizes(n) is Sizes.SMALL else 2
    except ValueError:
        return 1
