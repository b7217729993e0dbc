"""The environment variables of a result file: values where their meaning is known, else the names.

Results are published, and an environment has secrets: a token before a launcher, an address or a
key in a variable of the batch system. So a value is kept only where its variable is known to change
how data move and to hold nothing else.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise

HIDDEN = "***"  # instead of a value

# names that are kept: they concern threads, GPUs, messages or memory
RELEVANT = (
    "OMP_",
    "GOMP_",
    "CUDA_",
    "OMPI_",
    "UCX_",
    "NCCL_",
    "GLIBC_TUNABLES",
    "MALLOC_",
)

KNOWN = {
    "OMP_": "NUM_THREADS PLACES PROC_BIND DYNAMIC SCHEDULE WAIT_POLICY STACKSIZE THREAD_LIMIT "
    "MAX_ACTIVE_LEVELS NESTED TARGET_OFFLOAD DEFAULT_DEVICE CANCELLATION DISPLAY_ENV",
    "GOMP_": "CPU_AFFINITY SPINCOUNT STACKSIZE RTEMS_THREAD_POOLS DEBUG",
    "CUDA_": "VISIBLE_DEVICES DEVICE_ORDER DEVICE_MAX_CONNECTIONS "
    "DEVICE_MAX_COPY_CONNECTIONS MODULE_LOADING MODULE_DATA_LOADING LAUNCH_BLOCKING "
    "MANAGED_FORCE_DEVICE_ALLOC SCALE_LAUNCH_QUEUES AUTO_BOOST DISABLE_PERF_BOOST "
    "FORCE_PTX_JIT DISABLE_PTX_JIT CACHE_DISABLE MPS_ACTIVE_THREAD_PERCENTAGE "
    "MPS_PINNED_DEVICE_MEM_LIMIT VERSION",
    "NCCL_": "ALGO PROTO BUFFSIZE LL_BUFFSIZE NTHREADS MIN_NCHANNELS MAX_NCHANNELS "
    "MIN_P2P_NCHANNELS MAX_P2P_NCHANNELS MIN_CTAS MAX_CTAS CGA_CLUSTER_SIZE P2P_DISABLE "
    "P2P_LEVEL P2P_DIRECT_DISABLE P2P_USE_CUDA_MEMCPY P2P_NET_CHUNKSIZE P2P_PCI_CHUNKSIZE "
    "P2P_NVL_CHUNKSIZE SHM_DISABLE SHM_USE_CUDA_MEMCPY NET_GDR_LEVEL NET_GDR_READ NET_GDR_C2C "
    "NET_SHARED_BUFFERS NET_SHARED_COMMS IB_DISABLE IB_QPS_PER_CONNECTION "
    "IB_SPLIT_DATA_ON_QPS IB_ADAPTIVE_ROUTING IB_PCI_RELAXED_ORDERING IB_TC IB_SL IB_TIMEOUT "
    "IB_RETRY_CNT SOCKET_NTHREADS NSOCKS_PERTHREAD CROSS_NIC PXN_DISABLE PXN_C2C "
    "COLLNET_ENABLE NVLS_ENABLE NVB_DISABLE MNNVL_ENABLE CUMEM_ENABLE CUMEM_HOST_ENABLE "
    "DMABUF_ENABLE LAUNCH_MODE LAUNCH_ORDER_IMPLICIT GRAPH_MIXING_SUPPORT GRAPH_REGISTER "
    "LOCAL_REGISTER LEGACY_CUDA_REGISTER WORK_FIFO_BYTES IGNORE_CPU_AFFINITY "
    "CHECKS_DISABLE VERSION",
    "UCX_": "TLS RNDV_THRESH RNDV_SCHEME RNDV_FRAG_SIZE RNDV_PIPELINE_SEND_THRESH "
    "RNDV_PIPELINE_SHM_ENABLE ZCOPY_THRESH BCOPY_THRESH MEMTYPE_CACHE MAX_RNDV_RAILS "
    "MAX_EAGER_RAILS PROTO_ENABLE PROTO_INFO IB_GPU_DIRECT_RDMA IB_PCI_RELAXED_ORDERING "
    "CUDA_IPC_CACHE CUDA_IPC_ENABLE_MNNVL CUDA_COPY_MAX_REG_RATIO CUDA_COPY_BW "
    "CUDA_COPY_DMABUF REG_NONBLOCK_MEM_TYPES MEMTYPE_REG_WHOLE_ALLOC_TYPES WARN_UNUSED_ENV_VARS",
    "OMPI_MCA_": "pml btl mtl osc coll accelerator smsc mpi_cuda_support opal_cuda_support "
    "btl_vader_single_copy_mechanism btl_sm_use_knem btl_smcuda_use_cuda_ipc "
    "btl_smcuda_cuda_ipc_max_send_size btl_openib_want_cuda_gdr btl_openib_cuda_eager_limit "
    "btl_openib_cuda_rdma_limit pml_ob1_use_early_completion pml_ucx_tls pml_ucx_opal_mem_hooks "
    "pml_ucx_devices coll_cuda_priority coll_hcoll_enable coll_tuned_use_dynamic_rules "
    "coll_tuned_allreduce_algorithm smsc_cma_priority smsc_xpmem_priority mpi_leave_pinned "
    "mpi_yield_when_idle hwloc_base_binding_policy hwloc_base_mem_bind_failure_action "
    "rmaps_base_mapping_policy rmaps_base_oversubscribe",
    "OMPI_": "ALLOW_RUN_AS_ROOT ALLOW_RUN_AS_ROOT_CONFIRM",
    "GLIBC_": "TUNABLES",
    "MALLOC_": "ARENA_MAX ARENA_TEST MMAP_MAX_ MMAP_THRESHOLD_ TOP_PAD_ TRIM_THRESHOLD_ PERTURB_",
}
KEPT = {prefix + word for prefix, words in KNOWN.items() for word in words.split()}

NAMED = re.compile(r"(?<!\w)([A-Za-z_]\w*)=")
OPTION = re.compile(r"(--[a-z][\w-]*=)(.*)", re.DOTALL)
SECRET = re.compile(r"-.*(token|secret|passw|credential|key|auth)", re.IGNORECASE)
SETTERS = ("-genv", "-env", "--genv", "--env")  # of MPICH: NAME VALUE in two words


def kept(variables: Mapping[str, str]) -> dict[str, str]:
    """These variables as a result keeps them."""
    return {
        readable(name): readable(value) if name in KEPT else HIDDEN
        for name, value in variables.items()
    }


def readable(text: str) -> str:
    """A word of the system as text: bytes that are no UTF-8 become question marks."""
    return os.fsencode(text).decode(errors="replace")


def relevant(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that may change a measurement."""
    return {name: value for name, value in variables.items() if name.startswith(RELEVANT)}


def kept_word(word: str) -> str:
    """A word of a launcher with the values of NAME=VALUE that a result keeps. From the first other
    NAME= on, the rest is hidden: only the reader of the word knows where a value ends."""
    if option := OPTION.fullmatch(word):
        name, value = option.groups()
        return name + (HIDDEN if SECRET.match(name) else kept_word(value))
    for match in NAMED.finditer(word):
        if match[1] not in KEPT:
            return word[: match.end()] + HIDDEN
    return word


def kept_words(words: Sequence[str]) -> list[str]:
    """The words of a launcher as a result keeps them."""
    shown = [kept_word(word) for word in words]
    for index, (before, word) in enumerate(pairwise(words), 1):
        if before in SETTERS and word not in KEPT and index + 1 < len(words):
            shown[index + 1] = HIDDEN
        elif SECRET.match(before) and "=" not in before:
            shown[index] = HIDDEN
    return shown


def kept_launcher(template: str) -> str:
    """A launcher as given, as a result keeps it."""
    return readable(" ".join(quoted(word) for word in kept_words(shlex.split(template))))


def quoted(word: str) -> str:
    """The word as shlex.split reads it back; *** and {ranks} need no quotes for that."""
    return word if re.fullmatch(r"[\w@%+=:,./{}*-]+", word) else shlex.quote(word)


def kept_command(words: Sequence[str]) -> str:
    """A command line as a result keeps it."""
    shown, option = list(words), "--launcher"
    for index, word in enumerate(words):
        if index and words[index - 1] == option:
            shown[index] = kept_launcher(word)
        elif word.startswith(f"{option}="):
            shown[index] = f"{option}={kept_launcher(word.partition('=')[2])}"
    return readable(shlex.join(shown))
