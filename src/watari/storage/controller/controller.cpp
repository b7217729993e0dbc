#include "watari/storage/controller/controller.hpp"

#include "watari/core/error.hpp"

#include <bit>
#include <system_error>

namespace watari::storage {

namespace {

const controller_options& checked(const controller_options& options, const backend& store) {
    const std::uint32_t block = options.block_bytes;
    if (!std::has_single_bit(block) || block < 512 || block > 65536)
        throw usage_error("blocks of " + std::to_string(block) +
                          " bytes: must be a power of two from 512 to 65536");
    if (block > options.queues.max_transfer)
        throw usage_error("blocks of " + bytes_text(block) + " are larger than a transfer of " +
                          bytes_text(options.queues.max_transfer));
    if (options.threads == 0 || options.threads > options.queues.queues)
        throw usage_error(std::to_string(options.threads) + " controller threads for " +
                          std::to_string(options.queues.queues) + " queues: must be 1 to as many");
    if (block % store.alignment() != 0)
        throw usage_error("blocks of " + std::to_string(block) +
                          " bytes: the store takes multiples of " +
                          std::to_string(store.alignment()));
    if (store.bytes() < block)
        throw usage_error("a store of " + bytes_text(store.bytes()) + " has no block of " +
                          bytes_text(block));
    return options;
}

memory_range range(const memory::block& block) {
    return {static_cast<std::byte*>(block.data()), block.bytes()};
}

controller_counts operator+(const controller_counts& a, const controller_counts& b) {
    return {a.commands + b.commands, a.failed + b.failed, a.bytes_read + b.bytes_read,
            a.bytes_written + b.bytes_written};
}

}  // namespace

controller::controller(std::shared_ptr<backend> store, const controller_options& options)
    : options_(checked(options, *store)),
      store_(std::move(store)),
      memory_(options.queues),
      served_{store_->bytes() / options.block_bytes,
              options.block_bytes,
              options.queues.max_transfer,
              {range(memory_.slots()), range(memory_.lists())}} {
    if (options.queues.delivered_from > 0) delivery_.emplace(view(), options.queues.users);
    start();
}

controller::~controller() { stop(); }

namespace_view controller::view() const {
    return memory_.view(served_.blocks, served_.block_bytes);
}

void controller::start() {
    stop_ = false;
    for (std::uint32_t t = 0; t < options_.threads; ++t)
        pollers_.push_back(
            std::make_unique<poller>(memory_, served_, open_channel(), t, options_.threads));
    try {
        for (const auto& p : pollers_) threads_.emplace_back([this, &p = *p] { p.run(stop_); });
    } catch (const std::system_error& none_more) {
        stop();
        throw system_error("a thread that serves queues", none_more.code().value());
    }
}

std::unique_ptr<io_channel> controller::open_channel() {
    std::unique_ptr<io_channel> own = store_->open_channel({{served_.known.data(), 1}});
    return delivery_ ? delivery_->over(std::move(own)) : std::move(own);
}

void controller::stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

void controller::reset() {
    stop();
    before_ = counts();
    pollers_.clear();
    memory_.clear();
    start();
}

controller_counts controller::counts() const {
    controller_counts sum = before_;
    for (const auto& p : pollers_) sum = sum + p->counts();
    return sum;
}

std::string controller::notice() const {
    for (const auto& p : pollers_)
        if (const std::string failure = p->failure(); !failure.empty()) return failure;
    return store_->notice();
}

}  // namespace watari::storage
