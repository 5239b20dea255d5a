"""The steps from a projection to rows: bind, plan and run, in a database, in memory or lazily."""
