"""Saved projections, materialized tables and functions in a database."""
