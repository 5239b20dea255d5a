"""The engines: one folder or file each, and their registry."""
