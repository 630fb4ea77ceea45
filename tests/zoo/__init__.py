"""False statements, each with a size at which it fails, that hide from whoever reads them with symbols for sizes."""
