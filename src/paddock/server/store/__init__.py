"""All that speaks SQL. One module a noun; every function takes the connection of the caller's transaction."""
