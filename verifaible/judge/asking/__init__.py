"""Asking judge models: replies, budgets, votes."""
