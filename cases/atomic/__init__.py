"""Case atomic: threads that add to counters which they share."""
