/// An object that is written: its bytes in order, in parts of a multipart upload. It appears under
/// its key when it is complete, and not before.
#pragma once

#include "watari/objects/transfers.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace watari::objects {

/// Bytes of part `number`, from 1: 8 MiB, doubled after each 1000 parts. S3 takes 10,000 parts, so
/// that every size up to its limit of 5 TiB has enough.
constexpr std::size_t part_bytes(std::size_t number) {
    return (std::size_t{8} << 20) << ((number - 1) / 1000);
}

/// Used by one thread at a time.
class upload {
public:
    /// Sends nothing. Throws usage_error, unsupported.
    explicit upload(const std::string& url, const settings& how = settings::usual());
    upload(const upload&) = delete;
    upload& operator=(const upload&) = delete;
    ~upload();  ///< aborts what is not complete

    /// Begins an upload in parts now, and returns its name: another process can resume it. Throws
    /// file_error, service_error.
    const std::string& begin();

    /// Continues an upload of the same bytes that another process began: write() sends no part that
    /// the server has already, as its size and, if the server keeps one, its checksum show. False
    /// if there is no such upload any more. Throws file_error, service_error.
    bool resume(const std::string& id);

    /// Ends the use of the upload, and keeps its parts on the server.
    void leave() noexcept;

    /// Appends bytes. Waits while four parts are under way. After an error, which is that of
    /// `complete`, only abort() helps. Throws usage_error after complete() or abort().
    void write(std::span<const std::byte> data);

    /// Sends the rest, and makes the object visible. An object of one part or less is one request.
    /// Throws file_error, service_error.
    void complete();

    /// Removes the parts that were sent. Throws file_error, service_error. Does nothing after
    /// complete() or another abort().
    void abort();

private:
    struct part {
        std::string etag, checksum;
        bool assumed = false;  ///< the server did not say that it keeps this checksum
    };

    bool has_already(std::size_t number, std::size_t bytes);
    void send();
    void take(const std::vector<ended_transfer>& ended);
    struct kept_part {
        std::string etag, checksum, bytes;
    };

    void put_whole();
    void complete_parts();
    bool appeared() const;
    std::optional<object_facts> facts() const;

    std::shared_ptr<const service> server_;
    address where_;
    std::unique_ptr<transfers> connections_;
    std::string id_;                                           ///< of the upload; empty: not begun
    std::optional<object_facts> before_;                       ///< the object that is replaced
    std::vector<std::byte> filling_;                           ///< the next part
    std::map<std::size_t, std::vector<std::byte>> in_flight_;  ///< by number
    std::map<std::size_t, part> sent_;
    std::map<std::size_t, kept_part> kept_;  ///< parts that another process sent
    std::size_t next_ = 1;                   ///< number of the next part
    std::uint64_t bytes_ = 0;
    bool over_ = false;
};

/// An upload that was neither completed nor aborted.
struct open_upload {
    std::string key, id, started;
};

/// Those whose key begins with that of `url`. Throws file_error, service_error.
std::vector<open_upload> list_uploads(const std::string& url,
                                      const settings& how = settings::usual());

/// Aborts one of them. Throws file_error, service_error.
void abort_upload(const std::string& url, const open_upload& which,
                  const settings& how = settings::usual());

}  // namespace watari::objects
