"""What a database keeps: saved projections, tables that are kept up to date, functions."""
