#include "tensor/npy.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

#include "base/checked.hpp"

namespace tenfold::tensor_impl {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// Maximum length of the text in bytes, as in NumPy (max_header_size). Tensors of any usual order
/// need far less, and a damaged length must not allocate gigabytes.
constexpr index_t most_text = 10000;

[[noreturn]] void reject(const std::string &path, const std::string &problem) {
    throw error(errc::io, "'" + path + "': " + problem);
}

/// Parses the header's text, a Python literal such as {'descr': '<f8', 'fortran_order': False,
/// 'shape': (3, 4), }. Only such a dictionary is accepted; its keys may come in any order.
class header_parser {
public:
    header_parser(const std::string &path, std::string_view text) : path_(path), rest_(text) {}

    void parse(npy_header &header) {
        bool seen_type = false;
        bool seen_order = false;
        bool seen_shape = false;
        expect('{');
        while (!accept('}')) {
            const std::string key = string_literal();
            expect(':');
            if (key == "descr") {
                header.element = element();
                seen_type = true;
            } else if (key == "fortran_order") {
                header.fortran_order = boolean();
                seen_order = true;
            } else if (key == "shape") {
                header.shape = tuple();
                seen_shape = true;
            } else {
                malformed("unknown key '" + printable(key) + "'");
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (!rest_.empty())
            malformed("text after the dictionary");
        for (const auto &[seen, key] :
             {std::pair(seen_type, "descr"), std::pair(seen_order, "fortran_order"),
              std::pair(seen_shape, "shape")})
            if (!seen)
                malformed(std::string("'") + key + "' is missing");
    }

private:
    [[noreturn]] void malformed(const std::string &problem) {
        reject(path_, "malformed .npy header: " + problem);
    }
    void skip_space() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }
    bool accept(char wanted) {
        skip_space();
        if (rest_.empty() || rest_.front() != wanted)
            return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char wanted) {
        if (!accept(wanted))
            malformed(std::string("'") + wanted + "' expected " +
                      (rest_.empty() ? "at its end" : "before '" + found() + "'"));
    }
    std::string found() const { return printable(rest_.substr(0, 12)); }
    static std::string printable(std::string_view bytes) {
        std::string text(bytes);
        std::replace_if(
            text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
        return text;
    }

    std::string string_literal() {
        skip_space();
        if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"'))
            malformed("a string expected " +
                      (rest_.empty() ? std::string("at its end") : "before '" + found() + "'"));
        const std::size_t end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos)
            malformed("a string does not end");
        std::string value(rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
        return value;
    }

    npy_element element() {
        skip_space();
        if (!rest_.empty() && rest_.front() == '[')
            reject(path_, "structured arrays are not supported");
        const std::string descr = string_literal();
        const std::optional<npy_element> known = npy_element::parse(descr);
        if (!known)
            reject(path_, "element type '" + printable(descr) +
                              "' is not supported; booleans, integers of up to 64 bits, float16, "
                              "float32, float64, complex64 and complex128 are");
        return *known;
    }

    bool boolean() {
        skip_space();
        for (const bool value : {true, false}) {
            const std::string_view word = value ? "True" : "False";
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                return value;
            }
        }
        malformed("True or False expected before '" + found() + "'");
    }

    extents_t tuple() {
        extents_t shape;
        expect('(');
        while (!accept(')')) {
            shape.push_back(integer());
            accept('L'); // Python 2 wrote long integers with an L
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return shape;
    }

    index_t integer() {
        skip_space();
        index_t value = 0;
        std::size_t digits = 0;
        for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits)
            if (__builtin_mul_overflow(value, 10, &value) ||
                __builtin_add_overflow(value, rest_[digits] - '0', &value))
                malformed("an extent does not fit 64 bits");
        if (digits == 0)
            malformed("an extent expected before '" + found() + "'");
        rest_.remove_prefix(digits);
        return value;
    }

    const std::string &path_;
    std::string_view rest_;
};

/// The offset of the text, after its length, which takes two bytes in version 1 and four from
/// version 2 on.
std::size_t text_begin(std::string_view start) { return start[6] == 1 ? 10 : 12; }

void check_size(const std::string &path, const npy_header &header,
                std::optional<index_t> file_size) {
    index_t needed = 0;
    try {
        needed = base::checked_multiply(layout(header.shape).size(), header.element.size,
                                        "bytes of the array");
    } catch (const error &problem) {
        reject(path, problem.what());
    }
    const index_t present = file_size ? *file_size - header.data_offset : needed;
    const std::string sizes = "shape and type need " + std::to_string(needed) +
                              " bytes of data, the file has " + std::to_string(present);
    if (present < needed)
        reject(path, "truncated: " + sizes);
    if (present > needed)
        reject(path, "too long: " + sizes);
}

/// The indices of an element in the file's array, for messages: "[2, 0]".
std::string place_of(const npy_header &header, index_t position) {
    extents_t place(header.shape.size());
    for (std::size_t step = 0; step < place.size(); ++step) {
        const std::size_t axis = header.fortran_order ? step : place.size() - 1 - step;
        place[axis] = position % header.shape[axis];
        position /= header.shape[axis];
    }
    std::string text;
    for (const index_t one : place)
        text += (text.empty() ? "" : ", ") + std::to_string(one);
    return "[" + text + "]";
}

} // namespace

index_t npy_header_size(const std::string &path, std::string_view start,
                        std::optional<index_t> file_size) {
    if (start.size() < magic.size() || start.substr(0, magic.size()) != magic)
        reject(path, "is not an .npy file");
    if (start.size() < 10)
        reject(path, "truncated: the header is not complete");
    const int version = static_cast<unsigned char>(start[6]);
    if (version < 1 || version > 3)
        reject(path, ".npy format version " + std::to_string(version) + "." +
                         std::to_string(static_cast<unsigned char>(start[7])) +
                         " is not supported; 1, 2 and 3 are");
    const std::size_t begin = text_begin(start);
    if (start.size() < begin)
        reject(path, "truncated: the header is not complete");
    index_t size = 0;
    for (std::size_t byte = begin; byte-- > 8;)
        size = size << 8 | static_cast<unsigned char>(start[byte]);
    if (size > most_text)
        reject(path, "has a header of " + std::to_string(size) + " bytes, more than the " +
                         std::to_string(most_text) + " that are read: it is damaged");
    size += static_cast<index_t>(begin);
    if (file_size && size > *file_size)
        reject(path, "truncated: the header is not complete");
    return size;
}

npy_header parse_npy_header(const std::string &path, std::string_view bytes,
                            std::optional<index_t> file_size) {
    npy_header header{};
    header_parser(path, bytes.substr(text_begin(bytes))).parse(header);
    header.data_offset = static_cast<index_t>(bytes.size());
    check_size(path, header, file_size);
    return header;
}

npy_header read_npy_header(const base::input_file &file) {
    const index_t size = npy_header_size(file.name(), file.start(npy_prefix_size), file.size());
    return parse_npy_header(file.name(), file.start(size), file.size());
}

void read_npy_elements(const std::string &path, const npy_header &header, index_t first,
                       index_t count, data_type type, void *elements,
                       const std::function<void(index_t offset, void *data, index_t size)> &read) {
    const npy_element element = header.element;
    const index_t begin = header.data_offset + first * element.size;
    if (!element.becomes(type))
        throw error(errc::type_mismatch,
                    "'" + path + "' holds " + element.name() + ", not " + std::string(name(type)),
                    {.second = {.type = type}});
    if (element.is_stored_as(type)) {
        read(begin, elements, count * element.size);
        return;
    }
    std::vector<char> piece(static_cast<std::size_t>(kib(64).value));
    const index_t most = kib(64).value / element.size;
    for (index_t done = 0; done < count;) {
        const index_t now = std::min(most, count - done);
        read(begin + done * element.size, piece.data(), now * element.size);
        const index_t fitting = convert(element, piece.data(), now, type,
                                        static_cast<char *>(elements) + done * size_of(type));
        if (fitting < now)
            reject(path,
                   "element " + place_of(header, first + done + fitting) + " is " +
                       value_text(element, piece.data() + fitting * element.size) +
                       (element.what == npy_element::kind::boolean
                            ? ": expected 0 or 1, the values of a bool"
                            : ", which " + std::string(name(type)) + " does not hold exactly"));
        done += now;
    }
}

std::string npy_header_bytes(data_type type, const extents_t &shape, bool fortran_order) {
    std::string text = "{'descr': '" + npy_element::of(type).descr() +
                       "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': (";
    for (const index_t extent : shape)
        text += std::to_string(extent) + ",";
    text += "), }";

    // The text is padded so that the data starts at a multiple of 64 bytes, as the format requires.
    const std::size_t prefix = magic.size() + 4;
    text += std::string(63 - (prefix + text.size()) % 64, ' ') + '\n';
    if (static_cast<index_t>(text.size()) > most_text)
        throw error(errc::unsupported, "a tensor of order " + std::to_string(shape.size()) +
                                           " takes an .npy header of " +
                                           std::to_string(text.size()) + " bytes; " +
                                           std::to_string(most_text) + " is the most");
    std::string bytes(magic);
    bytes += '\1';
    bytes += '\0';
    for (int byte = 0; byte < 2; ++byte)
        bytes += static_cast<char>(text.size() >> (8 * byte) & 0xff);
    return bytes + text;
}

} // namespace tenfold::tensor_impl
