"""The road from a projection to rows: bind, plan, run; in a database, in memory, lazily."""
