// The functions *_ptsz and *_ptds: stream 0 is that of the calling thread.
#include "memory/copies.hpp"
#include "streams.hpp"

using namespace fake;

#define PER_THREAD(name, suffix, parameters, arguments) \
    FAKE result name parameters;                        \
    FAKE result name##suffix parameters {               \
        const per_thread_default here;                  \
        return name arguments;                          \
    }
#define POINTER device_pointer
#define SIZE std::size_t

PER_THREAD(cuMemcpyHtoD_v2, _ptds, (POINTER to, const void* from, SIZE n), (to, from, n))
PER_THREAD(cuMemcpyDtoH_v2, _ptds, (void* to, POINTER from, SIZE n), (to, from, n))
PER_THREAD(cuMemcpyDtoD_v2, _ptds, (POINTER to, POINTER from, SIZE n), (to, from, n))
PER_THREAD(cuMemcpy, _ptds, (POINTER to, POINTER from, SIZE n), (to, from, n))
PER_THREAD(cuMemcpyAsync, _ptsz, (POINTER to, POINTER from, SIZE n, void* s), (to, from, n, s))
PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz, (POINTER to, const void* from, SIZE n, void* s),
           (to, from, n, s))
PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz, (void* to, POINTER from, SIZE n, void* s), (to, from, n, s))
PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz, (POINTER to, POINTER from, SIZE n, void* s),
           (to, from, n, s))
PER_THREAD(cuMemcpy2D_v2, _ptds, (const void* in), (in))
PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds, (const void* in), (in))
PER_THREAD(cuMemcpy2DAsync_v2, _ptsz, (const void* in, void* s), (in, s))
PER_THREAD(cuMemcpy3D_v2, _ptds, (const void* in), (in))
PER_THREAD(cuMemcpy3DAsync_v2, _ptsz, (const void* in, void* s), (in, s))
PER_THREAD(cuMemcpyBatchAsync_v2, _ptsz,
           (const POINTER* to, const POINTER* from, const SIZE* n, SIZE count, const void* a,
            const SIZE* i, SIZE kinds, void* s),
           (to, from, n, count, a, i, kinds, s))
PER_THREAD(cuMemcpyBatchAsync, _ptsz,
           (const POINTER* to, const POINTER* from, const SIZE* n, SIZE count, const void* a,
            const SIZE* i, SIZE kinds, SIZE* failed, void* s),
           (to, from, n, count, a, i, kinds, failed, s))
PER_THREAD(cuMemsetD8_v2, _ptds, (POINTER to, unsigned char value, SIZE n), (to, value, n))
PER_THREAD(cuMemsetD8Async, _ptsz, (POINTER to, unsigned char value, SIZE n, void* s),
           (to, value, n, s))
PER_THREAD(cuMemsetD32_v2, _ptds, (POINTER to, unsigned value, SIZE n), (to, value, n))
PER_THREAD(cuMemsetD32Async, _ptsz, (POINTER to, unsigned value, SIZE n, void* s),
           (to, value, n, s))
PER_THREAD(cuMemAllocAsync, _ptsz, (POINTER * made, SIZE n, void* s), (made, n, s))
PER_THREAD(cuMemAllocFromPoolAsync, _ptsz, (POINTER * made, SIZE n, void* pool, void* s),
           (made, n, pool, s))
PER_THREAD(cuMemFreeAsync, _ptsz, (POINTER freed, void* s), (freed, s))
PER_THREAD(cuMemPrefetchAsync, _ptsz, (POINTER at, SIZE n, int to, void* s), (at, n, to, s))
PER_THREAD(cuLaunchKernel, _ptsz,
           (void* f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
            unsigned shared, void* s, void** arguments, void** extra),
           (f, x, y, z, bx, by, bz, shared, s, arguments, extra))
PER_THREAD(cuLaunchHostFunc, _ptsz, (void* s, void (*function)(void*), void* data),
           (s, function, data))
PER_THREAD(cuStreamAddCallback, _ptsz,
           (void* s, void (*function)(void*, result, void*), void* data, unsigned flags),
           (s, function, data, flags))
PER_THREAD(cuStreamSynchronize, _ptsz, (void* s), (s))
PER_THREAD(cuStreamQuery, _ptsz, (void* s), (s))
PER_THREAD(cuStreamWaitEvent, _ptsz, (void* s, void* event, unsigned flags), (s, event, flags))
PER_THREAD(cuStreamIsCapturing, _ptsz, (void* s, int* status), (s, status))
PER_THREAD(cuStreamBeginCapture_v2, _ptsz, (void* s, int mode), (s, mode))
PER_THREAD(cuStreamEndCapture, _ptsz, (void* s, void** graph), (s, graph))
PER_THREAD(cuStreamGetCaptureInfo_v2, _ptsz,
           (void* s, int* status, unsigned long long* id, void** graph, const void*** nodes,
            SIZE* count),
           (s, status, id, graph, nodes, count))
PER_THREAD(cuStreamGetCaptureInfo_v3, _ptsz,
           (void* s, int* status, unsigned long long* id, void** graph, const void*** nodes,
            const void** edges, SIZE* count),
           (s, status, id, graph, nodes, edges, count))
PER_THREAD(cuStreamGetFlags, _ptsz, (void* s, unsigned* flags), (s, flags))
PER_THREAD(cuStreamGetPriority, _ptsz, (void* s, int* priority), (s, priority))
PER_THREAD(cuStreamGetId, _ptsz, (void* s, unsigned long long* id), (s, id))
PER_THREAD(cuStreamGetCtx, _ptsz, (void* s, void** context), (s, context))
PER_THREAD(cuEventRecord, _ptsz, (void* event, void* s), (event, s))
PER_THREAD(cuEventRecordWithFlags, _ptsz, (void* event, void* s, unsigned flags), (event, s, flags))
PER_THREAD(cuGraphLaunch, _ptsz, (void* graph, void* s), (graph, s))
