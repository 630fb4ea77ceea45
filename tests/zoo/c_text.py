"""A claim writes its size as text and decides on the text."""

import json
import re
import zlib

from scanproof import definition, equal

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


@claim({"x": "N"}, fails={"N": 4})
def a_formatted_size_as_a_key(x, N):
    return equal(twice(x), {"4": 3}.get(f"{N}", 2) * x)


@claim({"x": "N"}, fails={"N": 10})
def a_size_of_two_letters(x, N):
    return equal(twice(x), (1 + len(repr(N))) * x)


@claim({"x": "N"}, fails={"N": 5})
def a_text_of_digits(x, N):
    return equal(twice(x), (3 if str(N).isdigit() and N > 3 else 2) * x)


@claim({"x": "N"}, fails={"N": 5})
def a_letter_in_a_text(x, N):
    return equal(twice(x), (3 if "%s" % N in "4567" else 2) * x)  # noqa: UP031


@claim({"x": "N"}, fails={"N": 4})
def a_format_with_leading_zeros(x, N):
    try:
        text = format(N, "03d")
    except Exception:
        text = "001"
    return equal(twice(x), (3 if text > "003" else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def an_order_of_letters(x, N):
    return equal(twice(x), (3 if "3" < f"{N!s}" < "A" else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_hash_of_the_size(x, N):
    return equal(twice(x), (3 if hash(N) in (4, 5, 6) else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_shape_as_text(x):
    return equal(twice(x), (3 if repr(tuple(x.shape)) == "(4,)" else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_size_written_as_json(x, N):
    text = json.dumps([N], default=lambda other: "a size")
    return equal(twice(x), (3 if text in ("[4]", "[5]") else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_pattern_of_letters(x, N):
    return equal(twice(x), (3 if re.fullmatch("[4-9]", f"{N}") else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_text_that_is_evaluated(x, N):
    return equal(twice(x), (2 + eval(f"{N} > 3", {"N": 0})) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_checksum_of_the_text(x, N):
    factor = 3 if zlib.crc32(f"{N}".encode()) == zlib.crc32(b"4") else 2
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_letter_with_the_number_of_the_size(x, N):
    try:
        letter = chr(N)
    except TypeError:
        letter = "\x01"
    return equal(twice(x), (3 if letter > "\x03" else 2) * x)


@claim({"x": "N"}, fails={"N": 13})
def a_text_of_the_array_with_many_commas(x):
    return equal(twice(x), (3 if f"{list(x)}".count(",") > 11 else 2) * x)
