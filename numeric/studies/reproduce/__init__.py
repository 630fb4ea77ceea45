"""The sources' tables and figures: printed numbers beside exact expected losses and beside models trained here."""
