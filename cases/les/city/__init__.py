"""The buildings of a city, from a pattern, a seed or a map."""
