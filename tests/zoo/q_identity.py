"""A size is known by which object it is."""

import sys

from .case import questions

FOUR = 4
TEXT = sys.intern("4")

questions(
    at=4,
    a_size_that_is_four=lambda n: 2 if n is FOUR else 1,
    an_address_in_a_table=lambda n: 2 if id(n) in {id(k) for k in (4, 5, 6)} else 1,
    a_text_that_is_another=lambda n: 2 if sys.intern(f"{n}") is TEXT else 1,
    a_list_of_objects_that_holds_the_size=lambda n: 1 + any(n is k for k in [4, 5, 6]),
)
questions(at=300, a_number_too_large_to_be_shared=lambda n: 1 if n + 0 is n else 2)
