#include "watari/objects/transfers.hpp"

#include "watari/objects/answers.hpp"
#include "watari/objects/service/errors.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace watari::objects {

namespace {

constexpr unsigned most_redirects = 5;
/// A signature of a read leaves out the range, so that one serves all ranges of an object for so
/// many seconds. A server takes it for 15 minutes.
constexpr std::chrono::seconds signature_life{60};

bool is_redirect(const http_answer& answer) {
    for (const long status : {301, 302, 303, 307, 308})
        if (answer.status == status) return !answer.field("location").empty();
    return false;
}

/// Seconds of `Retry-After`; 0 if it has none, or a date.
double retry_after(const http_answer& answer) {
    const std::string text = answer.field("retry-after");
    unsigned seconds = 0;
    const char* end = text.data() + text.size();
    return !text.empty() && std::from_chars(text.data(), end, seconds).ptr == end ? seconds : 0;
}

/// The request for an object's bytes, without the range: the version that was seen first.
question read_of(const object_facts& of) {
    question asked{
        .method = "GET", .object = of.where, .headers = {{"x-amz-checksum-mode", "ENABLED"}}};
    if (!of.etag.empty()) asked.headers.emplace_back("If-Match", of.etag);
    return asked;
}

std::size_t slot_count(std::size_t depth) { return std::max<std::size_t>(depth, 1); }

}  // namespace

transfers::transfers(std::shared_ptr<const service> server, std::size_t depth)
    : server_(std::move(server)),
      http_(slot_count(depth), server_->how().patience, is_loopback(server_->base().name())),
      jobs_(slot_count(depth)) {
    for (std::size_t i = jobs_.size(); i > 0; --i) idle_.push_back(i - 1);
}

std::string transfers::name_of(const job& of) {
    return of.of ? of.of->where.text() : of.asked.object.text();
}

void transfers::push_read(const object_facts& of, std::uint64_t offset, std::span<const iovec> into,
                          std::size_t bytes, std::uint64_t tag) {
    add({.tag = tag, .of = &of, .offset = offset, .bytes = bytes, .into = into});
}

void transfers::push(question asked, std::uint64_t tag) {
    add({.asked = std::move(asked), .tag = tag});
}

void transfers::add(job added) {
    waiting_.push_back(std::move(added));
    ++under_way_;
    start_due();
}

void transfers::start_due() {
    const clock::time_point now = clock::now();
    for (std::size_t i = 0; i < waiting_.size() && !idle_.empty();) {
        if (waiting_[i].due > now) {
            ++i;
            continue;
        }
        const std::size_t slot = idle_.back();
        idle_.pop_back();
        jobs_[slot] = std::move(waiting_[i]);
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        start(slot);
    }
}

std::shared_ptr<const signed_question> transfers::signed_read(const object_facts& of) {
    const clock::time_point now = clock::now();
    if (signed_for_ != &of || now - signed_at_ > signature_life) {
        const question asked = read_of(of);
        signed_read_ = std::make_shared<signed_question>(server_->sign(asked));
        signed_for_ = &of;
        signed_at_ = now;
    }
    return signed_read_;
}

void transfers::start(std::size_t slot) {
    job& each = *jobs_[slot];
    ++each.attempts;
    http_request request;
    if (each.of) {
        request.asked = each.redirect ? each.redirect : signed_read(*each.of);
        request.range =
            std::to_string(each.offset) + "-" + std::to_string(each.offset + each.bytes - 1);
        request.into = each.into;
    } else {
        request.method = each.asked.method;
        request.asked = each.redirect
                            ? each.redirect
                            : std::make_shared<signed_question>(server_->sign(each.asked));
        request.body = each.asked.body;
    }
    http_.start(slot, request);
}

double transfers::seconds_to_next() const {
    double least = 1;
    if (idle_.empty()) return least;
    for (const job& each : waiting_)
        least = std::min(least, std::chrono::duration<double>(each.due - clock::now()).count());
    return std::max(least, 0.0);
}

std::vector<ended_transfer> transfers::advance(bool waits, const std::atomic<bool>* stopped) {
    std::vector<ended_transfer> result;
    while (under_way_ > 0 && result.empty() && !(stopped && *stopped)) {
        start_due();
        for (const std::size_t slot : http_.wait(waits ? seconds_to_next() : 0)) end(slot, result);
        if (!waits) break;
    }
    start_due();
    return result;
}

std::vector<ended_transfer> transfers::wait() { return advance(true); }
std::vector<ended_transfer> transfers::wait(const std::atomic<bool>& stopped) {
    return advance(true, &stopped);
}
std::vector<ended_transfer> transfers::step() { return advance(false); }

http_answer transfers::ask(question asked) {
    push(std::move(asked), 0);
    return std::move(wait().at(0).answer);
}

void transfers::end(std::size_t slot, std::vector<ended_transfer>& into) {
    http_answer& answer = http_.answer(slot);
    job each = std::move(*jobs_[slot]);
    jobs_[slot].reset();
    idle_.push_back(slot);
    std::string why = reason_to_repeat(answer);
    if (!why.empty()) return repeat(each, answer, why);
    if (answer.failure == http_failure::final)
        throw service_error(name_of(each) + ": " + server_->without_secrets(answer.why));
    if (is_redirect(answer)) return follow(each, answer);
    if (answer.status < 200 || answer.status > 299)
        refused(answer, each.of ? read_of(*each.of) : each.asked, *server_);
    if (each.of) {
        require_same(answer, *each.of);
        why = wrong_range(answer, *each.of, each.offset, each.bytes);
        if (!why.empty()) return repeat(each, answer, why);
    }
    --under_way_;
    into.push_back({each.tag, std::move(answer)});
}

void transfers::repeat(job& of, const http_answer& answer, const std::string& why) {
    const settings& how = server_->how();
    if (of.attempts >= how.attempts)
        throw service_error(name_of(of) + ": " + std::to_string(of.attempts) +
                            " attempts failed; the last: " + server_->without_secrets(why));
    const double doubled =
        how.first_pause * static_cast<double>(1ull << std::min(of.attempts - 1, 30u));
    const double most = std::min(doubled, how.longest_pause);
    const double pause = std::max(std::uniform_real_distribution<double>(most / 2, most)(random_),
                                  std::min(retry_after(answer), how.longest_pause));
    of.due = clock::now() +
             std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(pause));
    of.redirect.reset();
    of.redirects = 0;
    waiting_.push_back(std::move(of));
}

void transfers::follow(job& of, const http_answer& answer) {
    const question asked = of.of ? read_of(*of.of) : of.asked;
    const std::string name = name_of(of);
    if (++of.redirects > most_redirects)
        throw file_error(name + ": the server redirects without end");
    const url_parts from = parse_url(of.redirect ? of.redirect->url : server_->sign(asked).url);
    const std::string location = answer.field("location");
    try {
        const url_parts to =
            parse_url(location.starts_with("/") ? from.origin() + location : location);
        of.redirect = std::make_shared<signed_question>(server_->redirected(asked, from, to));
    } catch (const usage_error& refusal) {
        throw service_error(name + ": a redirect is not followed: " + refusal.what());
    }
    --of.attempts;
    waiting_.push_back(std::move(of));
}

}  // namespace watari::objects
