"""How the policy deals GPUs, in a simulation that calls the very function that the engine calls."""
