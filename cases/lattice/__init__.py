"""Case lattice: the CCS QCD solver in several memory styles."""
