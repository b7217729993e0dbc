#include "watari/case/words.hpp"

#include "watari/core/error.hpp"

#include <charconv>
#include <string>

namespace watari::cases {

int gpu_number_in(std::string_view word) {
    const std::size_t colon = word.find(':');
    if (colon == word.npos) return 0;
    int number = -1;
    const char* last = word.data() + word.size();
    if (std::from_chars(word.data() + colon + 1, last, number).ptr != last || number < 0)
        throw usage_error("'" + std::string(word) + "' ends in no number");
    return number;
}

processor processor_named(std::string_view word) {
    if (word == "cpu") return the_cpu;
    if (word.substr(0, word.find(':')) == "gpu") return gpu_number(gpu_number_in(word));
    throw usage_error("no processor is called '" + std::string(word) + "'");
}

memory::kind kind_named(std::string_view word) {
    return memory::row(word.substr(0, word.find(':'))).kind;
}

}  // namespace watari::cases
