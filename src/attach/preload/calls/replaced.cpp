#include "replaced.hpp"

#include <cstring>

#include "../pooled/pooled.hpp"
#include "../prefetched/prefetched.hpp"
#include "../staged/memory/known.hpp"
#include "functions.hpp"

namespace attach {
namespace {

constexpr int v2 = driver::first_version_of_64_bits, lookup_v2 = driver::first_version_of_v2_lookup;
constexpr int modes = driver::first_version_of_modes;
constexpr int batch_v2 = driver::first_version_of_batch_v2;
constexpr int newest = 1 << 30;

template <auto* Replacement>
void* address() {
    return reinterpret_cast<void*>(Replacement);
}

constexpr std::uint32_t hash_of(const char* name) {  // FNV-1a
    std::uint32_t hash = 2166136261u;
    while (*name) hash = (hash ^ static_cast<unsigned char>(*name++)) * 16777619u;
    return hash;
}

template <auto* Replacement>
constexpr replacement row(const char* symbol, const char* name, int first = 0, int last = newest,
                          bool is_per_thread = false) {
    return {symbol,
            name,
            is_per_thread,
            first,
            last,
            address<Replacement>,
            &real_slot<Replacement>,
            nullptr,
            hash_of(symbol),
            hash_of(name)};
}

template <auto* Replacement>
constexpr replacement per_thread_row(const char* symbol, const char* name) {
    return row<Replacement>(symbol, name, 0, newest, true);
}

// A row for programs with some change only: others make these calls without a detour.
template <auto* Replacement, auto IsWanted>
constexpr replacement row_if(const char* symbol, const char* name, bool is_per_thread = false,
                             int first = 0, int last = newest) {
    replacement made = row<Replacement>(symbol, name, first, last, is_per_thread);
    made.is_wanted = IsWanted;
    return made;
}

using staged::is_noting;

bool is_launch_wanted() { return prefetched::is_on() || pooled::is_on(); }

// Initialised at compile time: constructors of a program's libraries may look functions up before
// constructors of this library run.
constinit const replacement rows[] = {
    row<cuInit>("cuInit", "cuInit"),
    row<cuMemAlloc_v2>("cuMemAlloc_v2", "cuMemAlloc", v2),
    row<cuMemAllocPitch_v2>("cuMemAllocPitch_v2", "cuMemAllocPitch", v2),
    row<cuMemAllocAsync>("cuMemAllocAsync", "cuMemAllocAsync"),
    per_thread_row<cuMemAllocAsync_ptsz>("cuMemAllocAsync_ptsz", "cuMemAllocAsync"),
    row<cuMemAllocFromPoolAsync>("cuMemAllocFromPoolAsync", "cuMemAllocFromPoolAsync"),
    per_thread_row<cuMemAllocFromPoolAsync_ptsz>("cuMemAllocFromPoolAsync_ptsz",
                                                 "cuMemAllocFromPoolAsync"),
    row<cuMemAllocHost_v2>("cuMemAllocHost_v2", "cuMemAllocHost", v2),
    row<cuMemHostAlloc>("cuMemHostAlloc", "cuMemHostAlloc"),
    row<cuMemAllocManaged>("cuMemAllocManaged", "cuMemAllocManaged"),
    row<cuMemFree_v2>("cuMemFree_v2", "cuMemFree", v2),
    row<cuMemFreeAsync>("cuMemFreeAsync", "cuMemFreeAsync"),
    per_thread_row<cuMemFreeAsync_ptsz>("cuMemFreeAsync_ptsz", "cuMemFreeAsync"),
    row<cuMemFreeHost>("cuMemFreeHost", "cuMemFreeHost"),
    row<cuStreamBeginCapture_v2>("cuStreamBeginCapture_v2", "cuStreamBeginCapture", modes),
    row<cuStreamBeginCapture_v2_ptsz>("cuStreamBeginCapture_v2_ptsz", "cuStreamBeginCapture", modes,
                                      newest, true),
    row<cuStreamBeginCaptureToGraph>("cuStreamBeginCaptureToGraph", "cuStreamBeginCaptureToGraph"),
    per_thread_row<cuStreamBeginCaptureToGraph_ptsz>("cuStreamBeginCaptureToGraph_ptsz",
                                                     "cuStreamBeginCaptureToGraph"),
    row<cuStreamEndCapture>("cuStreamEndCapture", "cuStreamEndCapture"),
    per_thread_row<cuStreamEndCapture_ptsz>("cuStreamEndCapture_ptsz", "cuStreamEndCapture"),
    row<cuDevicePrimaryCtxRetain>("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain"),
    // both versions have the replacement of the second, the only one that is exported
    row<cuDevicePrimaryCtxReset_v2>("cuDevicePrimaryCtxReset_v2", "cuDevicePrimaryCtxReset"),
    row<cuDevicePrimaryCtxReset_v2>("cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxReset"),
    row<cuDevicePrimaryCtxRelease_v2>("cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease"),
    row<cuDevicePrimaryCtxRelease_v2>("cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease"),
    row<cuCtxDestroy_v2>("cuCtxDestroy_v2", "cuCtxDestroy"),
    row<cuStreamDestroy_v2>("cuStreamDestroy_v2", "cuStreamDestroy"),
    row<cuMemCreate>("cuMemCreate", "cuMemCreate"),
    row<cuIpcGetMemHandle>("cuIpcGetMemHandle", "cuIpcGetMemHandle"),
    row<cuMemGetHandleForAddressRange>("cuMemGetHandleForAddressRange",
                                       "cuMemGetHandleForAddressRange"),
    row<cuMemPoolExportPointer>("cuMemPoolExportPointer", "cuMemPoolExportPointer"),
    row<cuMemPoolExportToShareableHandle>("cuMemPoolExportToShareableHandle",
                                          "cuMemPoolExportToShareableHandle"),
    row<cuMulticastBindAddr>("cuMulticastBindAddr", "cuMulticastBindAddr"),
    row<cuPointerSetAttribute>("cuPointerSetAttribute", "cuPointerSetAttribute"),
    row<cuMemGetInfo_v2>("cuMemGetInfo_v2", "cuMemGetInfo", v2),
    row<cuMemGetAddressRange_v2>("cuMemGetAddressRange_v2", "cuMemGetAddressRange", v2),
    row<cuPointerGetAttribute>("cuPointerGetAttribute", "cuPointerGetAttribute"),
    row<cuPointerGetAttributes>("cuPointerGetAttributes", "cuPointerGetAttributes"),
    row<cuArrayCreate_v2>("cuArrayCreate_v2", "cuArrayCreate", v2),
    row<cuArray3DCreate_v2>("cuArray3DCreate_v2", "cuArray3DCreate", v2),
    row<cuMipmappedArrayCreate>("cuMipmappedArrayCreate", "cuMipmappedArrayCreate"),
    row<cuMemcpyHtoD_v2>("cuMemcpyHtoD_v2", "cuMemcpyHtoD", v2),
    per_thread_row<cuMemcpyHtoD_v2_ptds>("cuMemcpyHtoD_v2_ptds", "cuMemcpyHtoD"),
    row<cuMemcpyDtoH_v2>("cuMemcpyDtoH_v2", "cuMemcpyDtoH", v2),
    per_thread_row<cuMemcpyDtoH_v2_ptds>("cuMemcpyDtoH_v2_ptds", "cuMemcpyDtoH"),
    row<cuMemcpyHtoDAsync_v2>("cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync", v2),
    per_thread_row<cuMemcpyHtoDAsync_v2_ptsz>("cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyHtoDAsync"),
    row<cuMemcpyDtoHAsync_v2>("cuMemcpyDtoHAsync_v2", "cuMemcpyDtoHAsync", v2),
    per_thread_row<cuMemcpyDtoHAsync_v2_ptsz>("cuMemcpyDtoHAsync_v2_ptsz", "cuMemcpyDtoHAsync"),
    row<cuMemcpy>("cuMemcpy", "cuMemcpy"),
    per_thread_row<cuMemcpy_ptds>("cuMemcpy_ptds", "cuMemcpy"),
    row<cuMemcpyAsync>("cuMemcpyAsync", "cuMemcpyAsync"),
    per_thread_row<cuMemcpyAsync_ptsz>("cuMemcpyAsync_ptsz", "cuMemcpyAsync"),
    row<cuMemcpy2D_v2>("cuMemcpy2D_v2", "cuMemcpy2D", v2),
    per_thread_row<cuMemcpy2D_v2_ptds>("cuMemcpy2D_v2_ptds", "cuMemcpy2D"),
    row<cuMemcpy2DUnaligned_v2>("cuMemcpy2DUnaligned_v2", "cuMemcpy2DUnaligned", v2),
    per_thread_row<cuMemcpy2DUnaligned_v2_ptds>("cuMemcpy2DUnaligned_v2_ptds",
                                                "cuMemcpy2DUnaligned"),
    row<cuMemcpy2DAsync_v2>("cuMemcpy2DAsync_v2", "cuMemcpy2DAsync", v2),
    per_thread_row<cuMemcpy2DAsync_v2_ptsz>("cuMemcpy2DAsync_v2_ptsz", "cuMemcpy2DAsync"),
    row<cuMemcpy3D_v2>("cuMemcpy3D_v2", "cuMemcpy3D", v2),
    per_thread_row<cuMemcpy3D_v2_ptds>("cuMemcpy3D_v2_ptds", "cuMemcpy3D"),
    row<cuMemcpy3DAsync_v2>("cuMemcpy3DAsync_v2", "cuMemcpy3DAsync", v2),
    per_thread_row<cuMemcpy3DAsync_v2_ptsz>("cuMemcpy3DAsync_v2_ptsz", "cuMemcpy3DAsync"),
    row_if<cuMemcpyBatchAsync, is_noting>("cuMemcpyBatchAsync", "cuMemcpyBatchAsync", false, 0,
                                          batch_v2 - 1),
    row_if<cuMemcpyBatchAsync_ptsz, is_noting>("cuMemcpyBatchAsync_ptsz", "cuMemcpyBatchAsync",
                                               true, 0, batch_v2 - 1),
    row_if<cuMemcpyBatchAsync_v2, is_noting>("cuMemcpyBatchAsync_v2", "cuMemcpyBatchAsync", false,
                                             batch_v2),
    row_if<cuMemcpyBatchAsync_v2_ptsz, is_noting>("cuMemcpyBatchAsync_v2_ptsz",
                                                  "cuMemcpyBatchAsync", true, batch_v2),
    row_if<cuMemHostRegister_v2, is_noting>("cuMemHostRegister_v2", "cuMemHostRegister"),
    row_if<cuMemHostUnregister, is_noting>("cuMemHostUnregister", "cuMemHostUnregister"),
    row_if<cuIpcOpenMemHandle_v2, is_noting>("cuIpcOpenMemHandle_v2", "cuIpcOpenMemHandle", false,
                                             driver::first_version_of_shared_v2),
    row_if<cuIpcCloseMemHandle, is_noting>("cuIpcCloseMemHandle", "cuIpcCloseMemHandle"),
    row_if<cuExternalMemoryGetMappedBuffer, is_noting>("cuExternalMemoryGetMappedBuffer",
                                                       "cuExternalMemoryGetMappedBuffer"),
    row_if<cuMemPoolImportPointer, is_noting>("cuMemPoolImportPointer", "cuMemPoolImportPointer"),
    row_if<cuMemImportFromShareableHandle, is_noting>("cuMemImportFromShareableHandle",
                                                      "cuMemImportFromShareableHandle"),
    row_if<cuMemRelease, is_noting>("cuMemRelease", "cuMemRelease"),
    row_if<cuMemMap, is_noting>("cuMemMap", "cuMemMap"),
    row_if<cuMemUnmap, is_noting>("cuMemUnmap", "cuMemUnmap"),
    row_if<cuModuleLoadData, pooled::is_on>("cuModuleLoadData", "cuModuleLoadData"),
    row_if<cuModuleLoadDataEx, pooled::is_on>("cuModuleLoadDataEx", "cuModuleLoadDataEx"),
    row_if<cuModuleLoadFatBinary, pooled::is_on>("cuModuleLoadFatBinary", "cuModuleLoadFatBinary"),
    row_if<cuLibraryLoadData, pooled::is_on>("cuLibraryLoadData", "cuLibraryLoadData"),
    row_if<cuKernelGetFunction, pooled::is_on>("cuKernelGetFunction", "cuKernelGetFunction"),
    row_if<cuStreamCreate, pooled::is_on>("cuStreamCreate", "cuStreamCreate"),
    row_if<cuStreamCreateWithPriority, pooled::is_on>("cuStreamCreateWithPriority",
                                                      "cuStreamCreateWithPriority"),
    row_if<cuCtxSetLimit, pooled::is_on>("cuCtxSetLimit", "cuCtxSetLimit"),
    row_if<cuGraphInstantiateWithFlags, pooled::is_on>("cuGraphInstantiateWithFlags",
                                                       "cuGraphInstantiateWithFlags"),
    row_if<cuGraphInstantiateWithParams, pooled::is_on>("cuGraphInstantiateWithParams",
                                                        "cuGraphInstantiateWithParams"),
    row_if<cuGraphInstantiateWithParams_ptsz, pooled::is_on>("cuGraphInstantiateWithParams_ptsz",
                                                             "cuGraphInstantiateWithParams", true),
    row_if<cuGraphLaunch, pooled::is_on>("cuGraphLaunch", "cuGraphLaunch"),
    row_if<cuGraphLaunch_ptsz, pooled::is_on>("cuGraphLaunch_ptsz", "cuGraphLaunch", true),
    row_if<cuLaunchKernel, is_launch_wanted>("cuLaunchKernel", "cuLaunchKernel"),
    row_if<cuLaunchKernel_ptsz, is_launch_wanted>("cuLaunchKernel_ptsz", "cuLaunchKernel", true),
    row_if<cuLaunchKernelEx, is_launch_wanted>("cuLaunchKernelEx", "cuLaunchKernelEx"),
    row_if<cuLaunchKernelEx_ptsz, is_launch_wanted>("cuLaunchKernelEx_ptsz", "cuLaunchKernelEx",
                                                    true),
    row_if<cuModuleUnload, prefetched::is_on>("cuModuleUnload", "cuModuleUnload"),
    row_if<cuLibraryUnload, prefetched::is_on>("cuLibraryUnload", "cuLibraryUnload"),
    row<cuGetProcAddress>("cuGetProcAddress", "cuGetProcAddress", 0, lookup_v2 - 1),
    row<cuGetProcAddress_v2>("cuGetProcAddress_v2", "cuGetProcAddress", lookup_v2),
};

// Replaces the function that a lookup of the driver found, if it is in the table.
void replace(const char* name, void** found, int version, std::uint64_t flags, result outcome) {
    if (outcome != driver::success || !found || !*found) return;
    const replacement* meant = find_name(name, version, flags);
    if (!meant || !is_wanted(*meant) || is_own(*found)) return;
    __atomic_store_n(meant->real, *found, __ATOMIC_RELEASE);
    *found = meant->function();
}

}  // namespace

bool is_wanted(const replacement& row) { return !row.is_wanted || row.is_wanted(); }

const replacement* find_symbol(const char* symbol) {
    const std::uint32_t hash = hash_of(symbol);
    for (const replacement& one : rows)
        if (one.hash_of_symbol == hash && std::strcmp(one.symbol, symbol) == 0) return &one;
    return nullptr;
}

const char* symbol_of(const void* function) {
    const replacement* one = rows;
    while (one->function() != function) ++one;
    return one->symbol;
}

const replacement* find_name(const char* name, int version, std::uint64_t flags) {
    const bool per_thread_asked = (flags & driver::per_thread_stream) != 0;
    const replacement* other = nullptr;  // most functions have no per-thread variant
    const std::uint32_t hash = hash_of(name);
    for (const replacement& one : rows) {
        if (one.hash_of_name != hash || std::strcmp(one.name, name) != 0) continue;
        if (version < one.first_version || version > one.last_version) continue;
        if (one.is_per_thread == per_thread_asked) return &one;
        if (!one.is_per_thread) other = &one;
    }
    return other ? other : find_symbol(name);  // some programs ask for `cuMemAlloc_v2`
}

result cuGetProcAddress(const char* name, void** found, int version, std::uint64_t flags) {
    const result outcome = real<cuGetProcAddress>()(name, found, version, flags);
    replace(name, found, version, flags, outcome);
    return outcome;
}

result cuGetProcAddress_v2(const char* name, void** found, int version, std::uint64_t flags,
                           int* status) {
    const result outcome = real<cuGetProcAddress_v2>()(name, found, version, flags, status);
    replace(name, found, version, flags, outcome);
    return outcome;
}

}  // namespace attach
