// The partial file and journal of an earlier run: whether they are of this product, and which tiles
// of theirs are valid.
#include "watari/gemm/product/product.hpp"

#include "watari/core/error.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <charconv>

namespace watari::gemm {

namespace {

/// Suffix of names whose change (owner, mode, links) is only reported: the product is the same.
const std::string attributes = ".attributes";

std::string text(double value) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

void add_identity(identity& into, const std::string& name, const files::npy_matrix& matrix) {
    into.emplace_back(name + ".path", matrix.where.path);
    into.emplace_back(name + ".bytes", std::to_string(matrix.state.bytes));
    into.emplace_back(name + ".changed", std::to_string(matrix.state.changed));
    into.emplace_back(name + ".inode", std::to_string(matrix.state.inode));
    into.emplace_back(name + ".sampled", std::to_string(matrix.sampled));
    into.emplace_back(name + attributes, std::to_string(matrix.state.attributes));
    into.emplace_back(name + ".shape", files::shape_text(matrix.where));
    into.emplace_back(name + ".type", files::type_name(matrix));
}

}  // namespace

identity product::who_it_is() const {
    identity all;
    all.emplace_back("alpha", text(how().alpha));
    all.emplace_back("beta", text(how().beta));  // decides whether there is an old C
    add_identity(all, "A", a_);
    add_identity(all, "B", b_);
    if (old_) add_identity(all, "C", *old_);
    if (job_.transpose_a) all.emplace_back("A.transposed", "yes");
    if (job_.transpose_b) all.emplace_back("B.transposed", "yes");
    all.emplace_back("tile", std::to_string(how().tile));
    all.emplace_back("processor", how().processor.is_gpu() ? "gpu" : "cpu");
    return all;
}

/// Whether an earlier run of this product was killed after C got its name and before its journal
/// was removed. Throws usage_error if the run was of another product and this one adds to C: the
/// user does not know that C has changed.
bool product::finished_already() const {
    struct stat there {};
    if (files::is_there(files::partial_path(output_)) || stat(output_.c_str(), &there) != 0)
        return false;
    const auto earlier = journal::read(journal_);
    if (!earlier || earlier->inode != there.st_ino ||
        earlier->whole != files::file_state::of(there))
        return false;
    // old C is the product itself by now; its tiles and processor matter no longer
    const auto product_of = [](identity all) {
        std::erase_if(all, [](const auto& each) {
            const std::string& name = each.first;
            return name.starts_with("C.") || name == "tile" || name == "processor" ||
                   name.ends_with(attributes);
        });
        return all;
    };
    const std::string other =
        difference(product_of(earlier->product), product_of(comparable(*earlier)));
    if (!other.empty() && old_)
        throw usage_error(output_ +
                          " was completed by an earlier run that was killed, as another " +
                          "product: " + other + "; fresh (--fresh) uses it as it is now");
    if (wanted_.keep && other.empty()) return true;
    unlink(journal_.c_str());
    files::sync_names_beside(journal_);
    return other.empty();
}

/// Returns this product's identity with the names of the journal's version; version 1 has fewer.
identity product::comparable(const journal::contents& before) const {
    identity now = who_it_is();
    if (before.version == 1)
        std::erase_if(now, [](const auto& each) {
            const std::string& name = each.first;
            return name.ends_with(".inode") || name.ends_with(".sampled") ||
                   name.ends_with(attributes);
        });
    return now;
}

/// Returns the tiles that an earlier run completed. Throws usage_error if its product was another.
completed_tiles product::tiles_left(const files::partial_file& file) {
    const std::string path = files::partial_path(output_);
    const std::uint64_t size = file.state().bytes;
    if (wanted_.fresh) return {};
    const auto earlier = journal::read(journal_);
    if (size == 0) return {};
    if (!earlier) throw usage_error(path + " exists without a journal; " + begin_anew);
    if (earlier->tiles.empty()) return {};
    const auto unverified = static_cast<std::size_t>(
        std::ranges::count_if(earlier->tiles, [](const auto& tile) { return !tile.second; }));
    if (earlier->inode != file.inode() || (size != bytes() && unverified > 0))
        throw usage_error(path + " is not the file of " + journal_ + "; " + begin_anew);
    identity before = earlier->product, now = comparable(*earlier);
    note_attributes(before);
    for (identity* each : {&before, &now})
        std::erase_if(*each, [](const auto& one) { return one.first.ends_with(attributes); });
    if (const std::string other = difference(before, now); !other.empty())
        throw usage_error(path + " is of another product: " + other + "; " + begin_anew);
    const tiling c = grid();
    for (const auto& [at, checksum] : earlier->tiles)
        if (at.first >= c.tile_rows() || at.second >= c.tile_columns())
            throw usage_error(journal_ + " names tiles that C does not have; " + begin_anew);
    if (unverified > 0)
        notes_.push_back(std::to_string(unverified) + " completed tiles have no checksum, since " +
                         "an earlier version of this program wrote them: they are not verified");
    return earlier->tiles;
}

void product::note_attributes(const identity& before) {
    for (const auto& [name, value] : who_it_is())
        for (const auto& [earlier, was] : before)
            if (name == earlier && name.ends_with(attributes) && value != was)
                notes_.push_back(name.substr(0, name.size() - attributes.size()) +
                                 " has other attributes than before (ctime); its size, time of " +
                                 "change, inode and 66 sampled blocks are the same");
}

}  // namespace watari::gemm
