#!/bin/bash
# A plan on several hosts by Slurm, one rank a GPU:
#   sbatch --nodes=2 examples/jobs/slurm.sh nvlink-openacc-nodes
# Submitted again it resumes: the result is <plan>-<nodes>.json, in the folder of sbatch, which all hosts see.
#SBATCH --job-name=watari
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --time=01:00:00
set -eu
plan=${1:?name a plan: watari list plans}
name=$(basename "$plan" .toml)
output=$PWD/$name-$SLURM_JOB_NUM_NODES.json

resume=()
if [[ -f $output ]]; then resume=(--resume "$output"); fi
watari run --plan "$plan" --launcher "srun --ntasks={ranks} --distribution=block" --budget "${BUDGET:-50min}" \
    -o "$output" "${resume[@]}"
