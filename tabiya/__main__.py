"""`python -m tabiya` is the `tabiya` command."""

from tabiya.cli.main import main

if __name__ == "__main__":
    main()
