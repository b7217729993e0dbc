// cuBLAS, loaded on demand. The declarations here are its stable C interface (cublas_api.h of CUDA
// 12 and 13).
#include "watari/blas/libraries.hpp"
#include "watari/core/cuda.hpp"
#include "watari/core/device.hpp"
#include "watari/core/loaded/shared_object.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <vector>

namespace watari::blas {

namespace {

constexpr int as_it_is = 0, transposed = 1;  // CUBLAS_OP_N, CUBLAS_OP_T
constexpr int default_math = 0;              // CUBLAS_DEFAULT_MATH: FP32 is computed in FP32
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what cuBLAS takes on Hopper

template <class Element>
using gemm_function = int (*)(void*, int, int, std::int64_t, std::int64_t, std::int64_t,
                              const Element*, const Element*, std::int64_t, const Element*,
                              std::int64_t, const Element*, Element*, std::int64_t);

struct library {
    library_facts facts;
    int (*create)(void**) = nullptr;
    int (*destroy)(void*) = nullptr;
    int (*version)(void*, int*) = nullptr;
    int (*set_stream)(void*, stream_t) = nullptr;
    int (*set_workspace)(void*, void*, std::size_t) = nullptr;
    int (*set_math_mode)(void*, int) = nullptr;
    const char* (*text)(int) = nullptr;
    gemm_function<float> sgemm = nullptr;
    gemm_function<double> dgemm = nullptr;

    void check(int status, const char* call) const {
        if (status != 0) throw gpu_error(std::string(call) + ": " + text(status));
    }
};

library bind(const shared_object& object, const std::string& file) {
    library found{.facts = {object.why_not, "", file}};
    if (!object.handle) return found;
    const auto get = [&](const char* name, auto& function) {
        find_function(object, file, name, function, found.facts.why_not);
    };
    get("cublasCreate_v2", found.create);
    get("cublasDestroy_v2", found.destroy);
    get("cublasGetVersion_v2", found.version);
    get("cublasSetStream_v2", found.set_stream);
    get("cublasSetWorkspace_v2", found.set_workspace);
    get("cublasSetMathMode", found.set_math_mode);
    get("cublasGetStatusString", found.text);
    get("cublasSgemm_v2_64", found.sgemm);
    get("cublasDgemm_v2_64", found.dgemm);
    if (!found.facts.why_not.empty()) return found;
    int number = 0;  // major x 10000 + minor x 100 + patch
    found.version(nullptr, &number);
    found.facts.version =
        "cuBLAS " + std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100);
    return found;
}

/// Folders to search: "" (beside this library and on the loader's search path), the toolkit,
/// Python's wheels.
std::vector<std::string> folders() {
    std::vector<std::string> list{""};
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* home = std::getenv(name)) list.push_back(std::string(home) + "/lib64");
    list.push_back("/usr/local/cuda/lib64");
    if (const std::string numpy = numpy_folder(); !numpy.empty())
        for (const char* wheel : {"/../nvidia/cu13/lib", "/../nvidia/cublas/lib"})
            list.push_back(numpy + wheel);
    return list;
}

library load() {
    std::string why_not;
    // first the version of this program's own CUDA, which the driver supports
    for (const int major : {CUDART_VERSION / 1000, 13, 12}) {
        const std::string file = "libcublas.so." + std::to_string(major);
        for (const std::string& folder : folders()) {
            library found =
                bind(load_part(file, folder), folder.empty() ? file : folder + "/" + file);
            if (found.facts.why_not.empty()) return found;
            if (why_not.empty()) why_not = found.facts.why_not;
        }
    }
    library none;
    none.facts.why_not = why_not + ". The CUDA toolkit and the wheel nvidia-cublas have it";
    return none;
}

/// The library. It is loaded once; after a failure the next call tries again.
const library& cublas() {
    static std::mutex one_at_a_time;
    static std::optional<library> loaded;
    const std::lock_guard lock(one_at_a_time);
    if (!loaded || !loaded->facts.why_not.empty()) loaded = load();
    return *loaded;
}

void destroy(void* handle) noexcept { cublas().destroy(handle); }

class cublas_products final : public products {
public:
    cublas_products(int gpu, precision type, stream_t stream)
        : library_(usable(gpu)), gpu_(gpu), type_(type), workspace_(workspace_bytes) {
        void* created = nullptr;
        library_.check(library_.create(&created), "cublasCreate");
        handle_ = handle<void*, destroy>(created);
        library_.check(library_.set_stream(created, stream), "cublasSetStream");
        // after the stream, which resets it
        library_.check(library_.set_workspace(created, workspace_.data(), workspace_bytes),
                       "cublasSetWorkspace");
        library_.check(library_.set_math_mode(created, default_math), "cublasSetMathMode");
    }

    void multiply(std::size_t m, std::size_t n, std::size_t k, double alpha, const factor& a,
                  const factor& b, double beta, void* c, std::size_t ldc) override {
        device::use(gpu_);
        // cuBLAS is column-major: it sees a row-major matrix transposed, and (A B)^T = B^T A^T
        const auto call = [&]<class Element>(gemm_function<Element> gemm) {
            const auto scale = static_cast<Element>(alpha), add = static_cast<Element>(beta);
            const auto leading = [](std::size_t of, std::size_t columns) {
                return static_cast<std::int64_t>(std::max({of, columns, std::size_t{1}}));
            };
            return gemm(
                handle_.get(), b.transposed ? transposed : as_it_is,
                a.transposed ? transposed : as_it_is, static_cast<std::int64_t>(n),
                static_cast<std::int64_t>(m), static_cast<std::int64_t>(k), &scale,
                static_cast<const Element*>(b.data), leading(b.leading, b.transposed ? k : n),
                static_cast<const Element*>(a.data), leading(a.leading, a.transposed ? m : k), &add,
                static_cast<Element*>(c), leading(ldc, n));
        };
        if (type_ == precision::single_precision)
            library_.check(call(library_.sgemm), "cublasSgemm");
        else
            library_.check(call(library_.dgemm), "cublasDgemm");
    }

    std::string name() const override { return library_.facts.version; }

private:
    static const library& usable(int gpu) {
        device::use(gpu);
        const library& found = cublas();
        if (!found.facts.why_not.empty()) throw unsupported("cuBLAS: " + found.facts.why_not);
        return found;
    }

    const library& library_;
    const int gpu_;
    const precision type_;
    device::scratch workspace_;  ///< outlives the handle
    handle<void*, destroy> handle_;
};

}  // namespace

library_facts cublas_library() { return cublas().facts; }

std::unique_ptr<products> make_cublas(int gpu, precision type, stream_t stream) {
    return std::make_unique<cublas_products>(gpu, type, stream);
}

}  // namespace watari::blas
