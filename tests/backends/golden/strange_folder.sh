#!/bin/bash
#SBATCH --job-name=paddock-k3v9x2ab-a1
#SBATCH --comment=paddock:k3v9x2ab-a1
#SBATCH --array=0-0
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=1
#SBATCH --chdir="/home/ann b/it's 100%/ü $(x)"
#SBATCH --signal=B:USR1@60
#SBATCH --output="/home/ann b/it's 100%%/ü $(x)/a1.%a/out.log"
#SBATCH --open-mode=append
#SBATCH --no-requeue

folder='/home/ann b/it'"'"'s 100%/ü $(x)/a1'."$SLURM_ARRAY_TASK_ID"
echo "$SLURM_ARRAY_JOB_ID" > "$folder/slurm_id"  # that it has started, should its submitter not know
cd "$folder" || exit 1
exec /opt/python/bin/python3 -I -S /home/ann/.paddock/runners/0a1b.pyz "$folder"
