#include "watari/memory/hint.hpp"

#include "watari/core/cuda.hpp"

#include <string>

namespace watari::memory {

namespace {

// CUDA 12 names a location by the number of a device, CUDA 13 by a cudaMemLocation: the type of the
// function chooses the overload.
using advise_12 = cudaError_t (*)(const void*, std::size_t, cudaMemoryAdvise, int);
using advise_13 = cudaError_t (*)(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation);
using prefetch_12 = cudaError_t (*)(const void*, std::size_t, int, cudaStream_t);
using prefetch_13 = cudaError_t (*)(const void*, std::size_t, cudaMemLocation, unsigned,
                                    cudaStream_t);

[[maybe_unused]] int number(processor target) {
    return target.is_gpu() ? target.number : cudaCpuDeviceId;
}

[[maybe_unused]] cudaMemLocation location(processor target) {
    cudaMemLocation result{};
    result.type = target.is_gpu() ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
    result.id = target.is_gpu() ? target.number : 0;
    return result;
}

[[maybe_unused]] cudaError_t call(advise_12 function, const block& range, cudaMemoryAdvise advice,
                                  processor target) {
    return function(range.data(), range.bytes(), advice, number(target));
}

[[maybe_unused]] cudaError_t call(advise_13 function, const block& range, cudaMemoryAdvise advice,
                                  processor target) {
    return function(range.data(), range.bytes(), advice, location(target));
}

[[maybe_unused]] cudaError_t call(prefetch_12 function, const void* first, std::size_t bytes,
                                  processor target, stream_t stream) {
    return function(first, bytes, number(target), stream);
}

[[maybe_unused]] cudaError_t call(prefetch_13 function, const void* first, std::size_t bytes,
                                  processor target, stream_t stream) {
    return function(first, bytes, location(target), 0, stream);
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
        check(call(cudaMemAdvise, range, cudaMemAdviseSetReadMostly, gpu));
        return;
    }
    check(call(cudaMemAdvise, range, cudaMemAdviseSetPreferredLocation, the_cpu));
    check(call(cudaMemAdvise, range, cudaMemAdviseSetAccessedBy, gpu));
}

void prefetch(const block& range, std::size_t first, std::size_t bytes, processor to,
              stream_t stream) {
    require_shared(range, "prefetch");
    const auto* const data = static_cast<const std::byte*>(range.data());
    check(call(cudaMemPrefetchAsync, data + first, bytes, to, stream));
}

}  // namespace watari::memory
