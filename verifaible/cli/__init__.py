"""The command line: each command calls the method of :class:`verifaible.Verifaible` that has its name."""


def main() -> None:
    """The program ``verifaible``; its commands are imported when one of them runs."""
    from verifaible.cli.program import verifaible
    from verifaible.console.output import guarded

    guarded(verifaible)
