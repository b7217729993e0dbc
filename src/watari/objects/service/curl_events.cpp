#include "watari/objects/service/curl_events.hpp"

#include "watari/objects/service/errors.hpp"

#include <sys/epoll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>

namespace watari::objects {

curl_events::curl_events(const curl_library& library, CURLM* multi)
    : library_(&library), multi_(multi), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (epoll_.get() < 0) throw system_error("epoll_create1", errno);
    library.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    library.multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
    library.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    library.multi_setopt(multi, CURLMOPT_TIMERDATA, this);
}

void curl_events::watch(CURL* easy) {
    library_->easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    library_->easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, this);
}

int curl_events::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
    const std::uint32_t in = what & CURL_POLL_IN ? EPOLLIN : 0u;
    const std::uint32_t out = what & CURL_POLL_OUT ? EPOLLOUT : 0u;
    static_cast<curl_events*>(self)->want(socket, what == CURL_POLL_REMOVE ? 0 : in | out);
    return 0;
}

/// A socket that libcurl keeps for its next request stays in the set: most requests then need no
/// system call here. `work` takes it out if it reports something meanwhile.
void curl_events::want(int socket, std::uint32_t events) {
    watched& each = sockets_[socket];
    each.wanted = events;
    if (events == 0 || each.registered == events) return;
    epoll_event wanted{};
    wanted.events = events;
    wanted.data.fd = socket;
    epoll_ctl(epoll_.get(), each.registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &wanted);
    each.registered = events;
}

int curl_events::on_close(void* self, curl_socket_t socket) {
    static_cast<curl_events*>(self)->sockets_.erase(socket);
    return close(socket);
}

int curl_events::on_timer(CURLM*, long milliseconds, void* self) {
    auto& timer = static_cast<curl_events*>(self)->timer_;
    if (milliseconds < 0)
        timer.reset();
    else
        timer = clock::now() + std::chrono::milliseconds(milliseconds);
    return 0;
}

void curl_events::act(int socket, int ready) {
    int running = 0;
    const CURLMcode code = library_->multi_socket_action(multi_, socket, ready, &running);
    if (code != CURLM_OK)
        throw service_error(std::string("libcurl: ") + library_->multi_strerror(code));
}

double curl_events::wait_seconds(double most) const {
    if (!timer_) return most;
    return std::clamp(std::chrono::duration<double>(*timer_ - clock::now()).count(), 0.0, most);
}

void curl_events::work(double seconds) {
    std::array<epoll_event, 64> ready;
    const double wait = wait_seconds(seconds);
    const int milliseconds = wait > 0 ? static_cast<int>(wait * 1e3) + 1 : 0;
    const int count =
        epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), milliseconds);
    if (count < 0 && errno != EINTR) throw system_error("epoll_wait", errno);
    for (int i = 0; i < count; ++i) {
        const int socket = ready[static_cast<std::size_t>(i)].data.fd;
        const std::uint32_t events = ready[static_cast<std::size_t>(i)].events;
        const auto found = sockets_.find(socket);
        if (found == sockets_.end()) continue;  // closed by an action of this loop
        if (found->second.wanted == 0) {
            epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
            found->second.registered = 0;
            continue;
        }
        const int in = events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0;
        const int out = events & EPOLLOUT ? CURL_CSELECT_OUT : 0;
        act(socket, in | out | (events & EPOLLERR ? CURL_CSELECT_ERR : 0));
    }
    if (timer_ && *timer_ <= clock::now()) {
        timer_.reset();
        act(CURL_SOCKET_TIMEOUT, 0);
    }
}

}  // namespace watari::objects
