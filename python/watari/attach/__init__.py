"""Programs that are not ours: started, moved, watched (`watari try`, `watari trace`)."""
