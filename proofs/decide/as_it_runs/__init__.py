"""Programs run as people run them, beside what is read of them: two that give different numbers are not equal."""
