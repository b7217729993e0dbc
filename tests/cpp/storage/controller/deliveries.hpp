// Reads of whole commands whose data the controller delivers, and stamped data to verify them.
#pragma once

#include "storage/blocks.hpp"
#include "storage/thread_commands.hpp"

#include <vector>

#include "watari/storage/nvme/queue_memory.hpp"
#include "watari/storage/nvme/transfers.hpp"

namespace watari::storage {

using namespace watari::cpu;

constexpr std::uint32_t run = 1 << 16, blocks = run / block_size;  ///< of a command
constexpr std::uint64_t runs = 32;
constexpr double timeout = 300;  ///< seconds, for commands that end in time

inline queue_options delivering(double limit = timeout, std::uint32_t depth = 16) {
    return {
        .queues = 2, .depth = depth, .max_transfer = run, .limit = limit, .delivered_from = run};
}

inline std::vector<std::byte> all_runs() { return stamped(runs * blocks); }

inline bool is_run(const std::byte* data, std::uint64_t number) {
    return is_stamped_run(data, number * blocks, blocks, 0);
}

inline token begin_delivered(const namespace_view& view, std::uint64_t number, std::byte* to) {
    token command;
    if (fits(view, blocks, command) && take(view, command)) {
        command.delivered = true;
        send(view, command, make_transfer(opcode::read, command.cid, 1, number * blocks, blocks),
             to);
    }
    return command;
}

}  // namespace watari::storage
