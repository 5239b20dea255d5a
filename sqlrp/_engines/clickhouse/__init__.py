"""ClickHouse, and chdb."""
