"""The base of every other package: errors, types of numbers, the portable draw, sources."""
