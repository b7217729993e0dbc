#include "watari/objects/upload.hpp"

#include "watari/objects/answers.hpp"
#include "watari/objects/crc32c.hpp"
#include "watari/objects/errors.hpp"
#include "watari/objects/object.hpp"

#include <algorithm>
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

std::string required(const std::string& value, const char* what, const address& where) {
    if (value.empty()) throw service_error(where.text() + ": the server answered without " + what);
    return value;
}

}  // namespace

upload::upload(const std::string& url, const settings& how) : where_(parse_address(url)) {
    if (where_.key.empty()) throw usage_error("'" + url + "' names a bucket, not an object in it");
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

void upload::begin() {
    before_ = facts();
    const http_answer answer =
        connections_->ask({.method = "POST",
                           .object = where_,
                           .query = {{"uploads", ""}},
                           .headers = {{"x-amz-checksum-algorithm", "CRC32C"}}});
    id_ = required(element(answer.text, "UploadId"), "an UploadId", where_);
}

void upload::send() {
    if (id_.empty()) begin();
    while (connections_->under_way() >= parts_in_flight) take(connections_->wait());
    const std::size_t number = next_++;
    const std::vector<std::byte>& data = in_flight_[number] = std::exchange(filling_, {});
    sent_[number].checksum = crc32c_text(crc32c(data));
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
    for (const auto& [number, each] : sent_) {
        list += "<Part><ETag>" + escaped(each.etag) + "</ETag>";
        if (!each.checksum.empty())
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
        for (std::size_t at; (at = rest.find("<Upload>")) != rest.npos;) {
            rest.remove_prefix(at);
            const std::string_view one = rest.substr(0, rest.find("</Upload>"));
            result.push_back(
                {element(one, "Key"), element(one, "UploadId"), element(one, "Initiated")});
            rest.remove_prefix(one.size());
        }
    }
    return result;
}

void abort_upload(const std::string& url, const open_upload& which, const settings& how) {
    const address where{parse_address(url).bucket, which.key};
    transfers(std::make_shared<service>(where.bucket, how), 1)
        .ask({.method = "DELETE", .object = where, .query = {{"uploadId", which.id}}});
}

}  // namespace watari::objects
