"""The source that the rows of this folder speak of."""

from ...language.source import Source

gril = Source(
    "gril",
    "Learning in the Recurrent State: Gradient Descent with Linear Recurrent Networks",
    "2410.11687v3",
)
