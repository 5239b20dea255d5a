"""Connections to databases. They read columns and run statements, and a dialect writes every statement of their own."""
