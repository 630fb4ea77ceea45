"""Pictures of rows: what the layers do against what is promised."""
