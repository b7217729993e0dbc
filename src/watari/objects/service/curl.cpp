#include "watari/objects/service/curl.hpp"

#include "watari/objects/service/curl_events.hpp"
#include "watari/objects/service/curl_library.hpp"
#include "watari/objects/service/errors.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace watari::objects {

namespace {

constexpr std::size_t longest_text = std::size_t{4} << 20;  ///< a page of a listing has less
constexpr long connect_seconds = 10;
constexpr long receive_bytes = 128 << 10;  ///< of libcurl's own buffer, which stays in the cache

class header_list {
public:
    header_list() = default;
    header_list(const header_list&) = delete;
    header_list& operator=(const header_list&) = delete;
    ~header_list() { clear(); }

    void set(const std::vector<std::string>& lines) {
        clear();
        const curl_library& library = libcurl();
        for (const std::string& line : lines) list_ = library.slist_append(list_, line.c_str());
    }
    curl_slist* get() const { return list_; }

private:
    void clear() {
        if (list_) libcurl().slist_free_all(list_);
        list_ = nullptr;
    }
    curl_slist* list_ = nullptr;
};

/// One request in flight, and its answer.
struct slot {
    CURL* easy = nullptr;
    std::shared_ptr<const signed_question> asked;  ///< whose settings the handle has
    header_list headers;
    http_request request;
    http_answer answer;
    std::size_t piece = 0, inside = 0;  ///< where the next bytes go
    std::size_t whole = 0;              ///< bytes of all pieces
    bool in_flight = false;

    bool takes_body() const {
        return !request.into.empty() && (answer.status == 206 || answer.status == 200);
    }
};

bool matters(std::string_view name) {
    for (const char* each : {"etag", "content-range", "content-length", "location", "retry-after"})
        if (name == each) return true;
    return name.starts_with("x-amz-");
}

/// libcurl's callback for each line of the headers.
std::size_t take_header(char* data, std::size_t, std::size_t bytes, void* where) {
    slot& to = *static_cast<slot*>(where);
    std::string_view line(data, bytes);
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("HTTP/")) {  // the first line; 100 Continue has one of its own
        to.answer.fields.clear();
        const std::size_t space = std::min(line.find(' '), line.size());
        line.remove_prefix(std::min(space + 1, line.size()));
        to.answer.status = 0;
        std::from_chars(line.data(), line.data() + line.size(), to.answer.status);
        return bytes;
    }
    const std::size_t colon = line.find(':');
    if (colon == line.npos || colon > 64) return bytes;
    char lower[64];
    std::transform(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), lower,
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string_view name(lower, colon);
    if (!matters(name)) return bytes;
    line.remove_prefix(colon + 1);
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    to.answer.fields.emplace_back(name, line);
    return bytes;
}

/// libcurl's callback for each piece of the body. Fewer bytes than given end the transfer.
std::size_t take_body(char* data, std::size_t, std::size_t bytes, void* where) {
    slot& to = *static_cast<slot*>(where);
    if (!to.takes_body()) {
        to.answer.text.append(data, std::min(bytes, longest_text - to.answer.text.size()));
        return bytes;
    }
    if (bytes > to.whole - to.answer.moved) {
        to.answer.longer = true;
        return 0;
    }
    for (std::size_t left = bytes; left > 0;) {
        const iovec& piece = to.request.into[to.piece];
        const std::size_t some = std::min(left, piece.iov_len - to.inside);
        if (piece.iov_base) std::memcpy(static_cast<char*>(piece.iov_base) + to.inside, data, some);
        data += some;
        left -= some;
        if ((to.inside += some) == piece.iov_len) ++to.piece, to.inside = 0;
    }
    to.answer.moved += bytes;
    return bytes;
}

http_failure kind_of(CURLcode code) {
    switch (code) {
        case CURLE_OK:
            return http_failure::none;
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_CONNECT:
        case CURLE_WEIRD_SERVER_REPLY:
        case CURLE_PARTIAL_FILE:
        case CURLE_OPERATION_TIMEDOUT:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_GOT_NOTHING:
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
        case CURLE_UNSUPPORTED_PROTOCOL:  // an answer that is not HTTP
        case CURLE_WRITE_ERROR:           // the body was longer: take_body ended it
            return http_failure::again;
        default:
            return http_failure::final;
    }
}

/// Whether a variable names a proxy, which libcurl then asks instead of the server.
bool by_proxy() {
    for (const char* name : {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"})
        if (const char* value = std::getenv(name); value && *value) return true;
    return false;
}

/// Why a transfer failed, and what helps. No user, password or query of a URL.
std::string words_of(const curl_library& library, CURLcode code, const std::string& url,
                     bool to_this_machine) {
    if (code == CURLE_PEER_FAILED_VERIFICATION)
        return "the server's certificate is not trusted; AWS_CA_BUNDLE names a file of those that "
               "are";
    if (code == CURLE_SSL_CACERT_BADFILE) return "no certificates are in the file AWS_CA_BUNDLE";
    std::string words = library.easy_strerror(code);
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST)
        words += ": " + parse_url(url).origin();
    if (!to_this_machine && by_proxy()) words += " (a variable sets a proxy: https_proxy, ...)";
    return words;
}

void set_common(const curl_library& library, CURL* easy, unsigned patience) {
    library.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    library.easy_setopt(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    library.easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);  // the path is signed as it stands
    library.easy_setopt(easy, CURLOPT_USERAGENT, "watari");
    library.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, connect_seconds);
    library.easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    library.easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(patience));
    if (const char* bundle = std::getenv("AWS_CA_BUNDLE"); bundle && *bundle)
        library.easy_setopt(easy, CURLOPT_CAINFO, bundle);
}

}  // namespace

struct http::state {
    const curl_library& library = required_libcurl();
    CURLM* multi = nullptr;
    std::optional<curl_events> events;
    std::vector<slot> slots;
    std::vector<std::size_t> ended;
    unsigned patience;
    bool to_this_machine;

    void configure(slot& in);
    void collect();
};

http::http(std::size_t slots, unsigned patience, bool to_this_machine)
    : state_(std::make_unique<state>()) {
    state_->patience = patience;
    state_->to_this_machine = to_this_machine;
    state_->slots = std::vector<slot>(slots);
    state_->multi = state_->library.multi_init();
    if (!state_->multi) throw service_error("libcurl has no memory");
    state_->library.multi_setopt(state_->multi, CURLMOPT_MAXCONNECTS, static_cast<long>(slots));
    state_->events.emplace(state_->library, state_->multi);
}

http::~http() {
    for (slot& each : state_->slots) {
        if (each.in_flight) state_->library.multi_remove_handle(state_->multi, each.easy);
        if (each.easy) state_->library.easy_cleanup(each.easy);
    }
    state_->library.multi_cleanup(state_->multi);
}

/// Sets what follows from the question: it is the same for all ranges of an object.
void http::state::configure(slot& in) {
    if (in.easy)
        library.easy_reset(in.easy);
    else if (!(in.easy = library.easy_init()))
        throw service_error("libcurl has no memory");
    const http_request& request = in.request;
    CURL* easy = in.easy;
    in.asked = request.asked;
    set_common(library, easy, patience);
    events->watch(easy);
    if (to_this_machine) library.easy_setopt(easy, CURLOPT_NOPROXY, "*");
    library.easy_setopt(easy, CURLOPT_BUFFERSIZE, receive_bytes);
    library.easy_setopt(easy, CURLOPT_URL, request.asked->url.c_str());
    std::vector<std::string> lines = request.asked->headers;
    if (request.method == "HEAD") library.easy_setopt(easy, CURLOPT_NOBODY, 1L);
    if (request.method == "PUT" || request.method == "POST") {
        lines.insert(lines.end(), {"Expect:", "Content-Type:"});  // none of libcurl's own
        library.easy_setopt(easy, CURLOPT_POST, 1L);
        library.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                            static_cast<curl_off_t>(request.body.size()));
        library.easy_setopt(easy, CURLOPT_POSTFIELDS,
                            request.body.empty() ? "" : request.body.data());
    }
    if (request.method == "PUT" || request.method == "DELETE")
        library.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    in.headers.set(lines);
    library.easy_setopt(easy, CURLOPT_HTTPHEADER, in.headers.get());
    library.easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    library.easy_setopt(easy, CURLOPT_HEADERDATA, &in);
    library.easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    library.easy_setopt(easy, CURLOPT_WRITEDATA, &in);
    library.easy_setopt(easy, CURLOPT_PRIVATE, reinterpret_cast<char*>(&in));
}

void http::start(std::size_t number, const http_request& request) {
    slot& in = state_->slots[number];
    in.request = request;
    in.answer = {};
    in.piece = in.inside = in.whole = 0;
    for (const iovec& piece : request.into) in.whole += piece.iov_len;
    if (!in.easy || in.asked != request.asked) state_->configure(in);
    state_->library.easy_setopt(in.easy, CURLOPT_RANGE,
                                request.range.empty() ? nullptr : request.range.c_str());
    const CURLMcode code = state_->library.multi_add_handle(state_->multi, in.easy);
    if (code != CURLM_OK)
        throw service_error(std::string("libcurl: ") + state_->library.multi_strerror(code));
    in.in_flight = true;
}

void http::state::collect() {
    int left = 0;
    while (const CURLMsg* message = library.multi_info_read(multi, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        const CURLcode code = message->data.result;
        CURL* easy = message->easy_handle;
        char* which = nullptr;
        library.easy_getinfo(easy, CURLINFO_PRIVATE, &which);
        slot& in = *reinterpret_cast<slot*>(which);
        library.multi_remove_handle(multi, easy);
        in.in_flight = false;
        in.answer.failure = kind_of(code);
        if (code != CURLE_OK)
            in.answer.why = words_of(library, code, in.asked->url, to_this_machine);
        ended.push_back(static_cast<std::size_t>(&in - slots.data()));
    }
}

std::span<const std::size_t> http::wait(double seconds) {
    state_->ended.clear();
    state_->events->work(seconds);
    state_->collect();
    return state_->ended;
}

http_answer& http::answer(std::size_t slot) { return state_->slots[slot].answer; }

std::string small_answer(const std::string& url, const std::string& proof) {
    auto asked = std::make_shared<signed_question>();
    asked->url = url;
    if (!proof.empty()) asked->headers.push_back("Authorization: " + proof);
    http connection(1, 5, true);
    connection.start(0, {.asked = asked});
    while (connection.wait(1).empty()) {
    }
    const http_answer& answer = connection.answer(0);
    if (answer.failure != http_failure::none)
        throw service_error("the server of credentials did not answer: " + answer.why);
    if (answer.status != 200)
        throw service_error("the server of credentials answered with status " +
                            std::to_string(answer.status));
    return answer.text;
}

}  // namespace watari::objects
