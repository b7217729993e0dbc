# shellcheck shell=bash disable=SC2034,SC2154
# The job of case kernel on a GPU machine, for scripts/gpu_jobs.sh.

# job kernels 230 - cases/kernel/README.md: kernels in every memory with their checks, beside access with the same bytes
# then one trial of each case in turn; the stencil moves the bytes of access
job_kernels() {
    run kernels-saxpy 25 kernel source=examples/kernel/saxpy.cu check=examples/kernel/checks.py:saxpy memory=device,pinned,managed size=64MiB trials=1 samples=5
    run kernels-gather 25 kernel source=examples/kernel/gather.cu check=examples/kernel/checks.py:gather memory=device,pinned,managed size=64MiB trials=1 samples=5
    run kernels-stencil 25 kernel source=examples/kernel/stencil.cu check=examples/kernel/checks.py:stencil memory=device,pinned,managed size=64MiB trials=1 samples=5
    run_cases kernels-alternated 150 <<'EOF'
[defaults]
size = "1GiB"
trials = 3
samples = 20
[[case]]
case = "kernel"
source = ["examples/kernel/stencil.cu", "examples/kernel/saxpy.cu", "examples/kernel/gather.cu"]
memory = ["device", "pinned", "managed"]
[[case]]
case = "access"
processor = "gpu"
memory = "managed"
[[case]]
case = "access"
processor = "gpu"
memory = "explicit"
source = ["gpu", "cpu"]
destination = ["gpu", "cpu"]
EOF
}
