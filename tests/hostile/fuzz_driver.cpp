// A driver for use without libFuzzer: gives a target its seeds, changed at random, one after
// another.
//
//     fuzz_npy ATTEMPTS SECONDS SEED FOLDER     seeds are the files of the folder
//
// A program that ends without its last line is broken; it has printed the input that broke it, as
// hex. docs/reliability.md describes how to run the targets with libFuzzer instead.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Sanitizers that abort let the handler below show the input.
extern "C" const char* __asan_default_options() { return "abort_on_error=1"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace {

using input = std::string;
std::string now;  ///< the input that is tried
std::mt19937_64 random_bits;

std::size_t below(std::size_t count) { return count > 1 ? random_bits() % count : 0; }

void show() {
    std::fputs("the input that broke it:", stderr);
    for (const char c : now) std::fprintf(stderr, " %02x", static_cast<unsigned char>(c));
    std::fputc('\n', stderr);
}

extern "C" void on_abort(int) {
    show();
    std::_Exit(1);
}

/// Words that are difficult for parsers.
const std::vector<input> words{"0",
                               "-1",
                               "18446744073709551615",
                               "9223372036854775808",
                               "1e999",
                               "(",
                               ")",
                               "{",
                               "}",
                               "'",
                               "\"",
                               "\\",
                               "\n",
                               "True",
                               "nan",
                               ",",
                               ":",
                               std::string(1, '\0'),
                               "tiles 0 0\n",
                               "<f8",
                               "L",
                               " "};

/// One change: a bit, a byte, a word put in or over, a piece cut, doubled or moved.
void change(input& text, const input& other) {
    const std::size_t at = below(text.size() + 1), end = text.size();
    const std::size_t length = std::min(end - at, 1 + below(16));
    switch (below(8)) {
        case 0:
            if (at < end) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
            break;
        case 1:
            if (at < end) text[at] = static_cast<char>(random_bits());
            break;
        case 2:
            text.insert(at, words[below(words.size())]);
            break;
        case 3:
            text.replace(at, length, words[below(words.size())]);
            break;
        case 4:
            text.erase(at, length);
            break;
        case 5:
            text.insert(below(end + 1), text.substr(at, length));
            break;
        case 6:
            text.resize(at);
            break;
        default:
            text.replace(at, length, other.substr(std::min(at, other.size()), 64));
    }
}

std::vector<input> seeds_of(const std::string& folder) {
    std::vector<input> seeds{""};
    for (const auto& each : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(each.path(), std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    std::sort(seeds.begin(), seeds.end());
    return seeds;
}

}  // namespace

int main(int count, char** values) {
    if (count != 5) {
        std::fprintf(stderr, "%s ATTEMPTS SECONDS SEED FOLDER\n", values[0]);
        return 2;
    }
    const long attempts = std::atol(values[1]);
    const std::chrono::duration<double> most(std::atof(values[2]));
    random_bits.seed(std::strtoull(values[3], nullptr, 10));
    const std::vector<input> seeds = seeds_of(values[4]);
    std::signal(SIGABRT, on_abort);
    const auto begun = std::chrono::steady_clock::now();
    long done = 0;
    for (; done < attempts && std::chrono::steady_clock::now() - begun < most; ++done) {
        now = seeds[below(seeds.size())];
        for (std::size_t left = 1 + below(8); left > 0; --left)
            change(now, seeds[below(seeds.size())]);
        // a copy of the exact length, so that AddressSanitizer detects a read beyond its end
        const std::vector<std::uint8_t> exact(now.begin(), now.end());
        LLVMFuzzerTestOneInput(exact.data(), exact.size());
    }
    std::printf("%s: %ld attempts, seed %s: nothing broken\n",
                std::filesystem::path(values[0]).filename().c_str(), done, values[3]);
}
