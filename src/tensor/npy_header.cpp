#include "tensor/npy_header.hpp"

#include <cstring>
#include <string_view>

#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, ".npy data is read as it lies");

namespace tenfold::tensor_impl {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void reject(const std::string &path, const std::string &problem) {
    throw error(errc::io, "'" + path + "': " + problem);
}

/// The header's text: a Python literal such as
/// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. Only what such a dictionary holds
/// is understood; keys may come in any order.
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
                header.type = element_type();
                seen_type = true;
            } else if (key == "fortran_order") {
                header.fortran_order = boolean();
                seen_order = true;
            } else if (key == "shape") {
                header.shape = tuple();
                seen_shape = true;
            } else {
                malformed("unknown key '" + key + "'");
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
        while (!rest_.empty() && std::strchr(" \t\r\n", rest_.front()) != nullptr)
            rest_.remove_prefix(1);
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
    std::string found() const { return std::string(rest_.substr(0, 12)); }

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

    data_type element_type() {
        skip_space();
        if (!rest_.empty() && rest_.front() == '[')
            reject(path_, "structured arrays are not supported");
        const std::string descr = string_literal();
        if (descr.starts_with('>'))
            reject(path_, "big-endian data ('" + descr + "') is not supported");
        const std::string kind =
            descr.starts_with('<') || descr.starts_with('=') ? descr.substr(1) : descr;
        if (kind == "f4")
            return data_type::f32;
        if (kind == "f8")
            return data_type::f64;
        if (kind == "c8")
            return data_type::c32;
        if (kind == "c16")
            return data_type::c64;
        reject(path_, "element type '" + descr +
                          "' is not supported; float32, float64, complex64 and complex128 are");
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
            accept('L'); // Python 2 wrote long integers so
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

/// Where the length of the text ends: it takes two bytes, from version 2 on four.
std::size_t text_begin(std::string_view start) { return start[6] == 1 ? 10 : 12; }

void check_size(const std::string &path, const npy_header &header, index_t file_size) {
    index_t needed = 0;
    try {
        needed = storage_bytes(layout(header.shape), header.type).value;
    } catch (const error &problem) {
        reject(path, problem.what());
    }
    const index_t present = file_size - header.data_offset;
    const std::string sizes = "shape and type need " + std::to_string(needed) +
                              " bytes of data, the file has " + std::to_string(present);
    if (present < needed)
        reject(path, "truncated: " + sizes);
    if (present > needed)
        reject(path, "too long: " + sizes);
}

} // namespace

index_t npy_header_size(const std::string &path, std::string_view start, index_t file_size) {
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
    size += static_cast<index_t>(begin);
    if (size > file_size)
        reject(path, "truncated: the header is not complete");
    return size;
}

npy_header parse_npy_header(const std::string &path, std::string_view bytes, index_t file_size) {
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

std::string npy_header_bytes(data_type type, const extents_t &shape, bool fortran_order) {
    const char *descr = "<f8";
    if (type == data_type::f32)
        descr = "<f4";
    else if (type == data_type::c32)
        descr = "<c8";
    else if (type == data_type::c64)
        descr = "<c16";
    std::string text = std::string("{'descr': '") + descr +
                       "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': (";
    for (const index_t extent : shape)
        text += std::to_string(extent) + ",";
    text += "), }";

    // Padded so that the data starts at a multiple of 64 bytes, as the format asks for. Version 2
    // takes four bytes for the length where two are not enough.
    const auto pad = [&](std::size_t prefix) {
        return text + std::string(63 - (prefix + text.size()) % 64, ' ') + '\n';
    };
    std::string padded = pad(magic.size() + 4);
    const bool short_length = padded.size() <= 0xffff;
    if (!short_length)
        padded = pad(magic.size() + 6);
    std::string bytes(magic);
    bytes += short_length ? '\1' : '\2';
    bytes += '\0';
    for (int byte = 0; byte < (short_length ? 2 : 4); ++byte)
        bytes += static_cast<char>(padded.size() >> (8 * byte) & 0xff);
    return bytes + padded;
}

} // namespace tenfold::tensor_impl
