// The lines of a text file, plain or compressed.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::ccsd {

/// Where the bytes of a text come from.
class byte_source {
public:
    virtual ~byte_source() = default;
    /// Up to `size` bytes; 0 at the end. Throws usage_error for a compressed file that is damaged,
    /// tenfold::error(errc::io) for one that cannot be read.
    virtual std::size_t read(char *to, std::size_t size) = 0;
};

/// A file as it is, or what gzip or xz made smaller, told apart by the first bytes rather than by
/// the name. Throws usage_error where it cannot be opened.
std::unique_ptr<byte_source> open_source(const std::string &path);

/// Bytes; of what is longer, a part is taken for a line: nobody's buffer should hold a disk image.
constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Reads a text line by line or in pieces of many lines, without ever holding more than one buffer
/// and one line of it.
class line_reader {
public:
    explicit line_reader(std::unique_ptr<byte_source> source);

    /// The next line without its end ("\n" or "\r\n"); valid until the next call. False at the end.
    /// What goes on for more than a megabyte without one is handed out in pieces.
    bool next(std::string_view &line);
    /// The next lines with their ends, whole ones and at most `most` bytes of them, or one line
    /// that is longer; valid until the next call. False at the end.
    bool next_lines(std::string_view &lines, std::size_t most);
    /// Of the line that was returned last, from 1.
    index_t number() const noexcept { return number_; }

private:
    bool refill();

    std::unique_ptr<byte_source> source_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    index_t number_ = 0;
    bool at_end_ = false;
};

} // namespace tenfold::ccsd
