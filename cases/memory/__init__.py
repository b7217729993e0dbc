"""Cases copy, access, migration and touch: paths between memories."""
