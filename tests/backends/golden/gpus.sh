#!/bin/bash
#SBATCH --job-name=paddock-k3v9x2ab-a1
#SBATCH --comment=paddock:k3v9x2ab-a1
#SBATCH --array=0-49
#SBATCH --partition=volta,ampere
#SBATCH --account=ml
#SBATCH --qos=high
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --gres=gpu:v100:2
#SBATCH --mem=32768M
#SBATCH --time=1-12:00:00
#SBATCH --nice=100
#SBATCH --chdir=/home/ann/.paddock/jobs/k3v9x2ab/allocations
#SBATCH --signal=B:USR1@120
#SBATCH --output=/home/ann/.paddock/jobs/k3v9x2ab/allocations/k3v9x2ab-a1.%a/out.log
#SBATCH --open-mode=append
#SBATCH --no-requeue

folder=/home/ann/.paddock/jobs/k3v9x2ab/allocations/k3v9x2ab-a1."$SLURM_ARRAY_TASK_ID"
echo "$SLURM_ARRAY_JOB_ID" > "$folder/slurm_id"  # that it has started, should its submitter not know
cd "$folder" || exit 1
exec /opt/python/bin/python3 -I -S /home/ann/.paddock/runners/0a1b.pyz "$folder"
