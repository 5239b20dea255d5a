"""The planner and the lowerings that it chooses from: they turn stages into SQL."""
