"""Redshift."""
