"""What warehouses have in common."""
