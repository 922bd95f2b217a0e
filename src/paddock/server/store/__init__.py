"""All SQL. One module per noun; every function takes the connection of the transaction of its caller."""
