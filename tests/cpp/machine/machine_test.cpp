// The machine description, as far as it can be checked without a GPU.
#include "watari/comm/capabilities.hpp"
#include "watari/files/uring/uring_reason.hpp"
#include "watari/machine/capability.hpp"
#include "watari/machine/gpus.hpp"
#include "watari/machine/topology.hpp"
#include "watari/storage/capabilities.hpp"

#include <algorithm>
#include <cerrno>

#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using namespace watari;

TEST(topology, agrees_with_sysconf) {
    const machine::topology here = machine::read_topology();
    // hwloc sees only what the process may use; sysconf counts all that are online.
    EXPECT_GE(here.threads, 1);
    EXPECT_LE(here.threads, sysconf(_SC_NPROCESSORS_ONLN));
    EXPECT_GE(here.packages, 1);
    EXPECT_GE(here.cores, here.packages);
    EXPECT_LE(here.cores, here.threads);
    EXPECT_FALSE(here.architecture.empty());
}

TEST(topology, numa_nodes_hold_the_memory_and_the_cpus) {
    const machine::topology here = machine::read_topology();
    if (here.numa_nodes.empty()) {
        GTEST_SKIP() << "this kernel shows no NUMA nodes";
    }
    // The number of bytes is not checked: virtual machines grow meanwhile.
    EXPECT_TRUE(std::ranges::any_of(
        here.numa_nodes, [](const auto& node) { return node.bytes > 0 && !node.cpus.empty(); }));
}

TEST(topology, caches_are_ordered_and_counted) {
    int last = 0;
    for (const auto& cache : machine::read_topology().caches) {
        EXPECT_GE(cache.level, last);
        EXPECT_GE(cache.count, 1);
        EXPECT_TRUE(cache.kind == "data" || cache.kind == "instruction" || cache.kind == "unified")
            << cache.kind;
        last = cache.level;
    }
}

TEST(gpus, none_comes_with_a_reason) {
    const machine::gpu_list found = machine::read_gpus();
    EXPECT_EQ(found.gpus.empty(), !found.reason.empty());
    EXPECT_EQ(found.peers.size(), found.gpus.size());
}

TEST(gpus, every_gpu_tells_its_memory_and_attributes) {
    for (const auto& gpu : machine::read_gpus().gpus) {
        EXPECT_GT(gpu.memory_bytes, 0u);
        EXPECT_GT(gpu.multiprocessors, 0);
        EXPECT_NE(gpu.compute_capability.find('.'), std::string::npos);
        EXPECT_TRUE(std::ranges::any_of(
            gpu.attributes, [](const auto& row) { return row.first == "pageableMemoryAccess"; }));
    }
}

TEST(capabilities, what_is_missing_says_why) {
    for (const auto& rows :
         {machine::capabilities(), comm::capabilities(), storage::capabilities()}) {
        for (const auto& row : rows) {
            EXPECT_FALSE(row.name.empty());
            EXPECT_EQ(row.available, row.reason.empty()) << row.name << ": " << row.reason;
            if (row.name == "cuda-aware-mpi") {
                EXPECT_EQ(row.available, !row.detail.empty());
            }
        }
    }
}

TEST(io_uring, refusal_is_explained) {
    EXPECT_NE(files::io_uring_reason(ENOSYS, std::nullopt).find("no io_uring"), std::string::npos);
    EXPECT_NE(files::io_uring_reason(EPERM, 2).find("io_uring_disabled = 2"), std::string::npos);
    EXPECT_NE(files::io_uring_reason(EPERM, 0).find("seccomp"), std::string::npos);
    EXPECT_NE(files::io_uring_reason(ENOMEM, std::nullopt).find("ulimit"), std::string::npos);
    EXPECT_FALSE(files::io_uring_reason(EMFILE, std::nullopt).empty());
}

}  // namespace
