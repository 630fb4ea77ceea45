"""The mathematical forms of the fast lanes: other ways to evaluate a layer's recurrence over n·C tokens."""
