// OpenMP keeps threads that wait for the next loop. A child of fork does not have them, and would
// wait for them for ever in its first loop. So they are released before the fork; parent and child
// create new ones when they need them.
#include <omp.h>
#include <pthread.h>

extern "C" {
/// 0: registered. src/CMakeLists.txt makes the linker keep this symbol, to which no code refers.
int watari_forks_without_threads =
    pthread_atfork([] { omp_pause_resource_all(omp_pause_soft); }, nullptr, nullptr);
}
