"""The mathematical forms of the fast ops: other ways to evaluate a layer's recurrence over n·C tokens."""
