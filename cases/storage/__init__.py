"""Case storage: blocks of a store by one of several engines."""
