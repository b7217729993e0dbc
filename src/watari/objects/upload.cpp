#include "watari/objects/upload.hpp"

#include "watari/objects/answers.hpp"
#include "watari/objects/crc32c.hpp"
#include "watari/objects/object.hpp"
#include "watari/objects/object_set.hpp"
#include "watari/objects/service/errors.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

namespace watari::objects {

namespace {

constexpr std::size_t parts_in_flight = 4;
constexpr const char* checksum_name = "x-amz-checksum-crc32c";

std::string_view as_text(std::span<const std::byte> data) {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text)
        result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    return result;
}

/// Throws if the server computed another checksum from what it received.
void require_received(const http_answer& answer, const std::string& sent, const address& where) {
    const std::string got = answer.field(checksum_name);
    if (!got.empty() && got != sent)
        throw service_error(where.text() + ": the server received other bytes: their CRC-32C is " +
                            got + ", not " + sent);
}

/// The texts between <name> and </name>, for a name without attributes.
std::vector<std::string_view> elements(std::string_view xml, const std::string& name) {
    std::vector<std::string_view> result;
    for (std::size_t at; (at = xml.find("<" + name + ">")) != xml.npos;) {
        xml.remove_prefix(at);
        result.push_back(xml.substr(0, xml.find("</" + name + ">")));
        xml.remove_prefix(result.back().size());
    }
    return result;
}

std::size_t number_of(const std::string& text) {
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::string required(const std::string& value, const char* what, const address& where) {
    if (value.empty()) throw service_error(where.text() + ": the server answered without " + what);
    return value;
}

}  // namespace

upload::upload(const std::string& url, const settings& how) : where_(object_address(url)) {
    server_ = std::make_shared<service>(where_.bucket, how);
    connections_ = std::make_unique<transfers>(server_, parts_in_flight);
}

upload::~upload() {
    try {
        abort();
    } catch (const std::exception&) {
        // the upload stays, and list_uploads shows it
    }
}

void upload::write(std::span<const std::byte> data) {
    if (over_) throw usage_error(where_.text() + ": its upload is over");
    while (!data.empty()) {
        const std::size_t whole = part_bytes(next_);
        const std::size_t some = std::min(data.size(), whole - filling_.size());
        if (filling_.empty()) filling_.reserve(std::min(whole, part_bytes(1)));
        filling_.insert(filling_.end(), data.begin(),
                        data.begin() + static_cast<std::ptrdiff_t>(some));
        data = data.subspan(some);
        bytes_ += some;
        if (filling_.size() == whole) send();
    }
    if (connections_->under_way() > 0) take(connections_->step());
}

const std::string& upload::begin() {
    before_ = facts();
    const http_answer answer =
        connections_->ask({.method = "POST",
                           .object = where_,
                           .query = {{"uploads", ""}},
                           .headers = {{"x-amz-checksum-algorithm", "CRC32C"}}});
    return id_ = required(element(answer.text, "UploadId"), "an UploadId", where_);
}

bool upload::resume(const std::string& id) {
    before_ = facts();
    std::string after = "0";
    for (bool more = true; more;) {
        http_answer answer;
        try {
            answer = transfers(server_, 1)
                         .ask({.method = "GET",
                               .object = where_,
                               .query = {{"part-number-marker", after}, {"uploadId", id}}});
        } catch (const no_such_upload&) {
            return false;
        }
        std::string_view rest = answer.text;
        const std::string next = element(rest, "NextPartNumberMarker");
        more = element(rest, "IsTruncated") == "true" && !next.empty() && next != after;
        after = next;
        for (const std::string_view one : elements(rest, "Part"))
            kept_[number_of(element(one, "PartNumber"))] = {
                element(one, "ETag"), element(one, "ChecksumCRC32C"), element(one, "Size")};
    }
    id_ = id;
    return true;
}

void upload::leave() noexcept {
    over_ = true;
    id_.clear();
}

/// Whether the server has this part, whose checksum is known, from before. The last one that it has
/// is sent again: its answer shows whether the server keeps checksums, which a list may leave out.
bool upload::has_already(std::size_t number, std::size_t bytes) {
    const auto found = kept_.find(number);
    if (found == kept_.end() || number == kept_.rbegin()->first || found->second.etag.empty() ||
        found->second.bytes != std::to_string(bytes))
        return false;
    part& own = sent_[number];
    const std::string& checksum = found->second.checksum;
    if (!checksum.empty() && checksum != own.checksum) return false;
    own.etag = found->second.etag;
    own.assumed = checksum.empty();
    return true;
}

void upload::send() {
    if (id_.empty()) begin();
    while (connections_->under_way() >= parts_in_flight) take(connections_->wait());
    const std::size_t number = next_++;
    sent_[number].checksum = crc32c_text(crc32c(filling_));
    if (has_already(number, filling_.size())) return filling_.clear();
    const std::vector<std::byte>& data = in_flight_[number] = std::exchange(filling_, {});
    connections_->push({.method = "PUT",
                        .object = where_,
                        .query = {{"partNumber", std::to_string(number)}, {"uploadId", id_}},
                        .headers = {{checksum_name, sent_[number].checksum}},
                        .body = as_text(data)},
                       number);
}

void upload::take(const std::vector<ended_transfer>& ended) {
    for (const ended_transfer& each : ended) {
        part& done = sent_[each.tag];
        require_received(each.answer, done.checksum, where_);
        if (each.answer.field(checksum_name).empty()) done.checksum.clear();
        done.etag = required(each.answer.field("etag"), "an ETag", where_);
        in_flight_.erase(each.tag);
    }
}

void upload::complete() {
    if (over_) throw usage_error(where_.text() + ": its upload is over");
    if (id_.empty())
        put_whole();
    else
        complete_parts();
    over_ = true;
}

void upload::put_whole() {
    const std::string checksum = crc32c_text(crc32c(filling_));
    const http_answer answer = connections_->ask({.method = "PUT",
                                                  .object = where_,
                                                  .headers = {{checksum_name, checksum}},
                                                  .body = as_text(filling_),
                                                  .signed_body = filling_.size() < 65536});
    require_received(answer, checksum, where_);
}

void upload::complete_parts() {
    if (!filling_.empty()) send();
    while (connections_->under_way() > 0) take(connections_->wait());
    std::string list =
        "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
    const bool keeps_checksums = std::ranges::any_of(sent_, [](const auto& each) {
        return !each.second.assumed && !each.second.checksum.empty();
    });
    for (const auto& [number, each] : sent_) {
        list += "<Part><ETag>" + escaped(each.etag) + "</ETag>";
        if (!each.checksum.empty() && (!each.assumed || keeps_checksums))
            list += "<ChecksumCRC32C>" + each.checksum + "</ChecksumCRC32C>";
        list += "<PartNumber>" + std::to_string(number) + "</PartNumber></Part>";
    }
    list += "</CompleteMultipartUpload>";
    try {
        connections_->ask({.method = "POST",
                           .object = where_,
                           .query = {{"uploadId", id_}},
                           .body = list,
                           .signed_body = true});
    } catch (const file_error&) {
        if (!appeared()) throw;
    }
}

/// An attempt may complete the upload and lose the answer; the next one then learns that there is
/// no such upload.
bool upload::appeared() const {
    const std::optional<object_facts> now = facts();
    return now && now->bytes == bytes_ && (!before_ || before_->etag != now->etag);
}

std::optional<object_facts> upload::facts() const try {
    return object(where_.text(), server_->how()).facts();
} catch (const file_error&) {
    return std::nullopt;  // missing, or only writable
}

void upload::abort() {
    if (std::exchange(over_, true) || id_.empty()) return;
    connections_.reset();  // ends parts in flight, which would come back after the abort
    transfers(server_, 1).ask({.method = "DELETE", .object = where_, .query = {{"uploadId", id_}}});
}

std::vector<open_upload> list_uploads(const std::string& url, const settings& how) {
    const address where = parse_address(url), bucket{where.bucket, ""};
    transfers connection(std::make_shared<service>(where.bucket, how), 1);
    std::vector<open_upload> result;
    name_values query{{"uploads", ""}, {"prefix", where.key}};
    for (bool more = true; more;) {
        const http_answer answer =
            connection.ask({.method = "GET", .object = bucket, .query = query});
        std::string_view rest = answer.text;
        more = element(rest, "IsTruncated") == "true";
        query.resize(2);
        query.emplace_back("key-marker", element(rest, "NextKeyMarker"));
        query.emplace_back("upload-id-marker", element(rest, "NextUploadIdMarker"));
        more = more && !query.back().second.empty();
        for (const std::string_view one : elements(rest, "Upload"))
            result.push_back(
                {element(one, "Key"), element(one, "UploadId"), element(one, "Initiated")});
    }
    return result;
}

void abort_upload(const std::string& url, const open_upload& which, const settings& how) {
    const address where{parse_address(url).bucket, which.key};
    transfers(std::make_shared<service>(where.bucket, how), 1)
        .ask({.method = "DELETE", .object = where, .query = {{"uploadId", which.id}}});
}

}  // namespace watari::objects
