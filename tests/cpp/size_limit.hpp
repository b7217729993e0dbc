/// A limit on the sizes of files, which stands for a full disk.
#pragma once

#include <signal.h>
#include <sys/resource.h>

namespace watari {

/// During its lifetime a write behind the first `bytes` of any file fails.
class size_limit {
public:
    explicit size_limit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit little{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &little);
    }
    ~size_limit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        signal(SIGXFSZ, handler_);
    }
    size_limit(const size_limit&) = delete;
    size_limit& operator=(const size_limit&) = delete;

private:
    rlimit before_{};
    sighandler_t handler_ = signal(SIGXFSZ, SIG_IGN);
};

}  // namespace watari
