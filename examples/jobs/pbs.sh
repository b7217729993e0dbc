#!/bin/bash
# A plan on several hosts by PBS and Open MPI, one rank a GPU:
#   qsub -v PLAN=nvlink-openacc-nodes -l select=2:mpiprocs=4:ngpus=4 examples/jobs/pbs.sh
# Submitted again it resumes: the result is <plan>-<nodes>.json, in the folder of qsub, which all hosts see.
#PBS -N watari
#PBS -l walltime=01:00:00
set -eu
cd "$PBS_O_WORKDIR"
plan=${PLAN:?name a plan: watari list plans}
name=$(basename "$plan" .toml)
output=$PWD/$name-$(sort -u "$PBS_NODEFILE" | wc -l).json

resume=()
if [[ -f $output ]]; then resume=(--resume "$output"); fi
watari run --plan "$plan" --launcher "mpirun -n {ranks} --hostfile $PBS_NODEFILE" --budget "${BUDGET:-50min}" \
    -o "$output" "${resume[@]}"
