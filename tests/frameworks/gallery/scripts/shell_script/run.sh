#!/usr/bin/env bash
# Settings come from the environment; `[[` and arrays need bash.
set -euo pipefail
steps=(1 2 3 4)
: "${LR:=0.1}"
weight=5
for epoch in "${steps[@]}"; do
    weight=$(awk -v w="$weight" -v lr="$LR" 'BEGIN { printf "%.8f", w - lr * 2 * w }')
    loss=$(awk -v w="$weight" 'BEGIN { printf "%.4f", w * w }')
    if [[ -n "$loss" ]]; then
        echo "epoch $epoch: loss=$loss"
    fi
done
