"""Make, change and end reservations: everything that decides about one is read in the transaction that writes it."""
