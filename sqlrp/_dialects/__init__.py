"""The SQL of each engine, one file per engine: facts and phrases. A dialect writes text and has no connection."""
