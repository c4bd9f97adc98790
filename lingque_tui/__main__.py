"""`python -m lingque_tui` is the same as `lingque`."""

from lingque_tui.cli.main import main

if __name__ == "__main__":
    main()
