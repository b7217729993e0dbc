// A child of fork has none of the threads that OpenMP keeps waiting for its parent's next loop, and
// would wait for them for ever in a loop of its own. So they are given up before the fork; parent
// and child each make new ones when they need them.
#include <omp.h>
#include <pthread.h>

extern "C" {
/// 0: registered. src/CMakeLists.txt has it linked wherever the library is, though nobody names it.
int watari_forks_without_threads =
    pthread_atfork([] { omp_pause_resource_all(omp_pause_soft); }, nullptr, nullptr);
}
