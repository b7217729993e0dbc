// The second Ctrl-C or SIGTERM ends the process, whatever its threads do. Python's own handlers run
// between two steps of its main thread, so not while this thread is in C++. But Python's C handler
// writes each signal's number to a pipe (signal.set_wakeup_fd) at once.
#include "module.hpp"

#include "watari/core/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace {

using namespace watari;

/// Ends the children by their process groups: trials and launchers have groups of their own.
void end_children() {
    std::error_code none;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
        const std::string children = text_of(task.path() / "children").value_or("");
        for (std::string_view left = children; !left.empty();) {
            const int child = std::atoi(std::string(take_until(left, ' ')).c_str());
            if (child > 0 && kill(-child, SIGTERM) != 0) kill(child, SIGTERM);
        }
    }
}

void end_at_second_signal(int pipe) {
    for (int count = 0;;) {
        unsigned char number = 0;
        const ssize_t got = read(pipe, &number, 1);
        if (got == 0 || (got < 0 && errno != EINTR)) return;
        if (got < 0 || (number != SIGINT && number != SIGTERM) || ++count < 2) continue;
        constexpr std::string_view line = "watari: ended at once by a second signal\n";
        [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
        end_children();
        std::signal(number, SIG_DFL);
        kill(getpid(), number);
    }
}

/// Returns the pipe for the numbers of signals. One thread, which blocks all signals, reads them.
int signal_pipe() {
    static const int writable = [] {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return -1;
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        std::thread(end_at_second_signal, ends[0]).detach();
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return ends[1];
    }();
    return writable;
}

}  // namespace

static void bind_interrupts(nb::module_& module) {
    module.def(
        "signal_pipe", signal_pipe,
        "A descriptor for signal.set_wakeup_fd: the second SIGINT or SIGTERM that is reported "
        "there ends this process and its children. -1: none.");
}

static const binding interrupts_bindings(bind_interrupts);
