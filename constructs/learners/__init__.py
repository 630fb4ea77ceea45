"""The explicit learners: what a construction is supposed to do to the examples in its context."""
