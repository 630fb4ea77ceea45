"""The source that the rows of this folder speak of."""

from ...language.source import Source

open_questions = Source("open", "Questions that the sources leave open", own=True)
