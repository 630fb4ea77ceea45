"""The source that the rows of this folder speak of: no paper, but what scanproof itself relies on."""

from ...language.source import Source

lanes = Source(
    "lanes", "The forms in which the fast lanes of scanproof evaluate a recurrence", own=True
)
