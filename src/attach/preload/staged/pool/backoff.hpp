// A thread that waits for another one: it spins, then gives its CPU away, then sleeps.
#pragma once

#include <sched.h>
#include <time.h>

namespace attach::staged {

inline void pause_briefly() {
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

class backoff {
public:
    void pass() {
        constexpr unsigned spins = 2000, yields = 4000;
        ++passed;
        if (passed < spins)
            pause_briefly();
        else if (passed < yields)
            sched_yield();
        else
            nap();
    }
    void renew() { passed = 0; }

private:
    static void nap() {
        const timespec time{0, 20'000};
        nanosleep(&time, nullptr);
    }
    unsigned passed = 0;
};

}  // namespace attach::staged
