#include "stored_matrix.hpp"

#include "watari/core/error.hpp"
#include "watari/files/file_state.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/backends/modelled.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/engines/engine.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <filesystem>

namespace watari::hmatrix {

namespace {

namespace fs = std::filesystem;

constexpr const char* memory_folder = "/dev/shm";  ///< a file system in memory
constexpr std::uint64_t part = std::uint64_t{1} << 26;
constexpr std::string_view modelled = "modelled:";

bool is_queued(const case_parameters& p) {
    return storage::engine_named(p.solve.product.engine).queued;
}
bool is_modelled(const case_parameters& p) { return p.store.starts_with(modelled); }

const case_parameters& required(const case_parameters& p) {
    const auto require_queues = [&](bool needed, const std::string& what) {
        if (needed && !is_queued(p))
            throw unsupported(what + " is behind queues, engine=queue or engine=gpu; engine " +
                              p.solve.product.engine + " opens files");
    };
    require_queues(p.fault != "none", "fault=" + p.fault);
    require_queues(is_modelled(p), "store=" + p.store);
    return p;
}

std::string name_of(const surface& of, const case_parameters& p) {
    const identity id = identity_of(of, p.build);
    const bool own = p.store != "file";
    std::string name = own ? memory_folder : p.folder;
    name += "/watari-hmatrix-" + std::to_string(checksum_of(&id, sizeof id));
    return own ? name + "-" + std::to_string(getpid()) + ".data" : name + ".data";
}

/// Throws unsupported, before a build writes anything, if the disk has too little room. An earlier,
/// stopped build has a part already.
void require_disk(const case_parameters& p, const std::string& path) {
    std::error_code absent;
    const std::uintmax_t begun = fs::file_size(path + ".partial", absent);
    const std::uint64_t room = fs::space(p.folder).available + (absent ? 0 : begun);
    if (room < p.expected_bytes)
        throw unsupported(p.folder + " has room for " + bytes_text(room) +
                          ", and the matrix takes about " + bytes_text(p.expected_bytes) +
                          "; choose a smaller mesh or another folder");
}

}  // namespace

stored_matrix::stored_matrix(const surface& of, const case_parameters& p)
    : given_(required(p)), path_(name_of(of, p)) {
    if (p.store == "file") fs::create_directories(p.folder);
    if (!is_there(identity_of(of, p.build))) {
        if (p.store == "file") require_disk(p, path_);
        counts_ = build(of, path_, p.build);
    }
    index_ = read_index(path_);
    if (p.store != "file" && is_queued(p)) load();
}

stored_matrix::~stored_matrix() {
    if (given_.store != "file") unlink(path_.c_str());
}

bool stored_matrix::is_there(const identity& wanted) const {
    try {
        return fs::exists(path_) && read_index(path_).head.of == wanted;
    } catch (const file_error&) {
        return false;  // damaged: it is built again
    }
}

/// Copies the file to memory.
void stored_matrix::load() {
    const files::descriptor file(path_, O_RDONLY | O_CLOEXEC);
    const std::uint64_t bytes = files::file_state::of(file.get()).bytes;
    const std::uint64_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    data_.emplace(memory::kind::pageable, whole);
    for (std::uint64_t at = 0; at < bytes; at += part) {
        const std::string some = files::bytes_of(file.get(), at, std::min(part, bytes - at));
        std::memcpy(data_->data() + at, some.data(), some.size());
    }
}

void stored_matrix::place(product_options& how) const {
    how.direct = given_.store == "file";
    if (given_.fault == "none" && !is_modelled(given_)) {
        how.memory = memory();
        return;
    }
    how.behind = memory().empty()
                     ? storage::make_file(
                           {.paths = {path_}, .cache = files::cache_state::cold, .padded = true})
                     : storage::make_ram(memory());
    if (is_modelled(given_))
        how.behind = storage::make_modelled(how.behind, given_.store.substr(modelled.size()));
    if (given_.fault == "none") return;
    how.behind = storage::make_faulty(how.behind, given_.fault, 1);
    how.timeout = storage::faulty_timeout;
    how.verify_always = true;
}

}  // namespace watari::hmatrix
