"""The agent: hands of a server where it has none, as another person or on another machine."""
