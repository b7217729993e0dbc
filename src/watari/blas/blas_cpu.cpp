// OpenBLAS, loaded on demand. The declarations here are the stable C interface of CBLAS and a few
// functions of OpenBLAS.
#include "watari/blas/libraries.hpp"
#include "watari/core/error.hpp"
#include "watari/core/loaded/shared_object.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/thread_team.hpp"
#include "watari/memory/host.hpp"
#include "watari/memory/room.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace watari::blas {

namespace {

namespace fs = std::filesystem;

/// A build of OpenBLAS: the beginning of its file name, and the prefix and suffix of its symbols.
struct build {
    const char *file, *before, *after;
    bool wide;  ///< 64-bit integers
};

constexpr build of_the_system{"libopenblas.so.0", "", "", false};
constexpr build of_numpy[] = {
    {"libscipy_openblas64_-", "scipy_", "64_", true},  // NumPy 2
    {"libopenblas64_p-", "", "64_", true},             // NumPy 1
};

// buffer_bytes: of a thread, BUFFER_SIZE in OpenBLAS's common_x86_64.h, more than other processors
// have. library_bytes: the segments of the library, and the memory of its thread that starts the
// others.
constexpr std::size_t buffer_bytes = std::size_t{128} << 20, library_bytes = std::size_t{48} << 20;
constexpr const char* fewer = "choose a larger limit, or fewer threads (taskset)";

std::atomic<std::size_t> taken_addresses{0};  ///< address space that the load took
std::atomic<int> warm_threads{0};             ///< threads that have their buffers

int own_threads() { return static_cast<int>(cpu::own_cpus().size()); }

struct library {
    library_facts facts;
    bool wide = false;
    void *sgemm = nullptr, *dgemm = nullptr;
    const char* (*config)() = nullptr;
    void (*set_threads)(int) = nullptr;
    int (*get_threads)() = nullptr;
    int (*parallel)() = nullptr;  ///< 2: by OpenMP, which has a number of threads for each caller
};

constexpr int by_openmp = 2;

library bind(const shared_object& object, const build& from, const std::string& file) {
    library found{.facts = {object.why_not, "", file}, .wide = from.wide};
    if (!object.handle) return found;
    const auto get = [&](const char* name, auto& function) {
        find_function(object, file, from.before + std::string(name) + from.after, function,
                      found.facts.why_not);
    };
    get("cblas_sgemm", found.sgemm);
    get("cblas_dgemm", found.dgemm);
    get("openblas_get_config", found.config);
    get("openblas_set_num_threads", found.set_threads);
    get("openblas_get_num_threads", found.get_threads);
    get("openblas_get_parallel", found.parallel);
    if (!found.facts.why_not.empty()) return found;
    const std::string config = found.config();  // "OpenBLAS 0.3.21 DYNAMIC_ARCH ..."
    found.facts.version = config.substr(0, config.find(' ', config.find(' ') + 1));
    return found;
}

library load(const std::string& folder) try {
    memory::require_addresses(openblas_addresses(own_threads()), "OpenBLAS", fewer);
    const std::size_t before = memory::host::addresses_left();
    library system = bind(load_part(of_the_system.file), of_the_system, of_the_system.file);
    taken_addresses = before - std::min(before, memory::host::addresses_left());
    if (system.facts.why_not.empty()) return system;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(folder), none))
        for (const build& from : of_numpy) {
            const std::string name = entry.path().filename();
            if (!name.starts_with(from.file)) continue;
            library numpy = bind(load_part(name, folder), from, entry.path());
            taken_addresses = before - std::min(before, memory::host::addresses_left());
            if (numpy.facts.why_not.empty()) return numpy;
            system.facts.why_not += "; " + numpy.facts.why_not;
        }
    system.facts.why_not += "; NumPy's OpenBLAS " +
                            (folder.empty() ? "was not named" : "is not usable in " + folder) +
                            ". The package libopenblas0-pthread has it";
    return system;
} catch (const beyond_memory& limit) {
    return {.facts = {limit.what(), "", ""}};
}

/// Runs `work` in a thread that may run on every CPU. OpenBLAS's threads inherit the CPUs of the
/// thread that creates them, and OpenMP has bound the first thread to one core.
template <class Work>
void unbound(Work work) {
    std::thread([&] {
        measure::unbind();
        work();
    }).join();
}

/// The library. It is loaded once; after a failure the next call tries again.
library openblas() {
    static std::mutex one_at_a_time;
    static std::optional<library> loaded;
    const std::lock_guard lock(one_at_a_time);
    if (!loaded || !loaded->facts.why_not.empty()) unbound([] { loaded = load(numpy_folder()); });
    return *loaded;
}

template <class Integer, class Element>
using gemm_function = void (*)(int, int, int, Integer, Integer, Integer, Element, const Element*,
                               Integer, const Element*, Integer, Element, Element*, Integer);

constexpr int row_major = 101, as_it_is = 111, transposed = 112;  // CblasRowMajor, CblasNoTrans

class openblas_products final : public products {
public:
    openblas_products(precision type, int threads)
        : library_(openblas()), type_(type), threads_(threads) {
        if (!library_.facts.why_not.empty())
            throw unsupported("OpenBLAS: " + library_.facts.why_not);
        const bool limited = memory::host::addresses_left() < SIZE_MAX;
        unbound([&] { library_.set_threads(threads_); });
        if (limited && warm_threads < threads_) warm();
    }

    void multiply(std::size_t m, std::size_t n, std::size_t k, double alpha, const factor& a,
                  const factor& b, double beta, void* c, std::size_t ldc) override {
        if (library_.parallel() == by_openmp) library_.set_threads(threads_);
        if (alpha == 0) k = 0;  // its kernels for small matrices would still read A and B
        const auto call = [&]<class Integer, class Element>(Integer, Element) {
            const auto integer = [](std::size_t value) {
                if (value > static_cast<std::size_t>(std::numeric_limits<Integer>::max()))
                    throw usage_error("this OpenBLAS has 32-bit integers: " +
                                      std::to_string(value) + " is beyond them");
                return static_cast<Integer>(value);
            };
            const auto gemm = reinterpret_cast<gemm_function<Integer, Element>>(
                type_ == precision::single_precision ? library_.sgemm : library_.dgemm);
            const std::size_t least = 1;  // of a leading dimension, also where there is no element
            gemm(row_major, a.transposed ? transposed : as_it_is,
                 b.transposed ? transposed : as_it_is, integer(m), integer(n), integer(k),
                 static_cast<Element>(alpha), static_cast<const Element*>(a.data),
                 integer(std::max(a.leading, least)), static_cast<const Element*>(b.data),
                 integer(std::max(b.leading, least)), static_cast<Element>(beta),
                 static_cast<Element*>(c), integer(std::max(ldc, least)));
        };
        const bool single_precision = type_ == precision::single_precision;
        if (library_.wide)
            single_precision ? call(std::int64_t{}, float{}) : call(std::int64_t{}, double{});
        else
            single_precision ? call(int{}, float{}) : call(int{}, double{});
    }

    std::string name() const override {
        const int threads = library_.get_threads();
        return library_.facts.version + ", " + std::to_string(threads) +
               (threads == 1 ? " thread" : " threads");
    }

private:
    /// Runs a product: each thread allocates its buffer in its first product.
    void warm() {
        constexpr std::size_t n = 512;
        const std::size_t edge = n * element_bytes(type_);
        std::vector<std::byte> a(n * edge), b(n * edge), c(n * edge);
        multiply(n, n, n, 1, {a.data(), n}, {b.data(), n}, 0, c.data(), n);
        warm_threads = threads_;
    }

    const library library_;
    const precision type_;
    const int threads_;
};

}  // namespace

library_facts openblas_library() { return openblas().facts; }

std::size_t openblas_addresses(int threads) {
    if (warm_threads >= threads) return 0;
    const auto count = static_cast<std::size_t>(threads);
    const std::size_t all = library_bytes + count * (buffer_bytes + memory::host::stack_bytes());
    return std::max(buffer_bytes, all - std::min<std::size_t>(all, taken_addresses));
}

std::unique_ptr<products> make_openblas(precision type, int threads) {
    return std::make_unique<openblas_products>(type, threads);
}

}  // namespace watari::blas
