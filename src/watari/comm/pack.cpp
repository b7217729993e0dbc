// Kernels for both backends; see core/backend.hpp.
#include "watari/comm/pack.hpp"

#include "watari/core/loops.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

namespace {

using comm::faces;
using comm::field;

/// Offset of word `column` of row `row` of one end, in words from the first word of the end.
struct words_of_end {
    faces::loop outer, middle, inner, columns;
    std::size_t words;  ///< of an element

    explicit words_of_end(const faces& f, std::size_t element_words)
        : outer(f.loops[0]),
          middle(f.loops[1]),
          inner(f.loops[2]),
          columns(f.loops[3]),
          words(element_words) {}

    std::size_t rows() const { return outer.count * middle.count * inner.count; }
    std::size_t row_words() const { return columns.count * words; }
    WATARI_KERNEL std::size_t operator()(std::size_t row, std::size_t column) const {
        const std::size_t point = row / inner.count / middle.count * outer.stride +
                                  row / inner.count % middle.count * middle.stride +
                                  row % inner.count * inner.stride +
                                  column / words * columns.stride;
        return point * words + column % words;
    }
};

/// Calls work(side, word of a buffer, offset in the end) for every word of both ends. `buffers`:
/// the packed words of each end.
template <class Word, class Buffer, class Work>
void for_each_word(const faces& f, std::size_t element, Buffer* const (&buffers)[2],
                   const Work& work, stream_t stream) {
    const words_of_end at(f, element / sizeof(Word));
    Buffer *below = buffers[0], *above = buffers[1];
    const std::size_t row_words = at.row_words();
    const bool skips[] = {f.ranks[0] == comm::nobody, f.ranks[1] == comm::nobody};
    const auto each = [=] WATARI_KERNEL(std::size_t side, std::size_t row, std::size_t column) {
        if (skips[side]) return;
        work(side, (side == 0 ? below : above) + row * row_words + column, at(row, column));
    };
    const std::size_t rows = at.rows();
    if constexpr (executes == processor::type::cpu)
        for_each_point({2, rows, row_words}, each, stream);
    else  // rows may be of one word, or too few to keep a GPU busy
        for_each(
            2 * rows * row_words,
            [=] WATARI_KERNEL(std::size_t n) {
                const std::size_t row = n / row_words;
                each(row / rows, row % rows, n % row_words);
            },
            stream);
}

template <class Word>
struct pack_word {
    const Word* field;
    std::size_t first[2];
    WATARI_KERNEL void operator()(std::size_t side, Word* buffer, std::size_t at) const {
        *buffer = field[first[side] + at];
    }
};

template <class Word>
struct unpack_word {
    Word* field;
    std::size_t first[2];
    WATARI_KERNEL void operator()(std::size_t side, const Word* buffer, std::size_t at) const {
        field[first[side] + at] = *buffer;
    }
};

struct alignas(16) wide_word {
    std::uint64_t low, high;
};

/// Calls work(word) with the largest word that divides the elements and every address.
template <class Work>
void by_word(const field& f, const void* a, const void* b, const Work& work) {
    const auto all = f.element | reinterpret_cast<std::uintptr_t>(f.data) |
                     reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b);
    if (all % 16 == 0) return work(wide_word{});
    if (all % 8 == 0) return work(std::uint64_t{});
    if (all % 4 == 0) return work(std::uint32_t{});
    work(std::uint8_t{});
}

void pack(const faces& f, const field& from, std::byte* const (&to)[2], stream_t stream) {
    by_word(from, to[0], to[1], [&]<class Word>(Word) {
        Word* const buffers[] = {reinterpret_cast<Word*>(to[0]), reinterpret_cast<Word*>(to[1])};
        const std::size_t words = from.element / sizeof(Word);
        const pack_word<Word> one{static_cast<const Word*>(from.data),
                                  {f.inner[0] * words, f.inner[1] * words}};
        for_each_word<Word>(f, from.element, buffers, one, stream);
    });
}

void unpack(const faces& f, const field& to, const std::byte* const (&from)[2], stream_t stream) {
    by_word(to, from[0], from[1], [&]<class Word>(Word) {
        const Word* const buffers[] = {reinterpret_cast<const Word*>(from[0]),
                                       reinterpret_cast<const Word*>(from[1])};
        const std::size_t words = to.element / sizeof(Word);
        const unpack_word<Word> one{static_cast<Word*>(to.data),
                                    {f.outer[0] * words, f.outer[1] * words}};
        for_each_word<Word>(f, to.element, buffers, one, stream);
    });
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::comm {

const pack_kernels pack_kernels::WATARI_BACKEND{.pack = WATARI_BACKEND::pack,
                                                .unpack = WATARI_BACKEND::unpack};

}  // namespace watari::comm
