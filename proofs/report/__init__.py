"""Reports: one dictionary (see `report.schema.json`), printed for people, programs and papers."""
