// Launches of kernels, and the end of the modules that hold them. Replaced only in a program with
// the change `prefetched`, or `pooled`: a launch may lack memory for the kernel's stack.
#include "../calls/functions.hpp"
#include "../pooled/retried.hpp"
#include "prefetched.hpp"

namespace attach {
namespace {

stream own_stream(stream on) {
    return on ? on : reinterpret_cast<stream>(driver::stream_of_thread);
}

}  // namespace

result cuLaunchKernel(const void* function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
                      unsigned threads_y, unsigned threads_z, unsigned shared, stream on,
                      void** parameters, void** extra) {
    prefetched::before(function, on, parameters);
    return retried<cuLaunchKernel>(function, x, y, z, threads_x, threads_y, threads_z, shared, on,
                                   parameters, extra);
}

result cuLaunchKernel_ptsz(const void* function, unsigned x, unsigned y, unsigned z,
                           unsigned threads_x, unsigned threads_y, unsigned threads_z,
                           unsigned shared, stream on, void** parameters, void** extra) {
    prefetched::before(function, own_stream(on), parameters);
    return retried<cuLaunchKernel_ptsz>(function, x, y, z, threads_x, threads_y, threads_z, shared,
                                        on, parameters, extra);
}

result cuLaunchKernelEx(const driver::launch* how, const void* function, void** parameters,
                        void** extra) {
    if (how) prefetched::before(function, how->on, parameters);
    return retried<cuLaunchKernelEx>(how, function, parameters, extra);
}

result cuLaunchKernelEx_ptsz(const driver::launch* how, const void* function, void** parameters,
                             void** extra) {
    if (how) prefetched::before(function, own_stream(how->on), parameters);
    return retried<cuLaunchKernelEx_ptsz>(how, function, parameters, extra);
}

result cuModuleUnload(void* module) {
    prefetched::forget_functions();
    return real<cuModuleUnload>()(module);
}

result cuLibraryUnload(void* library) {
    prefetched::forget_functions();
    return real<cuLibraryUnload>()(library);
}

}  // namespace attach
