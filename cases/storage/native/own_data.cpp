#include "own_data.hpp"

#include "watari/core/error.hpp"
#include "watari/files/descriptor.hpp"
#include "watari/files/file_state.hpp"
#include "watari/objects/object.hpp"
#include "watari/objects/service/address.hpp"

#include <fcntl.h>
#include <cstring>
#include <map>
#include <memory>

namespace watari::cases {

namespace {

bool in_objects(const storage_parameters& p) { return objects::is_address(p.own.paths.front()); }

/// One block at a time, from the files or objects, each of which is opened when it is first read.
class second_reader {
public:
    explicit second_reader(const storage_parameters& p) : p_(&p) {}

    /// Whether the block at an offset of the store has this content.
    bool is_equal(std::uint64_t at, std::span<const std::byte> content) {
        const std::string& path = p_->own.paths[at / files::file_room];
        const std::uint64_t offset = at % files::file_room;
        if (!in_objects(*p_)) {
            auto& file = files_.try_emplace(path, path, O_RDONLY | O_CLOEXEC).first->second;
            const std::string found = files::bytes_of(file.get(), offset, content.size());
            return found.size() == content.size() &&
                   std::memcmp(found.data(), content.data(), found.size()) == 0;
        }
        std::unique_ptr<objects::object>& object = objects_[path];
        if (!object) object = std::make_unique<objects::object>(path);
        std::vector<std::byte> found(content.size());
        const objects::range wanted{offset, found};
        object->read(std::span(&wanted, 1));
        return std::memcmp(found.data(), content.data(), found.size()) == 0;
    }

private:
    const storage_parameters* p_;
    std::map<std::string, files::descriptor> files_;
    std::map<std::string, std::unique_ptr<objects::object>> objects_;
};

}  // namespace

void require_own(const storage_parameters& p, const storage::engine_row& row) {
    if (p.direction == files::direction::write)
        throw usage_error("direction=write: a file of the user is only read");
    if (p.files != 1) throw usage_error("files: the user's file is as it is; leave files out");
    if (p.own.bytes < p.block || p.size > p.own.paths.size() * (p.own.bytes / p.block) * p.block)
        throw usage_error("size: more blocks than the file has");
    const bool object = in_objects(p);
    if (object != row.of_objects)
        throw usage_error(object ? "engine " + std::string(row.name) + " opens files, not objects"
                                 : "engine s3 reads an object: file=s3://bucket/key");
}

void add_own(const storage_parameters& p, storage::store_options& into) {
    if (in_objects(p)) {
        into.objects = p.own.paths;
        return;
    }
    into.files = {
        .paths = p.own.paths, .cache = p.cache, .padded = true, .apart = p.own.paths.size() > 1};
}

std::size_t wrong_blocks(const storage_parameters& p, const blocks_in_memory& blocks) {
    const std::vector<std::byte> found = blocks.copy();
    second_reader reader(p);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < blocks.offsets().size(); ++i)
        wrong +=
            !reader.is_equal(blocks.offsets()[i], std::span(found).subspan(i * p.block, p.block));
    return wrong;
}

}  // namespace watari::cases
