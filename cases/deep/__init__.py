"""Case deep: a tree of pointers, deep copy against memory that both processors address."""
