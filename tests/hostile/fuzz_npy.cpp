// Heads of .npy files, for libFuzzer or fuzz_driver.cpp: `files::read_npy` of any bytes returns a
// matrix that lies within the file, or throws file_error.
#include "watari/core/error.hpp"
#include "watari/files/matrices/npy.hpp"

#include "fuzz_file.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::file file("npy");
    file.hold(data, size);
    try {
        const watari::files::npy_matrix found = watari::files::read_npy(file.path());
        const auto& where = found.where;
        if (where.rows == 0 || where.columns == 0 || where.offset > size) std::abort();
        const std::size_t elements = (size - where.offset) / watari::element_bytes(found.type);
        if (where.columns > elements || where.rows > elements / where.columns) std::abort();
    } catch (const watari::file_error&) {
    }
    return 0;
}
