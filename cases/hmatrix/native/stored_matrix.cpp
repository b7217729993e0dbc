#include "stored_matrix.hpp"

#include "watari/core/error.hpp"
#include "watari/files/disk.hpp"
#include "watari/files/file_error.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/backends/modelled.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/engines/engine.hpp"
#include "watari/storage/files/data_file.hpp"
#include "watari/storage/stores/modelled_store.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

namespace watari::hmatrix {

namespace {

namespace fs = std::filesystem;

constexpr const char* memory_folder = "/dev/shm";  ///< a file system in memory
constexpr std::uint64_t part = std::uint64_t{1} << 26;

bool is_queued(const case_parameters& p) {
    return storage::engine_named(p.solve.product.engine).queued;
}
bool is_modelled(const case_parameters& p) { return storage::is_modelled(p.store); }

const case_parameters& required(const case_parameters& p) {
    if (p.fault != "none" && !is_queued(p))
        throw unsupported("fault=" + p.fault +
                          " is behind queues, engine=queue or engine=gpu; engine " +
                          p.solve.product.engine + " opens files");
    return p;
}

matrix_paths paths_of(const surface& of, const case_parameters& p) {
    const identity id = identity_of(of, p.build);
    const std::string name = "/watari-hmatrix-" + std::to_string(checksum_of(&id, sizeof id));
    if (p.store != "file") return memory_folder + name + "-" + std::to_string(getpid()) + ".data";
    if (p.folders.empty()) throw usage_error("no folder for the matrix");
    const std::string count = std::to_string(p.folders.size());
    std::vector<std::string> all;
    for (const std::string& folder : p.folders) {
        const std::string part = "-" + std::to_string(all.size() + 1) + "of" + count;
        all.push_back(folder + name + (p.folders.size() == 1 ? "" : part) + ".data");
    }
    return matrix_paths(std::move(all));
}

/// Throws unsupported, before a build writes anything, if the disk has too little room. An earlier,
/// stopped build has a part already. Folders on one device share its room.
void require_disk(const case_parameters& p, const matrix_paths& paths) {
    const std::uint64_t share = p.expected_bytes / paths.all.size();
    std::map<dev_t, std::uint64_t> needed;
    for (std::size_t i = 0; i < paths.all.size(); ++i) {
        const std::string& folder = p.folders[i];
        std::error_code absent;
        const std::uintmax_t begun = fs::file_size(paths.all[i] + ".partial", absent);
        struct stat status {};
        if (stat(folder.c_str(), &status) != 0) files::cannot_open(folder, errno);
        std::uint64_t& own = needed[status.st_dev];
        own += share - std::min<std::uint64_t>(share, absent ? 0 : begun);
        const std::uint64_t room = fs::space(folder).available;
        if (room < own)
            throw unsupported(folder + " has room for " + bytes_text(room) +
                              ", and the matrix takes about " + bytes_text(own) +
                              " there; choose a smaller mesh or another folder");
    }
}

}  // namespace

stored_matrix::stored_matrix(const surface& of, const case_parameters& p)
    : given_(required(p)), paths_(paths_of(of, p)) {
    if (p.store == "file")
        for (const std::string& folder : p.folders) storage::make_folder(folder);
    if (!is_there(identity_of(of, p.build))) {
        if (p.store == "file") require_disk(p, paths_);
        counts_ = build(of, paths_, p.build);
    }
    index_ = read_index(paths_);
    if (p.store != "file" && is_queued(p)) load();
}

stored_matrix::~stored_matrix() {
    if (given_.store != "file") unlink(paths_.first().c_str());
}

bool stored_matrix::is_there(const identity& wanted) const {
    try {
        return std::ranges::all_of(paths_.all, [](const auto& path) { return fs::exists(path); }) &&
               read_index(paths_).head.of == wanted;
    } catch (const file_error&) {
        return false;  // damaged: it is built again
    }
}

/// Copies the file to memory.
void stored_matrix::load() {
    const matrix_files from(paths_);
    const std::uint64_t bytes = from.bytes();
    const std::uint64_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    data_.emplace(memory::kind::pageable, whole);
    for (std::uint64_t at = 0; at < bytes; at += part) {
        const std::string some = from.read(at, std::min(part, bytes - at));
        std::memcpy(data_->data() + at, some.data(), some.size());
    }
}

storage::modelled_disks stored_matrix::disks() const {
    return storage::disks_of(given_.store, given_.ssd, given_.files);
}

std::string stored_matrix::on_one_device() const {
    if (given_.store != "file" || given_.folders.size() < 2) return "";
    std::vector<files::descriptor> opened;
    std::vector<int> all;
    for (const std::string& path : paths_.all)
        all.push_back(opened.emplace_back(path, O_RDONLY | O_CLOEXEC).get());
    return files::on_one_device(all, given_.folders);
}

void stored_matrix::place(product_options& how) {
    how.direct = given_.store == "file";
    if (is_modelled(given_) && !is_queued(given_)) {
        how.disks = std::make_shared<storage::disk_array>(disks());
        notice_ = "modelled: " + how.disks->source();
        return;
    }
    if (given_.fault == "none" && !is_modelled(given_)) {
        how.memory = memory();
        return;
    }
    how.behind = memory().empty() ? storage::make_file({.paths = paths_.all,
                                                        .cache = files::cache_state::cold,
                                                        .padded = paths_.all.size() == 1,
                                                        .stripe = stripe_bytes})
                                  : storage::make_ram(memory());
    if (is_modelled(given_)) {
        how.behind = storage::make_modelled(how.behind, disks());
        notice_ = how.behind->notice();
    }
    if (given_.fault == "none") return;
    how.behind = storage::make_faulty(how.behind, given_.fault, 1);
    how.timeout = storage::faulty_timeout;
    how.verify_always = true;
}

}  // namespace watari::hmatrix
