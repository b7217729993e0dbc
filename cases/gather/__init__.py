"""Case gather: elements that lie apart, collected in order or at random."""
