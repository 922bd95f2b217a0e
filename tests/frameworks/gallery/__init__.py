"""Scripts in the styles of well-known projects, each run unmodified as a sweep of two."""
