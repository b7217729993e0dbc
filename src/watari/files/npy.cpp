#include "watari/files/npy.hpp"

#include "watari/core/error.hpp"
#include "watari/files/descriptor.hpp"
#include "watari/memory/rows.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

namespace watari::files {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 20;  ///< of a matrix; records have more
constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

/// The contents of a header.
struct contents {
    std::string descr;  ///< such as <f4; a descr that is no text stays as it is written
    bool by_columns = false;
    std::vector<std::size_t> shape;
};

/// Parses the dictionary of a header, a Python literal: three keys in any order.
class dictionary {
public:
    explicit dictionary(std::string_view text) : left_(text) {}

    /// Throws file_error.
    contents parse() {
        contents result;
        bool has_descr = false, has_order = false, has_shape = false;
        expect('{');
        while (!take('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr")
                result.descr = next() == '\'' || next() == '"' ? quoted() : anything(),
                has_descr = true;
            else if (key == "fortran_order")
                result.by_columns = boolean(), has_order = true;
            else if (key == "shape")
                result.shape = numbers(), has_shape = true;
            else
                throw file_error("its header has the key '" + key + "'");
            if (!take(',') && next() != '}') throw file_error("its header is not a dictionary");
        }
        if (next() != '\0') throw file_error("its header has text behind its dictionary");
        if (!has_descr || !has_order || !has_shape)
            throw file_error("its header does not have descr, fortran_order and shape");
        return result;
    }

private:
    char next() {
        while (!left_.empty() && std::isspace(static_cast<unsigned char>(left_.front())))
            left_.remove_prefix(1);
        return left_.empty() ? '\0' : left_.front();
    }
    bool take(char wanted) {
        if (next() != wanted) return false;
        left_.remove_prefix(1);
        return true;
    }
    void expect(char wanted) {
        if (!take(wanted))
            throw file_error("its header has no '" + std::string(1, wanted) + "' where it should");
    }
    bool take(std::string_view word) {
        next();
        if (!left_.starts_with(word)) return false;
        left_.remove_prefix(word.size());
        return true;
    }
    std::string quoted() {
        const char mark = next();
        if (mark != '\'' && mark != '"') throw file_error("its header has no text where it should");
        const std::size_t end = left_.find(mark, 1);
        if (end == left_.npos) throw file_error("its header ends within a text");
        const std::string text(left_.substr(1, end - 1));
        left_.remove_prefix(end + 1);
        return text;
    }
    bool boolean() {
        if (take("True")) return true;
        if (take("False")) return false;
        throw file_error("its header's fortran_order is neither True nor False");
    }
    /// A tuple of whole numbers; Python 2 wrote an L behind them.
    std::vector<std::size_t> numbers() {
        std::vector<std::size_t> values;
        expect('(');
        while (!take(')')) {
            next();
            std::size_t value = 0, digits = 0;
            for (; !left_.empty() && std::isdigit(static_cast<unsigned char>(left_.front()));
                 left_.remove_prefix(1), ++digits)
                value = 10 * value + static_cast<std::size_t>(left_.front() - '0');
            if (digits == 0 || digits > 18)
                throw file_error("the shape in its header is malformed");
            take("L");
            values.push_back(value);
            if (!take(',') && next() != ')')
                throw file_error("the shape in its header is malformed");
        }
        return values;
    }
    /// The text of a list or tuple, up to the comma behind it.
    std::string anything() {
        if (next() != '[' && next() != '(')
            throw file_error("the descr in its header is not a text");
        std::size_t end = 0, open = 0;
        for (; end < left_.size(); ++end) {
            const char c = left_[end];
            if (open == 0 && (c == ',' || c == '}')) break;
            open += c == '[' || c == '(';
            open -= open > 0 && (c == ']' || c == ')');
        }
        const std::string text(left_.substr(0, end));
        left_.remove_prefix(end);
        return text;
    }

    std::string_view left_;
};

constexpr std::size_t sampled_blocks = 64, sampled_bytes = 4096;

/// A checksum of the first and last block of several files, and of sampled_blocks spread evenly
/// between them, as if the files lay one behind the other.
std::uint64_t sampled(const std::vector<std::string>& paths,
                      const std::vector<std::uint64_t>& sizes) {
    std::uint64_t all = 0, sum = 0, position = 0;
    for (const std::uint64_t bytes : sizes) all += bytes;
    const std::uint64_t last = all - std::min<std::uint64_t>(all, sampled_bytes);
    std::size_t number = 0;
    std::uint64_t before = 0;  // bytes of earlier files
    descriptor file(-1);
    for (std::size_t i = 0; i <= sampled_blocks + 1; ++i) {
        const std::uint64_t at = i > sampled_blocks ? last : last / (sampled_blocks + 1) * i;
        for (; number + 1 < sizes.size() && at >= before + sizes[number]; ++number) {
            before += sizes[number];
            file = descriptor(-1);
        }
        try {
            if (file.get() < 0) file = descriptor(paths[number], O_RDONLY | O_CLOEXEC);
            posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);
            const std::string block = bytes_of(file.get(), at - before, sampled_bytes);
            for (std::size_t k = 0; k < block.size(); k += sizeof(std::uint64_t)) {
                std::uint64_t word = 0;
                std::memcpy(&word, block.data() + k, std::min(sizeof word, block.size() - k));
                sum += memory::mixed(word, position++);
            }
        } catch (const error& wrong) {
            throw file_error(paths[number] + ": cannot be read: " + wrong.what());
        }
    }
    return sum;
}

/// The state of all files of a matrix, and the sizes of each. Throws file_error.
std::pair<file_version, std::vector<std::uint64_t>> state_of(
    const std::vector<std::string>& paths) {
    file_version all;
    std::vector<std::uint64_t> sizes;
    for (const std::string& path : paths) {
        struct stat status {};
        if (stat(path.c_str(), &status) != 0) throw file_error(path + ": " + std::strerror(errno));
        if (!S_ISREG(status.st_mode)) throw file_error(path + ": not a file");
        const file_version one = file_version::of(status);
        all.bytes += one.bytes;
        all.changed = std::max(all.changed, one.changed);
        all.attributes = std::max(all.attributes, one.attributes);
        all.inode = paths.size() == 1 ? one.inode : memory::mixed(one.inode, all.inode);
        all.device = one.device;
        sizes.push_back(one.bytes);
    }
    return {all, sizes};
}

/// Returns the contents of the header and the offset of the data. Throws file_error.
std::pair<contents, std::size_t> read_header(int file) {
    const std::string begin = bytes_of(file, 0, magic.size() + 6);
    if (!begin.starts_with(magic)) throw file_error("does not begin as one");
    const auto byte = [&](std::size_t i) {
        if (magic.size() + i >= begin.size()) throw file_error("its header is cut short");
        return static_cast<std::size_t>(static_cast<unsigned char>(begin[magic.size() + i]));
    };
    const std::size_t major = byte(0), minor = byte(1), of_length = major == 1 ? 2 : 4;
    if (major < 1 || major > 3 || minor != 0)
        throw file_error("format version " + std::to_string(major) + "." + std::to_string(minor) +
                         " is not known");
    std::size_t length = 0;
    for (std::size_t i = of_length; i-- > 0;) length = length << 8 | byte(2 + i);
    if (length > longest_header) throw file_error("its header is too long for a matrix");
    const std::size_t first = magic.size() + 2 + of_length;
    const std::string text = bytes_of(file, first, length);
    if (text.size() < length) throw file_error("its header is cut short");
    return {dictionary(text).parse(), first + length};
}

/// `int64`, `float16`, `object`: NumPy's name of a descr's type; the descr itself if it is unknown.
std::string type_name(const std::string& descr) {
    constexpr std::array<std::pair<char, const char*>, 5> kinds{
        {{'i', "int"}, {'u', "uint"}, {'f', "float"}, {'c', "complex"}, {'b', "bool"}}};
    constexpr std::string_view sizes[] = {"1", "2", "4", "8", "16", "32"};  // bytes
    if (descr == "|O" || descr == "O") return "object";
    if (descr.size() < 3 || !std::strchr("<>|=", descr[0])) return descr;
    std::size_t bits = 8;
    for (const std::string_view size : sizes) {
        for (const auto& [letter, name] : kinds)
            if (descr[1] == letter && descr.substr(2) == size) return name + std::to_string(bits);
        bits *= 2;
    }
    return descr;
}

/// The type in which elements are multiplied, and that of halves.
std::pair<precision, std::optional<half_type>> types_of(const std::string& path,
                                                        const std::string& descr) {
    const std::string name = type_name(descr);
    if (name != "float32" && name != "float64" && name != "float16")
        throw file_error(path + ": elements are " + name + ": must be float32, float64 or float16");
    if (descr[0] != native_order && descr[0] != '=')
        throw file_error(path + ": elements are " + descr + ": bytes in the other order");
    if (name == "float16") return {precision::single_precision, half_type::float16};
    return {name == "float32" ? precision::single_precision : precision::double_precision, {}};
}

void require_elements(const std::string& path, std::size_t rows, std::size_t columns) {
    if (rows == 0 || columns == 0)
        throw file_error(path + ": has no elements: " + std::to_string(rows) + " x " +
                         std::to_string(columns));
    if (rows > SIZE_MAX / 16 / columns)
        throw file_error(path + ": not a .npy file: a matrix of " + std::to_string(rows) + " x " +
                         std::to_string(columns) + " elements");
}

void require_matrix(const std::string& path, const contents& header) {
    std::string text;
    for (const std::size_t side : header.shape)
        text += (text.empty() ? "" : "x") + std::to_string(side);
    if (header.shape.size() != 2)
        throw file_error(path + ": shape is " + (text.empty() ? "one number" : text) +
                         ": must be a matrix, of two dimensions");
    require_elements(path, header.shape[0], header.shape[1]);
}

/// Opens a regular file to read it. Throws file_error for any other path.
descriptor open_regular(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0)
        throw file_error(path + (errno == ENOENT || errno == ENOTDIR
                                     ? ": no such file"
                                     : std::string(": cannot be read: ") + std::strerror(errno)));
    if (!S_ISREG(status.st_mode)) throw file_error(path + ": not a file");
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw file_error(path + ": cannot be read: " + std::strerror(errno));
    return descriptor(file);
}

}  // namespace

npy_matrix read_npy(const std::string& path) {
    const descriptor file = open_regular(path);
    std::pair<contents, std::size_t> parsed;
    try {
        parsed = read_header(file.get());
    } catch (const file_error& wrong) {
        throw file_error(path + ": not a .npy file: " + wrong.what());
    }
    const auto& [header, offset] = parsed;
    const auto [type, half] = types_of(path, header.descr);
    require_matrix(path, header);
    std::size_t rows = header.shape[0], columns = header.shape[1];
    if (header.by_columns) std::swap(rows, columns);
    struct stat status {};
    fstat(file.get(), &status);
    const std::uint64_t needed =
        offset + rows * columns * (half ? half_bytes : element_bytes(type));
    if (static_cast<std::uint64_t>(status.st_size) < needed)
        throw file_error(path + ": cut short: " + std::to_string(status.st_size) +
                         " bytes, while its header says " + std::to_string(needed));
    return at_place(
        {.path = path, .offset = offset, .rows = rows, .columns = columns, .half = half}, type,
        header.by_columns);
}

npy_matrix at_place(const matrix_file& where, precision type, bool by_columns) {
    require_elements(where.path, where.rows, where.columns);
    npy_matrix result{where, type, by_columns, {}};
    const bool grid = !where.chunks.empty();
    const std::uint64_t element = where.half ? half_bytes : element_bytes(type);
    const std::uint64_t needed =
        where.offset +
        (grid ? where.chunk_rows * where.chunk_columns : where.rows * where.columns) * element;
    const auto [state, sizes] = state_of(where.paths());
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] < needed || (grid && sizes[i] != needed))
            throw file_error(where.paths()[i] + ": " + std::to_string(sizes[i]) +
                             " bytes, while its elements need " + std::to_string(needed));
    result.where.path = std::filesystem::canonical(where.path).string();
    result.state = state;
    result.sampled = sampled(where.paths(), sizes);
    return result;
}

bool has_changed(const npy_matrix& matrix) try {
    const std::vector<std::string> paths = matrix.where.paths();
    const auto [now, sizes] = state_of(paths);
    const file_version& before = matrix.state;
    if (now != before || now.inode != before.inode || now.device != before.device) return true;
    return now.attributes != before.attributes && sampled(paths, sizes) != matrix.sampled;
} catch (const error&) {
    return true;  // a file is gone
}

std::string npy_header(std::size_t rows, std::size_t columns, precision type) {
    const std::size_t length = npy_header_bytes - magic.size() - 4;
    std::string text(magic);
    text += {1, 0, static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
    text += std::string("{'descr': '") + native_order + 'f' + std::to_string(element_bytes(type)) +
            "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
            std::to_string(columns) + ")}";
    text.resize(npy_header_bytes - 1, ' ');
    return text + '\n';
}

std::string npy_type(precision type) {
    return type == precision::single_precision ? "float32" : "float64";
}

std::string type_name(const npy_matrix& matrix) {
    if (!matrix.where.half) return npy_type(matrix.type);
    return *matrix.where.half == half_type::float16 ? "float16" : "bfloat16";
}

std::string shape_text(const matrix_file& matrix) {
    return std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns);
}

}  // namespace watari::files
