#include "watari/storage/engines/notes.hpp"

#include "watari/storage/nvme/status_text.hpp"

#include <algorithm>

namespace watari::storage {

void notes::add(const engine& from) {
    for (const std::string& each : from.notes())
        if (std::find(notes_.begin(), notes_.end(), each) == notes_.end()) notes_.push_back(each);
    const repetitions more = from.sent_again();
    if (sent_again_.count == 0) sent_again_.first = more.first;
    sent_again_.count += more.count;
    surplus_ += from.surplus();
}

std::vector<std::string> notes::texts() const {
    std::vector<std::string> all = notes_;
    const std::size_t count = sent_again_.count;
    if (count > 0)
        all.push_back(std::to_string(count) + (count == 1 ? " command was" : " commands were") +
                      " sent again, the first after: " + text(sent_again_.first));
    return all;
}

}  // namespace watari::storage
