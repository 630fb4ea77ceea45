"""Refuting: smallest counterexamples, and the small changes that mend a claim. No verdict rests on what is here."""
