"""Run allocations as pods of a Kubernetes cluster, through kubectl."""
