"""Used by every part: errors, files, locks, interrupts, progress."""
