"""The pages of judged answers."""
