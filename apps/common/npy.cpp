#include "apps/npy.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include <tenfold/error.hpp>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, ".npy data is read as it lies");

namespace tenfold::apps_impl {
namespace {

constexpr std::array<char, 6> magic = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

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

/// Opens for reading and states the file's size.
std::ifstream open_to_read(const std::string &path, index_t &file_size) {
    std::error_code problem;
    if (std::filesystem::is_directory(path, problem))
        reject(path, "is a directory");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        reject(path, std::string("cannot be opened: ") + std::strerror(errno));
    file.seekg(0, std::ios::end);
    file_size = static_cast<index_t>(file.tellg());
    file.seekg(0);
    if (!file || file_size < 0)
        reject(path, "is not a regular file");
    return file;
}

npy_header read_header(const std::string &path, std::ifstream &file, index_t file_size) {
    std::array<unsigned char, 12> start{};
    file.read(reinterpret_cast<char *>(start.data()), 10);
    if (file.gcount() < 6 || std::memcmp(start.data(), magic.data(), magic.size()) != 0)
        reject(path, "is not an .npy file");
    if (file.gcount() < 10)
        reject(path, "truncated: the header is not complete");

    const int version = start[6];
    if (version < 1 || version > 3)
        reject(path, ".npy format version " + std::to_string(version) + "." +
                         std::to_string(start[7]) + " is not supported; 1, 2 and 3 are");
    index_t header_size = start[8] | start[9] << 8;
    index_t header_offset = 10;
    if (version > 1) { // the length takes four bytes
        file.read(reinterpret_cast<char *>(start.data()) + 10, 2);
        header_size |= index_t{start[10]} << 16 | index_t{start[11]} << 24;
        header_offset = 12;
    }
    if (header_offset + header_size > file_size)
        reject(path, "truncated: the header is not complete");
    std::string text(static_cast<std::size_t>(header_size), '\0');
    file.read(text.data(), header_size);
    if (!file)
        reject(path, "cannot be read");

    npy_header header{};
    header_parser(path, text).parse(header);
    header.data_offset = header_offset + header_size;
    return header;
}

layout layout_of(const npy_header &header) {
    return header.fortran_order ? layout(header.shape) : layout::row_major(header.shape);
}

void check_size(const std::string &path, const npy_header &header, index_t file_size) {
    index_t needed = 0;
    try {
        needed = storage_bytes(layout_of(header), header.type).value;
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

std::string header_text(const host_array &array) {
    const layout &shape = array.shape();
    const char *descr = "<f8";
    if (array.type() == data_type::f32)
        descr = "<f4";
    else if (array.type() == data_type::c32)
        descr = "<c8";
    else if (array.type() == data_type::c64)
        descr = "<c16";
    // Where both orders are the same, numpy says False.
    const bool fortran_order = shape.order() > 1 && shape == layout(shape.extents()) &&
                               shape != layout::row_major(shape.extents());
    std::string text = std::string("{'descr': '") + descr +
                       "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': (";
    for (const index_t extent : shape.extents())
        text += std::to_string(extent) + ",";
    return text + "), }";
}

} // namespace

npy_header read_npy_header(const std::string &path) {
    index_t file_size = 0;
    std::ifstream file = open_to_read(path, file_size);
    npy_header header = read_header(path, file, file_size);
    check_size(path, header, file_size);
    return header;
}

host_array read_npy(const std::string &path) {
    index_t file_size = 0;
    std::ifstream file = open_to_read(path, file_size);
    const npy_header header = read_header(path, file, file_size);
    check_size(path, header, file_size);
    host_array array(header.type, layout_of(header));
    file.read(reinterpret_cast<char *>(array.data()), array.size().value);
    if (!file)
        reject(path, "cannot be read");
    return array;
}

void write_npy(const std::string &path, const host_array &array) {
    std::string text = header_text(array);
    // Padded so that the data starts at a multiple of 64 bytes, as the format asks for.
    const std::size_t unpadded = magic.size() + 4 + text.size() + 1;
    text.append((64 - unpadded % 64) % 64, ' ');
    text += '\n';

    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file)
        reject(path, std::string("cannot be created: ") + std::strerror(errno));
    file.write(magic.data(), magic.size());
    const std::array<char, 4> version_and_size = {1, 0, static_cast<char>(text.size() & 0xff),
                                                  static_cast<char>(text.size() >> 8)};
    file.write(version_and_size.data(), version_and_size.size());
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.write(reinterpret_cast<const char *>(array.data()), array.size().value);
    file.close();
    if (!file)
        reject(path, std::string("cannot be written: ") + std::strerror(errno));
}

} // namespace tenfold::apps_impl
