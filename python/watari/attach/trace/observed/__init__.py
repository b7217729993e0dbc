"""What a trace shows: touches, placements, phases, findings, and the timeline."""
