// The lines of a text file.
#pragma once

#include <string_view>
#include <vector>

#include "chemistry/byte_source.hpp"

namespace tenfold::chemistry_impl {

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

} // namespace tenfold::chemistry_impl
