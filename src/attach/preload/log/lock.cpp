#include "lock.hpp"

#include <pthread.h>

#include "copied.hpp"
#include "event_log.hpp"
#include "gains.hpp"
#include "site.hpp"

namespace attach {
namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void lock() { pthread_mutex_lock(&mutex); }

void unlock() { pthread_mutex_unlock(&mutex); }

void begin_child() {
    forget_log();
    forget_sites();
    forget_gains();
    forget_copies();
    unlock();
}

__attribute__((constructor)) void follow_forks() { pthread_atfork(lock, unlock, begin_child); }

}  // namespace

guard::guard() { lock(); }

guard::~guard() { unlock(); }

}  // namespace attach
