"""What this machine is and has."""
