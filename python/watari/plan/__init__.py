"""What a run is asked to measure."""
