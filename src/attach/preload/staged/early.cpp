#include "early.hpp"

#include <pthread.h>

#include "../styles/settings.hpp"
#include "memory/fresh.hpp"
#include "memory/pointers.hpp"
#include "plan.hpp"

namespace attach::staged {
namespace {

// The ends of a copy, of which one is the host's.
struct ends {
    const void *one, *other;
    std::size_t bytes, weight;
};

constexpr unsigned most = least_total / least_copy;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
ends early[most];
unsigned count = 0;
std::size_t seen = 0;
bool is_over = false;

bool is_measured() { return memory_log_folder() || settings().changes.verbose; }

}  // namespace

std::size_t weight_of(const transfer& asked) {
    const bool is_slow = asked.is_to_host && is_fresh(asked.host, asked.host_span());
    return is_slow ? weight_of_fresh * asked.bytes : asked.bytes;
}

bool is_worth_asking(const transfer& asked) {
    if (is_measured() || __atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) return true;
    const std::size_t weight = weight_of(asked);
    pthread_mutex_lock(&mutex);
    seen += weight;
    const bool is_enough = is_over || is_due(seen);
    if (is_enough)
        __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    else
        early[count++] = {asked.host, reinterpret_cast<void*>(asked.device), asked.bytes, weight};
    pthread_mutex_unlock(&mutex);
    return is_enough;
}

// Memory that was freed since is no longer known to the driver, and counts as pageable.
std::size_t take_early_weight() {
    std::size_t weight = 0;
    pthread_mutex_lock(&mutex);
    for (; count > 0; --count) {
        const ends& last = early[count - 1];
        if (is_unknown(last.one, last.bytes) || is_unknown(last.other, last.bytes))
            weight += last.weight;
    }
    pthread_mutex_unlock(&mutex);
    return weight;
}

void forget_early() {
    mutex = PTHREAD_MUTEX_INITIALIZER;
    count = 0;
    seen = 0;
    is_over = false;
}

}  // namespace attach::staged
