"""Forms of verbs, where the rules look for them."""

from verifaible.judge.claims.words import PAST, THIRD_PERSON

__all__ = ["PAST", "THIRD_PERSON"]
