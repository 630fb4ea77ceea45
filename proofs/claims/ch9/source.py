"""The source that the rows of this folder speak of."""

from ...language.source import Source

ch9 = Source("ch9", "State-Space Models and Linear Transformers (a textbook chapter)")
