/// Waits for the sockets of libcurl's multi interface by epoll, so that a wake-up costs as much as
/// the sockets that are ready, not as all of them.
#pragma once

#include "watari/files/descriptor.hpp"
#include "watari/objects/service/curl_library.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace watari::objects {

class curl_events {
public:
    /// Sets the callbacks of `multi`, which must end before this object. Throws system_error.
    curl_events(const curl_library& library, CURLM* multi);
    curl_events(const curl_events&) = delete;
    curl_events& operator=(const curl_events&) = delete;

    /// Has `easy` report the sockets that it closes.
    void watch(CURL* easy);

    /// Lets libcurl work on what is ready, and first waits for it for so many seconds. Throws
    /// service_error.
    void work(double seconds);

private:
    using clock = std::chrono::steady_clock;
    /// A socket in the set: what libcurl waits for (0: nothing), and what epoll reports.
    struct watched {
        std::uint32_t wanted = 0, registered = 0;
    };

    static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void*);
    static int on_timer(CURLM*, long milliseconds, void* self);
    static int on_close(void* self, curl_socket_t socket);
    void want(int socket, std::uint32_t events);
    void act(int socket, int ready);
    double wait_seconds(double most) const;

    const curl_library* library_;
    CURLM* multi_;
    files::descriptor epoll_;
    std::unordered_map<int, watched> sockets_;
    std::optional<clock::time_point> timer_;
};

}  // namespace watari::objects
