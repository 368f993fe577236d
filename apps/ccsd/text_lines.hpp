// The lines of a text file, plain or compressed.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::ccsd {

/// A source of the bytes of a text.
class byte_source {
public:
    virtual ~byte_source() = default;
    /// Reads up to `size` bytes; returns 0 at the end. Throws usage_error for a compressed file
    /// that is damaged, and tenfold::error(errc::io) for one that cannot be read.
    virtual std::size_t read(char *to, std::size_t size) = 0;
};

/// Opens a file that is plain or compressed by gzip or xz, which it recognises by the first bytes,
/// not by the name. Throws usage_error if it cannot be opened.
std::unique_ptr<byte_source> open_source(const std::string &path);

/// Throws usage_error that names a line of the file `path`.
[[noreturn]] void reject_line(const std::string &path, index_t line, const std::string &message);
/// A function that throws for the line that was read last; its argument says what is wrong.
using rejection = std::function<void(const std::string &)>;

/// The longest line in bytes. Longer ones are returned in parts, so that no buffer has to hold a
/// whole disk image.
constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Reads a text line by line or in pieces of many lines. Holds at most one buffer and one line.
class line_reader {
public:
    explicit line_reader(std::unique_ptr<byte_source> source);

    /// Gets the next line without its end ("\n" or "\r\n"); valid until the next call. Returns
    /// false at the end. Lines longer than a megabyte are returned in pieces.
    bool next(std::string_view &line);
    /// Gets the next whole lines with their ends, at most `most` bytes, or one line that is longer;
    /// valid until the next call. Returns false at the end.
    bool next_lines(std::string_view &lines, std::size_t most);
    /// The number of the last returned line, from 1.
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
