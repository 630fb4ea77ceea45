"""Reading data files that may be anything: regular files of limited size, strict JSON."""
