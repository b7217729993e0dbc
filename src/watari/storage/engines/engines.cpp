#include "watari/core/error.hpp"
#include "watari/core/parallel/atomic.hpp"
#include "watari/storage/engines/modelled_time.hpp"
#include "watari/storage/engines/rows.hpp"

#include <sys/prctl.h>
#include <chrono>
#include <thread>

namespace watari::storage {

namespace {

constexpr engine_row table[] = {
    {.name = "posix",
     .deep = false,
     .of_gpu = false,
     .queued = false,
     .of_objects = false,
     .scatters = true,
     .unsupported = posix_unsupported,
     .make = make_posix},
    {.name = "uring",
     .deep = true,
     .of_gpu = false,
     .queued = false,
     .of_objects = false,
     .scatters = true,
     .unsupported = uring_unsupported,
     .make = make_uring},
    {.name = "mmap",
     .deep = false,
     .of_gpu = false,
     .queued = false,
     .of_objects = false,
     .scatters = true,
     .unsupported = mmap_unsupported,
     .make = make_mmap},
    {.name = "cufile",
     .deep = false,
     .of_gpu = true,
     .queued = false,
     .of_objects = false,
     .scatters = false,
     .unsupported = cufile_unsupported,
     .make = make_cufile},
    {.name = "queue",
     .deep = true,
     .of_gpu = false,
     .queued = true,
     .of_objects = false,
     .scatters = true,
     .unsupported = queue_unsupported,
     .make = make_queue},
    {.name = "gpu",
     .deep = true,
     .of_gpu = true,
     .queued = true,
     .of_objects = false,
     .scatters = true,
     .unsupported = gpu_unsupported,
     .make = make_queue},
    {.name = "s3",
     .deep = true,
     .of_gpu = false,
     .queued = false,
     .of_objects = true,
     .scatters = true,
     .unsupported = s3_unsupported,
     .make = make_s3},
};

}  // namespace

void wait_until(double moment) {
    constexpr double polled = 1e-4;  // a sleep may end later
    thread_local const int precise = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    static_cast<void>(precise);
    if (const double left = moment - now(); left > polled)
        std::this_thread::sleep_for(std::chrono::duration<double>(left - polled));
    for (unsigned attempt = 0; now() < moment; ++attempt) cpu::pause(attempt);
}

void engine::flush() {
    options_.files->sync();
    if (const modelled_time held(options_); held.is_on()) held.flush();
}

std::span<const engine_row> engines() { return table; }

const engine_row& engine_named(std::string_view name) {
    for (const engine_row& row : table)
        if (row.name == name) return row;
    throw usage_error("no engine is called '" + std::string(name) + "'");
}

}  // namespace watari::storage
