"""Spark, with Delta and Parquet tables."""
