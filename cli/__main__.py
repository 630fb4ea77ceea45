"""`python -m scanproof` is the command `scanproof`."""

from scanproof._main import main

if __name__ == "__main__":
    main()
