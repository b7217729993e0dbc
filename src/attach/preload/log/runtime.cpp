#include "runtime.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace attach {
namespace {

// A file, mapped as long as this object lives.
class mapped_file {
public:
    explicit mapped_file(const char* path) {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        struct stat status;
        if (file < 0) return;
        if (fstat(file, &status) == 0 && status.st_size > 0) {
            bytes = static_cast<std::size_t>(status.st_size);
            void* memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
            begin = memory == MAP_FAILED ? nullptr : static_cast<const char*>(memory);
        }
        close(file);
    }
    ~mapped_file() {
        if (begin) munmap(const_cast<char*>(begin), bytes);
    }
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;

    // `count` rows at an offset, null if the file ends before.
    template <class Row>
    const Row* at(std::size_t offset, std::size_t count = 1) const {
        const bool fits = begin && offset <= bytes && count <= (bytes - offset) / sizeof(Row);
        return fits ? reinterpret_cast<const Row*>(begin + offset) : nullptr;
    }

private:
    const char* begin = nullptr;
    std::size_t bytes = 0;
};

bool begins(const char* name, const char* with) {
    return std::strncmp(name, with, std::strlen(with)) == 0;
}

bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }

// Names in libcudart_static.a. Those of templates of its header are mangled: they are the
// program's.
bool is_of_runtime(const char* name) {
    if (begins(name, "libcudart_static_") || begins(name, "__cudart")) return true;
    if (begins(name, "__")) name += 2;
    return begins(name, "cuda") && is_upper(name[4]);
}

// The address of a module's first byte in its file's numbers.
std::uint64_t base_of(const mapped_file& file, const Elf64_Ehdr& head) {
    std::uint64_t base = ~std::uint64_t{0};
    const auto* parts = file.at<Elf64_Phdr>(head.e_phoff, head.e_phnum);
    for (int i = 0; parts && i < head.e_phnum; ++i)
        if (parts[i].p_type == PT_LOAD && parts[i].p_vaddr < base) base = parts[i].p_vaddr;
    return base & ~std::uint64_t{4095};
}

int by_begin(const void* one, const void* other) {
    const auto a = static_cast<const runtime_code::range*>(one)->begin;
    const auto b = static_cast<const runtime_code::range*>(other)->begin;
    return a < b ? -1 : a > b;
}

// Most functions of the runtime lie side by side: a few ranges are left.
void merge(runtime_code& code) {
    constexpr unsigned long alignment = 64;
    std::qsort(code.ranges, static_cast<std::size_t>(code.count), sizeof *code.ranges, by_begin);
    int last = 0;
    for (int i = 1; i < code.count; ++i) {
        auto& before = code.ranges[last];
        const auto& next = code.ranges[i];
        if (next.begin > before.end + alignment)
            code.ranges[++last] = next;
        else if (next.end > before.end)
            before.end = next.end;
    }
    if (code.count > 0) code.count = last + 1;
}

void read_table(const mapped_file& file, const Elf64_Ehdr& head, const Elf64_Shdr& table,
                const Elf64_Shdr& texts, runtime_code& code) {
    const std::size_t count = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = file.at<Elf64_Sym>(table.sh_offset, count);
    const auto* names = file.at<char>(texts.sh_offset, texts.sh_size);
    if (!symbols || !names || texts.sh_size == 0 || names[texts.sh_size - 1]) return;
    const std::uint64_t base = base_of(file, head);
    code.has_symbols = true;
    code.ranges = static_cast<runtime_code::range*>(std::malloc(count * sizeof *code.ranges));
    for (std::size_t i = 0; code.ranges && i < count; ++i) {
        const Elf64_Sym& one = symbols[i];
        if (ELF64_ST_TYPE(one.st_info) != STT_FUNC || one.st_shndx == SHN_UNDEF ||
            one.st_name >= texts.sh_size || !is_of_runtime(names + one.st_name))
            continue;
        const std::uint64_t begin = one.st_value - base;
        code.ranges[code.count++] = {begin, begin + one.st_size};
    }
}

// The header of the table for exceptions (.eh_frame_hdr), as all linkers write it: pairs of
// distances from the header, to a function and to its entry, in order.
struct header {
    std::uint8_t version, of_pointer, of_count, of_table;
    std::int32_t pointer;
    std::uint32_t count;
    struct {
        std::int32_t function, entry;
    } rows[];
};

struct search {
    std::uintptr_t address, function;
};

std::uintptr_t function_in(const header& table, std::uintptr_t address) {
    constexpr std::uint8_t four_bytes = 0x03, from_header = 0x3b;
    const auto origin = reinterpret_cast<std::uintptr_t>(&table);
    if (table.version != 1 || table.of_count != four_bytes || table.of_table != from_header)
        return address;
    std::uint32_t low = 0, high = table.count;  // the last row that begins before the address
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        const auto begin =
            origin + static_cast<std::uintptr_t>(std::intptr_t{table.rows[middle].function});
        if (begin < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return address;
    return origin + static_cast<std::uintptr_t>(std::intptr_t{table.rows[low - 1].function});
}

int look_in(dl_phdr_info* module, std::size_t, void* wanted) {
    auto& found = *static_cast<search*>(wanted);
    const header* table = nullptr;
    bool is_here = false;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
        const auto& part = module->dlpi_phdr[i];
        const auto begin = module->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD) is_here = is_here || found.address - begin < part.p_memsz;
        if (part.p_type == PT_GNU_EH_FRAME) table = reinterpret_cast<const header*>(begin);
    }
    if (is_here && table) found.function = function_in(*table, found.address);
    return is_here;
}

}  // namespace

bool runtime_code::contains(unsigned long offset) const {
    for (int i = 0; i < count; ++i)
        if (offset >= ranges[i].begin && offset < ranges[i].end) return true;
    return false;
}

runtime_code runtime_in(const char* path) {
    runtime_code code;
    const mapped_file file(path);
    const auto* head = file.at<Elf64_Ehdr>(0);
    if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return code;
    const auto* sections = file.at<Elf64_Shdr>(head->e_shoff, head->e_shnum);
    for (int i = 0; sections && i < head->e_shnum; ++i)
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < head->e_shnum)
            read_table(file, *head, sections[i], sections[sections[i].sh_link], code);
    merge(code);
    return code;
}

const void* function_of(const void* address) {
    search wanted{reinterpret_cast<std::uintptr_t>(address),
                  reinterpret_cast<std::uintptr_t>(address)};
    dl_iterate_phdr(look_in, &wanted);
    return reinterpret_cast<const void*>(wanted.function);
}

}  // namespace attach
