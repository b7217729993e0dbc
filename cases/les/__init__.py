"""An urban large-eddy simulation whose city is warmed by the CPU."""
