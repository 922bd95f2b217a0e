"""Policies of sizes, compared in a simulation of workloads that are made with seeds."""
