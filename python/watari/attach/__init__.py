"""Users' programs: started, run in each memory style, traced (`watari try`, `watari trace`)."""
