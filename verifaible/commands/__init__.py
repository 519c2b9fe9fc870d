"""The commands of ``verifaible``, by what they do; ``verifaible.cli`` puts them together."""
