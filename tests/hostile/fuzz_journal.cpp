// Journals of products, for libFuzzer or fuzz_driver.cpp: `journal::read` of any bytes returns the
// contents of a journal, or throws file_error. Returned contents can be stored and read again.
#include "watari/core/error.hpp"
#include "watari/gemm/product/journal.hpp"

#include "fuzz_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <optional>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using watari::gemm::journal;
    static const fuzz::file file("journal");
    file.hold(data, size);
    std::optional<journal::contents> found;
    try {
        found = journal::read(file.path());
    } catch (const watari::file_error&) {
    }
    if (!found) return 0;
    { const journal stored(file.path(), *found); }
    const auto again = journal::read(file.path());  // an error of this one breaks the promise
    if (!again || again->inode != found->inode || again->product != found->product ||
        again->tiles != found->tiles)
        std::abort();
    return 0;
}
