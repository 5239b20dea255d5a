"""MySQL."""
