"""The source that the rows of this folder speak of."""

from ...language.source import Source

gd_ssm = Source(
    "gd-ssm", "State-space models can learn in-context by gradient descent", "2410.11687v2"
)
