"""What everything else stands on: errors, numbers, the portable draw, sources."""
