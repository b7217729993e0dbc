// Calls that need GPU memory for arrays, code, streams, graphs and stacks.
#include "retried.hpp"

namespace attach {

result cuArrayCreate_v2(void** made, const void* described) {
    return retried<cuArrayCreate_v2>(made, described);
}

result cuArray3DCreate_v2(void** made, const void* described) {
    return retried<cuArray3DCreate_v2>(made, described);
}

result cuMipmappedArrayCreate(void** made, const void* described, unsigned levels) {
    return retried<cuMipmappedArrayCreate>(made, described, levels);
}

result cuModuleLoadData(void** made, const void* image) {
    return retried<cuModuleLoadData>(made, image);
}

result cuModuleLoadDataEx(void** made, const void* image, unsigned count, int* options,
                          void** values) {
    return retried<cuModuleLoadDataEx>(made, image, count, options, values);
}

result cuModuleLoadFatBinary(void** made, const void* image) {
    return retried<cuModuleLoadFatBinary>(made, image);
}

result cuLibraryLoadData(void** made, const void* code, int* options, void** values, unsigned count,
                         int* of_library, void** library_values, unsigned library_count) {
    return retried<cuLibraryLoadData>(made, code, options, values, count, of_library,
                                      library_values, library_count);
}

result cuKernelGetFunction(void** function, void* kernel) {
    return retried<cuKernelGetFunction>(function, kernel);
}

result cuStreamCreate(void** made, unsigned flags) { return retried<cuStreamCreate>(made, flags); }

result cuStreamCreateWithPriority(void** made, unsigned flags, int priority) {
    return retried<cuStreamCreateWithPriority>(made, flags, priority);
}

result cuCtxSetLimit(int which, std::size_t value) { return retried<cuCtxSetLimit>(which, value); }

result cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long flags) {
    return retried<cuGraphInstantiateWithFlags>(made, graph, flags);
}

result cuGraphInstantiateWithParams(void** made, void* graph, void* parameters) {
    return retried<cuGraphInstantiateWithParams>(made, graph, parameters);
}

result cuGraphInstantiateWithParams_ptsz(void** made, void* graph, void* parameters) {
    return retried<cuGraphInstantiateWithParams_ptsz>(made, graph, parameters);
}

result cuGraphLaunch(void* graph, stream on) { return retried<cuGraphLaunch>(graph, on); }

result cuGraphLaunch_ptsz(void* graph, stream on) { return retried<cuGraphLaunch_ptsz>(graph, on); }

}  // namespace attach
