#include "watari/files/matrices/npy.hpp"

#include "watari/core/error.hpp"
#include "watari/files/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstring>
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

}  // namespace watari::files
