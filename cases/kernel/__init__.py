"""Case kernel: a kernel that the user wrote, over every kind of memory."""
