"""Case latency: nanoseconds of a load that needs the one before."""
