"""Arrays in files of several formats and in object stores: `watari.open` and `watari.create`."""
