"""Ask who somebody is: passwords, the accounts of this machine, a directory, single sign-on. Knows no jobs."""
