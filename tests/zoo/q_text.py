"""A size is written as text, and the text is read."""

import json
import re
import zlib

from .case import question, question_of_an_array, question_of_two, questions

questions(
    at=4,
    a_formatted_size_as_a_key=lambda n: {"4": 2}.get(f"{n}", 1),
    a_text_of_digits=lambda n: 2 if str(n).isdigit() and n > 3 else 1,
    a_letter_in_a_text=lambda n: 2 if "%s" % n in "4567" else 1,
    an_order_of_letters=lambda n: 2 if "3" < f"{n!s}" < "A" else 1,
    a_hash_of_the_size=lambda n: 2 if hash(n) in (4, 5, 6) else 1,
    a_size_written_as_json=lambda n: 2 if json.dumps([n], default=str) in ("[4]", "[5]") else 1,
    a_pattern_of_letters=lambda n: 2 if re.fullmatch("[4-9]", f"{n}") else 1,
    a_comparison_that_is_evaluated=lambda n: 1 + eval(f"{n} > 3", {"N": 0, "T": 0}),
    a_text_that_is_evaluated=lambda n: max(1, eval(str(n), {"N": 1, "T": 1}) - 2),
    a_checksum_of_the_text=lambda n: 2 if zlib.crc32(f"{n}".encode()) == zlib.crc32(b"4") else 1,
    a_keyword_named_after_the_size=lambda n: dict(**{f"rows_{n}": 2}).get("rows_4", 1),
)
questions(at=10, a_number_of_digits=lambda n: len(repr(n)))


@question(at=6)
def code_that_is_executed(n):
    names = {"n": n, "scale": 1}
    exec("if n == 6:\n    scale = 6", names)
    return names["scale"]


@question_of_an_array(at=4)
def a_shape_as_text(x):
    return 2 if repr(tuple(x.shape)) == "(4,)" else 1


@question_of_an_array(at=13)
def a_text_of_the_array_with_many_commas(x):
    return 2 if f"{list(x)}".count(",") > 11 else 1


@question_of_two(at=(5, 1))
def a_formatted_shape(n, m):
    return {"5x1": 0}.get(f"{n}x{m}", 1)
