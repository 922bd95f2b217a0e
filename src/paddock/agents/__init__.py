"""Act as another person or on another machine, through an agent there. Knows no jobs and no database."""
