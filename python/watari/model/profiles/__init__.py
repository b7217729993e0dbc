"""Where the profile of a machine comes from: results, published values, another machine, a file."""
