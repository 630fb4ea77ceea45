"""The source that the rows of this folder speak of."""

from ...language.source import Source

ssd = Source(
    "ssd", "In-Context Stochastic Gradient Descent with Hybrid Mamba-2 and Linear Self-Attention"
)
