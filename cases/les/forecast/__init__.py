"""The time of a touch in each style, from measured rates and from its measured parts."""
