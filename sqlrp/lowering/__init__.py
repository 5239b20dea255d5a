"""How stages become SQL: the planner and the lowerings that it chooses from."""
