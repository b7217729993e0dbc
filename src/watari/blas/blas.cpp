#include "watari/blas/blas.hpp"

#include "watari/blas/libraries.hpp"

#include <mutex>

namespace watari::blas {

namespace {

std::mutex mutex;
std::string folder;

}  // namespace

void set_numpy_folder(const std::string& path) {
    const std::lock_guard lock(mutex);
    folder = path;
}

std::string numpy_folder() {
    const std::lock_guard lock(mutex);
    return folder;
}

std::unique_ptr<products> make(processor who, precision type, int threads, stream_t stream) {
    if (who.is_gpu()) return make_cublas(who.number, type, stream);
    return make_openblas(type, threads);
}

}  // namespace watari::blas
