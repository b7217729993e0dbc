"""The graph of a traced process, its replay, and what a replay cannot know."""
