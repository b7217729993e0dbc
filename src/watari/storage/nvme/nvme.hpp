/// The entries of NVMe queues, bit for bit: the 64 bytes of a command, the 16 of its completion.
///
/// NVM Express Base Specification 2.0, sections 3.3.3 (entries), 4.1.1 (PRP) and 4.1.2 (SGL); NVM
/// Command Set 1.0, section 3 (flush, write, read). Numbers are little-endian, as is every
/// processor here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace watari::storage {

enum class opcode : std::uint8_t { flush = 0x00, write = 0x01, read = 0x02 };

/// The outcome of a command. `sct` and `sc` are status code type and status code; `dnr`: do not
/// retry; `more`: the error log has more. Aligned, so that a GPU stores it in one access.
struct alignas(4) status {
    std::uint8_t sct = 0;
    std::uint8_t sc = 0;
    bool dnr = false;
    bool more = false;

    constexpr bool ok() const { return sct == 0 && sc == 0; }
    /// Whether both have the same outcome, whatever their flags.
    constexpr bool is(status other) const { return sct == other.sct && sc == other.sc; }
    constexpr bool operator==(const status&) const = default;
};

inline constexpr status success{};
inline constexpr status invalid_opcode{0, 0x01, true};
inline constexpr status invalid_field{0, 0x02, true};
inline constexpr status command_id_conflict{0, 0x03};
inline constexpr status data_transfer_error{0, 0x04};
inline constexpr status internal_error{0, 0x06};
inline constexpr status abort_requested{0, 0x07};
inline constexpr status invalid_namespace{0, 0x0b, true};
inline constexpr status invalid_sgl_length{0, 0x0f, true};
inline constexpr status invalid_sgl_type{0, 0x11, true};
inline constexpr status invalid_prp_offset{0, 0x13, true};
inline constexpr status write_protected{0, 0x20, true};
inline constexpr status lba_out_of_range{0, 0x80, true};
inline constexpr status capacity_exceeded{0, 0x81, true};
inline constexpr status write_fault{2, 0x80};
inline constexpr status unrecovered_read{2, 0x81};
/// Vendor specific, and never sent: no completion arrived within the limit.
inline constexpr status timed_out{7, 0xc0};
/// As timed_out, and the controller's copy of the data may still be in progress.
inline constexpr status still_copying{7, 0xc1, true};

/// A command. Fields that no command here uses are zero.
struct alignas(64) submission_entry {
    std::uint32_t dw0 = 0;   ///< opcode 7:0, PSDT 15:14, CID 31:16
    std::uint32_t nsid = 0;  ///< namespace
    std::uint32_t dw2 = 0, dw3 = 0;
    std::uint64_t metadata = 0;
    std::uint64_t prp1 = 0;   ///< first page of the data; may begin within it; or an SGL's address
    std::uint64_t prp2 = 0;   ///< second page, or the list of the others; or length and type
    std::uint64_t block = 0;  ///< DW10-11: starting LBA
    std::uint32_t dw12 = 0;   ///< blocks - 1 15:0, FUA 30
    std::uint32_t dw13 = 0, dw14 = 0, dw15 = 0;

    constexpr std::uint8_t operation() const { return dw0 & 0xff; }
    constexpr std::uint16_t cid() const { return static_cast<std::uint16_t>(dw0 >> 16); }
    constexpr std::uint32_t blocks() const { return (dw12 & 0xffff) + 1; }
    constexpr bool fua() const { return dw12 >> 30 & 1; }
    /// Type of the data pointer: 0 PRPs, 1 an SGL descriptor.
    constexpr unsigned psdt() const { return dw0 >> 14 & 3; }
    constexpr std::uint64_t sgl_address() const { return prp1; }
    constexpr std::uint32_t sgl_length() const { return static_cast<std::uint32_t>(prp2); }
    /// Type and subtype of the descriptor; 0 is a data block at an address.
    constexpr unsigned sgl_type() const { return static_cast<unsigned>(prp2 >> 56); }
};
static_assert(sizeof(submission_entry) == 64);
static_assert(offsetof(submission_entry, prp1) == 6 * 4);
static_assert(offsetof(submission_entry, prp2) == 8 * 4);
static_assert(offsetof(submission_entry, block) == 10 * 4);
static_assert(offsetof(submission_entry, dw12) == 12 * 4);

/// Most blocks that one command names.
inline constexpr std::uint32_t most_blocks = 1u << 16;

/// A command without data.
constexpr submission_entry make_flush(std::uint16_t cid, std::uint32_t nsid) {
    submission_entry entry;
    entry.dw0 = static_cast<std::uint32_t>(opcode::flush) | std::uint32_t{cid} << 16;
    entry.nsid = nsid;
    return entry;
}

/// Reads or writes 1 <= count <= 65536 blocks from `block` on; the caller adds the PRPs.
constexpr submission_entry make_transfer(opcode operation, std::uint16_t cid, std::uint32_t nsid,
                                         std::uint64_t block, std::uint32_t count,
                                         bool fua = false) {
    submission_entry entry;
    entry.dw0 = static_cast<std::uint32_t>(operation) | std::uint32_t{cid} << 16;
    entry.nsid = nsid;
    entry.block = block;
    entry.dw12 = (count - 1) | std::uint32_t{fua} << 30;
    return entry;
}

/// Returns the command with its data in one piece, at an address that need not begin a page.
constexpr submission_entry with_sgl(const submission_entry& asked, std::uint64_t address,
                                    std::uint32_t bytes) {
    submission_entry entry = asked;
    entry.dw0 |= 1u << 14;
    entry.prp1 = address;
    entry.prp2 = bytes;
    return entry;
}

/// A completion: two words of 64 bits. The second has the phase tag, so it is read first and
/// written last.
struct alignas(16) completion_entry {
    std::uint64_t result = 0;   ///< DW0-1
    std::uint64_t outcome = 0;  ///< DW2: SQ head 15:0, SQ id 31:16; DW3: CID, phase, status
};
static_assert(sizeof(completion_entry) == 16);

/// The 15 bits of a status, DW3 31:17: SC 7:0, SCT 10:8, more 13, DNR 14.
constexpr std::uint32_t status_field(const status& s) {
    return s.sc | std::uint32_t{s.sct} << 8 | std::uint32_t{s.more} << 13 |
           std::uint32_t{s.dnr} << 14;
}
constexpr status status_of(std::uint32_t field) {
    return {static_cast<std::uint8_t>(field >> 8 & 7), static_cast<std::uint8_t>(field & 0xff),
            (field >> 14 & 1) != 0, (field >> 13 & 1) != 0};
}

constexpr std::uint64_t make_outcome(std::uint16_t cid, std::uint16_t sq_id, std::uint16_t sq_head,
                                     bool phase, const status& s) {
    const std::uint32_t dw2 = sq_head | std::uint32_t{sq_id} << 16;
    const std::uint32_t dw3 = cid | std::uint32_t{phase} << 16 | status_field(s) << 17;
    return dw2 | std::uint64_t{dw3} << 32;
}
constexpr std::uint16_t sq_id_of(std::uint64_t outcome) { return outcome >> 16 & 0xffff; }
constexpr std::uint16_t cid_of(std::uint64_t outcome) { return outcome >> 32 & 0xffff; }
constexpr bool phase_of(std::uint64_t outcome) { return outcome >> 48 & 1; }
constexpr std::uint32_t status_field_of(std::uint64_t outcome) {
    return static_cast<std::uint32_t>(outcome >> 49);
}

/// The phase tag of the entry at an unwrapped position of a completion queue.
constexpr bool expected_phase(std::uint32_t position, unsigned depth_log2) {
    return (~(position >> depth_log2) & 1) != 0;
}

/// Bytes of a page as PRPs see it, whatever the processor's pages are.
inline constexpr std::size_t prp_page = 4096;

}  // namespace watari::storage
