#include "watari/objects/answers.hpp"

#include "watari/objects/service/errors.hpp"

#include <cstdlib>

namespace watari::objects {

namespace {

std::string plain(std::string_view text) {
    constexpr std::pair<std::string_view, char> entities[] = {
        {"&amp;", '&'},   {"&lt;", '<'},  {"&gt;", '>'},  {"&quot;", '"'},
        {"&apos;", '\''}, {"&#34;", '"'}, {"&#39;", '\''}};
    std::string result;
    while (!text.empty()) {
        std::size_t taken = 1;
        char c = text[0];
        for (const auto& [entity, meant] : entities)
            if (text.starts_with(entity)) c = meant, taken = entity.size();
        result += c;
        text.remove_prefix(taken);
    }
    return result;
}

/// A server's words on one line, and not too long for it.
std::string one_line(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
    if (text.size() > 300) text = text.substr(0, 300) + "...";
    return text;
}

}  // namespace

std::string take_element(std::string_view& xml, std::string_view name) {
    const std::string open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
    const std::size_t start = xml.find(open);
    if (start == xml.npos) return xml = "", "";
    xml.remove_prefix(start + open.size());
    const std::size_t end = xml.find(close);
    if (end == xml.npos) return xml = "", "";
    const std::string found = plain(xml.substr(0, end));
    xml.remove_prefix(end + close.size());
    return found;
}

std::string element(std::string_view xml, std::string_view name) { return take_element(xml, name); }

std::string reason_to_repeat(const http_answer& answer) {
    if (answer.longer) return "the answer was longer than the range that was asked for";
    if (answer.failure == http_failure::again) return answer.why;
    for (const long status : {408, 429, 500, 502, 503, 504})
        if (answer.status == status) return "status " + std::to_string(status);
    // a slow body, which S3 reports as if the request were bad
    if (answer.status == 400 && element(answer.text, "Code") == "RequestTimeout")
        return "RequestTimeout";
    // S3 begins to answer before it has completed an upload
    if (answer.status == 200 && answer.text.find("<Error>") != std::string::npos)
        return "status 200 with the error " + one_line(element(answer.text, "Code"));
    return "";
}

std::string wrong_range(const http_answer& answer, const object_facts& of, std::uint64_t offset,
                        std::size_t bytes) {
    const std::string got = answer.field("content-range");
    const std::string expected = "bytes " + std::to_string(offset) + "-" +
                                 std::to_string(offset + bytes - 1) + "/" +
                                 std::to_string(of.bytes);
    // a server that sends the range with status 200 (rclone) says so by Content-Range
    if (answer.status != 206 && got.empty() && (offset != 0 || bytes != of.bytes))
        return "the server ignored the range that was asked for";
    if (got != expected && (answer.status == 206 || !got.empty()))
        return "Content-Range is '" + one_line(got) + "', not '" + expected + "'";
    if (answer.moved != bytes)
        return std::to_string(answer.moved) + " bytes came, not " + std::to_string(bytes);
    return "";
}

void require_same(const http_answer& answer, const object_facts& of) {
    const std::string etag = answer.field("etag");
    if (of.etag.empty() || etag == of.etag) return;
    throw changed_error(of.where.text() + " changed while it was read: its ETag was " + of.etag +
                        (etag.empty() ? ", and is missing" : ", and is " + one_line(etag)));
}

void refused(const http_answer& answer, const question& asked, const service& server) {
    const std::string where = asked.object.text(), code = element(answer.text, "Code");
    std::string region = answer.field("x-amz-bucket-region");
    if (region.empty()) region = element(answer.text, "Region");
    std::string words = "status " + std::to_string(answer.status);
    if (!code.empty()) words += ", " + code;
    if (const std::string message = element(answer.text, "Message"); !message.empty())
        words += ": " + message;
    words = one_line(server.without_secrets(words));
    if (answer.status == 412 || answer.status == 416)
        throw changed_error(where + " changed while it was read (" + words + ")");
    if (code == "NoSuchBucket") throw file_error(where + ": there is no such bucket");
    if (code == "NoSuchUpload") throw no_such_upload(where + ": there is no such upload");
    if (answer.status == 404) throw no_such_object(where + ": there is no such object");
    if (code == "RequestTimeTooSkewed")
        throw file_error(where + ": the server refuses the clock of this machine (" + words +
                         "): set its time");
    if (answer.status == 401 || answer.status == 403)
        throw file_error(where + ": access was denied (" + words + "; " + server.who() + ")");
    if (answer.status == 301 || (answer.status == 400 && !region.empty()))
        throw file_error(where + ": its bucket is in another region (" + words +
                         (region.empty() ? ")" : "); set AWS_REGION=" + one_line(region)));
    if (answer.status == 400 && asked.method == "HEAD")  // without words: a GET gets them
        throw file_error(where + ": the request was refused (" + words + ")");
    throw service_error(where + ": " + asked.method + " failed (" + words + ")");
}

}  // namespace watari::objects
