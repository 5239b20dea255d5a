"""Connections to databases: they read columns and run statements. Every statement of theirs comes from a dialect."""
