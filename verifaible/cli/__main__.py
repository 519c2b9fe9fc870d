"""``python -m verifaible.cli``: the program ``verifaible``."""

from verifaible.cli import main

if __name__ == "__main__":
    main()
