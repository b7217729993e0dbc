#include "watari/core/device.hpp"

#include "watari/core/cuda.hpp"

#include <algorithm>
#include <utility>

namespace watari::device {

namespace {

std::pair<int, std::string> look() {
    int found = 0;
    const cudaError_t status = cudaGetDeviceCount(&found);
    if (status == cudaSuccess && found > 0) return {found, ""};
    cudaGetLastError();
    if (status == cudaErrorInsufficientDriver) return {0, "no GPU driver"};
    if (status == cudaErrorNoDevice || status == cudaSuccess) return {0, "no GPU"};
    return {0, std::string("no usable GPU: ") + cudaGetErrorString(status)};
}

const std::pair<int, std::string>& found() {
    static const auto result = look();
    return result;
}

cudaDeviceAttr cuda_attribute(attribute which) {
    switch (which) {
        case attribute::managed_memory:
            return cudaDevAttrManagedMemory;
        case attribute::concurrent_managed_access:
            return cudaDevAttrConcurrentManagedAccess;
        case attribute::pageable_memory_access:
            return cudaDevAttrPageableMemoryAccess;
        case attribute::pageable_memory_access_uses_host_page_tables:
            return cudaDevAttrPageableMemoryAccessUsesHostPageTables;
        case attribute::host_native_atomic_supported:
            return cudaDevAttrHostNativeAtomicSupported;
    }
    throw usage_error("no such device attribute");
}

}  // namespace

int count() { return found().first; }

std::string absent_reason() { return found().second; }

void use(int number) {
    if (number >= count())
        throw unsupported(count() == 0 ? absent_reason()
                                       : "no gpu:" + std::to_string(number) +
                                             ", this machine has " + std::to_string(count()));
    check(cudaSetDevice(number));
}

bool has(attribute which, int number) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, cuda_attribute(which), number));
    return value != 0;
}

limits current_limits() {
    int number = 0, multiprocessors = 0, bytes = 0;
    check(cudaGetDevice(&number));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, number));
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, number));
    return {static_cast<unsigned>(multiprocessors), static_cast<std::size_t>(bytes)};
}

std::set<int> numa_nodes() {
    std::set<int> nodes;
    for (int number = 0; number < count(); ++number) {
        int is_node = 0, node = -1;
        if (cudaDeviceGetAttribute(&is_node, cudaDevAttrNumaConfig, number) != cudaSuccess ||
            cudaDeviceGetAttribute(&node, cudaDevAttrNumaId, number) != cudaSuccess)
            cudaGetLastError();  // a driver that does not know them: no node
        else if (is_node == cudaDeviceNumaConfigNumaNode)
            nodes.insert(node);
    }
    return nodes;
}

memory_info memory(int number) {
    use(number);
    memory_info info{};
    check(cudaMemGetInfo(&info.free, &info.total));
    return info;
}

void enable_peer(int from, int to) {
    int possible = 0;
    check(cudaDeviceCanAccessPeer(&possible, from, to));
    if (!possible)
        throw unsupported("gpu:" + std::to_string(from) + " cannot address the memory of gpu:" +
                          std::to_string(to) + " (no peer access)");
    use(from);
    const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError();
    else
        check(status);
}

void give_stack(std::size_t bytes) {
    std::size_t now = 0;
    check(cudaDeviceGetLimit(&now, cudaLimitStackSize));
    if (now < bytes) check(cudaDeviceSetLimit(cudaLimitStackSize, bytes));
}

void ignore_captures() {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    check(cudaThreadExchangeStreamCaptureMode(&mode));
}

void synchronize(stream_t stream, std::source_location at) {
    check(cudaStreamSynchronize(stream), at);
}

void copy(void* to, const void* from, std::size_t bytes, stream_t stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}

void copy_rows(void* to, std::size_t to_stride, const void* from, std::size_t from_stride,
               std::size_t bytes, std::size_t rows, stream_t stream) {
    constexpr std::size_t most_stride = 0x7fffffff;  // cudaDevAttrMaxPitch
    if (rows == 1 || std::max(to_stride, from_stride) > most_stride) {
        for (std::size_t i = 0; i < rows; ++i)
            copy(static_cast<std::byte*>(to) + i * to_stride,
                 static_cast<const std::byte*>(from) + i * from_stride, bytes, stream);
        return;
    }
    check(cudaMemcpy2DAsync(to, to_stride, from, from_stride, bytes, rows, cudaMemcpyDefault,
                            stream));
}

void read_back(void* to, const void* from, std::size_t bytes, stream_t stream) {
    copy(to, from, bytes, stream);
    synchronize(stream);
}

void check_launch(std::source_location at) { check(cudaGetLastError(), at); }

void destroy_stream(stream_t stream) noexcept { cudaStreamDestroy(stream); }

void destroy_event(CUevent_st* event) noexcept { cudaEventDestroy(event); }

void release_scratch(void* data) noexcept { cudaFree(data); }

stream::stream(priority which) {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    stream_t created = nullptr;
    check(cudaStreamCreateWithPriority(&created, cudaStreamNonBlocking,
                                       which == priority::urgent ? greatest : least));
    handle_ = handle<stream_t, destroy_stream>(created);
}

event::event(waiting how) {
    CUevent_st* created = nullptr;
    check(cudaEventCreateWithFlags(
        &created, how == waiting::asleep ? cudaEventBlockingSync : cudaEventDefault));
    handle_ = handle<CUevent_st*, destroy_event>(created);
}

void event::record(stream_t stream) { check(cudaEventRecord(handle_.get(), stream)); }

void event::make_wait(stream_t stream) const {
    check(cudaStreamWaitEvent(stream, handle_.get(), 0));
}

void event::wait() const { check(cudaEventSynchronize(handle_.get())); }

bool event::happened() const {
    const cudaError_t status = cudaEventQuery(handle_.get());
    if (status == cudaErrorNotReady) return false;
    check(status);
    return true;
}

double event::seconds(const event& first, const event& last) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, first.handle_.get(), last.handle_.get()));
    return milliseconds * 1e-3;
}

scratch::scratch(std::size_t bytes) {
    void* data = nullptr;
    check(cudaMalloc(&data, bytes));
    handle_ = handle<void*, release_scratch>(data);
}

}  // namespace watari::device
