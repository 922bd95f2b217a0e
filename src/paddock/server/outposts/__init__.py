"""Where the folders of jobs lie: in the server's home, or in the home of the person as whom a job runs."""
