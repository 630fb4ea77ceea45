"""Pictures of rows: what the layers do against the bounds on them."""
