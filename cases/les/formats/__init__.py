"""The files of `watari wind`, a module for each program that reads them."""
