"""What every part uses: errors, files, locks, interrupts, progress."""
