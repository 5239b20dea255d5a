"""SQL that ships as SQL: the named blocks of the relational lowering, and what installs with no Python."""
