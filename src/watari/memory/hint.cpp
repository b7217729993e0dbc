#include "watari/memory/hint.hpp"

#include "watari/core/cuda.hpp"
#include "watari/memory/location.hpp"

#include <string>

namespace watari::memory {

namespace {

// CUDA 13 has flags before the stream: the type of the function chooses the overload.
using prefetch_12 = cudaError_t (*)(const void*, std::size_t, int, cudaStream_t);
using prefetch_13 = cudaError_t (*)(const void*, std::size_t, cudaMemLocation, unsigned,
                                    cudaStream_t);

[[maybe_unused]] cudaError_t call(prefetch_12 function, const void* first, std::size_t bytes,
                                  location to, stream_t stream) {
    return function(first, bytes, to, stream);
}

[[maybe_unused]] cudaError_t call(prefetch_13 function, const void* first, std::size_t bytes,
                                  location to, stream_t stream) {
    return function(first, bytes, to, 0, stream);
}

void advise_driver(const block& range, cudaMemoryAdvise advice, processor target) {
    check(cudaMemAdvise(range.data(), range.bytes(), advice, location{target}));
}

void require_shared(const block& range, const char* feature) {
    if (!range.kind().shared)
        throw unsupported(std::string(feature) + ": " + std::string(range.kind().name) +
                          " memory stays where it is; only managed and system memory take hints");
}

}  // namespace

void advise(const block& range, hint h, processor gpu) {
    if (h == hint::none || h == hint::prefetch) return;
    require_shared(range, h == hint::mapped ? "mapped" : "read-mostly");
    if (h == hint::read_mostly) {
        advise_driver(range, cudaMemAdviseSetReadMostly, gpu);
        return;
    }
    advise_driver(range, cudaMemAdviseSetPreferredLocation, the_cpu);
    advise_driver(range, cudaMemAdviseSetAccessedBy, gpu);
}

void prefetch(const block& range, std::size_t first, std::size_t bytes, processor to,
              stream_t stream) {
    require_shared(range, "prefetch");
    const auto* const data = static_cast<const std::byte*>(range.data());
    check(call(cudaMemPrefetchAsync, data + first, bytes, location{to}, stream));
}

}  // namespace watari::memory
