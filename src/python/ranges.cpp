// Byte ranges of files: the data of arrays (python/watari/arrays).
#include "module.hpp"
#include "parameters.hpp"

#include "watari/case/words.hpp"
#include "watari/core/error.hpp"
#include "watari/storage/stores/range_files.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <sys/stat.h>
#include <cerrno>
#include <cstdint>
#include <vector>

namespace {

using namespace watari;
using storage::range_files;

/// Rows of: file, offset, bytes, parts, stride, address.
using rows = nb::ndarray<const std::int64_t, nb::shape<-1, 6>, nb::c_contig, nb::device::cpu>;

std::vector<storage::byte_block> blocks_of(const rows& table) {
    std::vector<storage::byte_block> blocks(table.shape(0));
    const std::int64_t* row = table.data();
    for (storage::byte_block& block : blocks) {
        block = {.file = static_cast<std::size_t>(row[0]),
                 .offset = static_cast<std::uint64_t>(row[1]),
                 .bytes = static_cast<std::size_t>(row[2]),
                 .parts = static_cast<std::size_t>(row[3]),
                 .stride = static_cast<std::size_t>(row[4]),
                 .memory = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(row[5]))};
        row += 6;
    }
    return blocks;
}

void make(range_files* self, const nb::sequence& paths, bool writable, bool past_cache) {
    std::vector<std::string> names;
    reading::convert(paths, names);
    const nb::gil_scoped_release released;
    new (self) range_files(std::move(names),
                           writable ? files::direction::write : files::direction::read, past_cache);
}

nb::list move(const range_files& files, const rows& table, std::uintptr_t memory, std::size_t bytes,
              const std::string& engine, const std::string& processor, std::size_t threads) {
    const std::vector<storage::byte_block> blocks = blocks_of(table);
    const storage::range_use how{.engine = engine,
                                 .who = cases::processor_named(processor),
                                 .memory = {reinterpret_cast<std::byte*>(memory), bytes},
                                 .threads = threads};
    return list_of(without_lock([&] { return files.move(blocks, how); }));
}

/// Bytes of files; of a file that cannot be asked, the number of the error below 0.
std::vector<std::int64_t> file_sizes(const nb::sequence& paths) {
    std::vector<std::string> names;
    reading::convert(paths, names);
    const nb::gil_scoped_release released;
    std::vector<std::int64_t> sizes;
    struct stat status {};
    for (const std::string& name : names)
        sizes.push_back(stat(name.c_str(), &status) == 0 ? status.st_size : -errno);
    return sizes;
}

void bind(nb::module_& module) {
    module.def("file_sizes", file_sizes, nb::arg("paths"),
               "Bytes of files; of a file that cannot be asked, the number of the error below 0.");
    nb::class_<range_files>(module, "RangeFiles",
                            "Open files, whose byte ranges move to or from memory.")
        .def("__init__", make, nb::arg("paths"), nb::arg("writable") = false,
             nb::arg("past_cache") = false)
        .def(
            "sizes",
            [](const range_files& files) {
                nb::list all;
                for (std::size_t i = 0; i < files.count(); ++i) all.append(files.bytes(i));
                return all;
            },
            "Bytes of each file when it was opened.")
        .def("move", move, nb::arg("blocks"), nb::arg("memory"), nb::arg("bytes"),
             nb::arg("engine") = "posix", nb::arg("processor") = "cpu", nb::arg("threads") = 0,
             "Moves blocks (rows of file, offset, bytes, parts, stride, address) to or from "
             "`bytes` bytes at the address `memory`; returns notes.")
        .def("sync", &range_files::sync, nb::call_guard<nb::gil_scoped_release>(),
             "Makes what was written durable.");
}

const binding bindings(bind);

}  // namespace
