"""SQL of each engine, one file an engine: facts and phrases. A dialect is pure text and has no connection."""
