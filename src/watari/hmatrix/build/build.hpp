/// Builds the matrix of a surface into a file, by all threads, chunk after chunk of leaves. The
/// leaves in memory are those of a few chunks, whatever the size of the matrix. The file's bytes do
/// not depend on threads or chunks; a build that was stopped or killed is resumed.
#pragma once

#include "watari/hmatrix/build/leaf.hpp"
#include "watari/hmatrix/file/format.hpp"

#include <functional>
#include <string>

namespace watari::hmatrix {

/// Seconds of the thread that passes leaves from their makers to the writer.
struct build_parts {
    double preparing = 0;  ///< leaves, norm, memory
    double making = 0;     ///< waiting for leaves
    double writing = 0;    ///< waiting until the chunk before is written
    double finishing = 0;  ///< the last leaves, the index
};

struct build_counts {
    double seconds = 0;
    build_parts parts{};
    std::size_t leaves = 0, resumed = 0;  ///< all leaves; those of an earlier run
    std::size_t low_rank = 0;             ///< of this run, like the next four
    std::size_t dense_instead = 0;        ///< admissible leaves that take less as dense ones
    std::size_t highest_rank = 0;
    std::size_t went_on = 0;    ///< times that ACA was continued from a reference
    std::uint64_t entries = 0;  ///< computed entries
    std::uint64_t file_bytes = 0;
    bool stopped = false;
};

identity identity_of(const surface& of, const build_options& how);

/// Calls `progress` between chunks, with the completed part of all entries; false stops the build.
/// Throws usage_error, file_error.
build_counts build(const surface& of, const matrix_paths& paths, const build_options& how,
                   const std::function<bool(double part)>& progress = {});

}  // namespace watari::hmatrix
