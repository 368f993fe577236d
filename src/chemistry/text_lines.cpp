#include "chemistry/text_lines.hpp"

#include <algorithm>
#include <cstring>

#include <tenfold/chem_fcidump.hpp>

namespace tenfold::chemistry_impl {
namespace {

constexpr std::size_t longest_line = chem::fcidump_text::longest_line;

/// Bytes to read at a time, few enough that a caller that needs only the first lines gets them
/// soon.
constexpr std::size_t most_read = 1 << 16;

} // namespace

line_reader::line_reader(std::unique_ptr<byte_source> source)
    : source_(std::move(source)), buffer_(1 << 19) {}

/// Moves the incomplete line to the front and reads more behind it.
bool line_reader::refill() {
    if (at_end_)
        return false;
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size())
        buffer_.resize(2 * buffer_.size());
    const std::size_t count =
        source_->read(buffer_.data() + end_, std::min(most_read, buffer_.size() - end_));
    at_end_ = count == 0;
    end_ += count;
    return count > 0;
}

bool line_reader::next(std::string_view &line) {
    std::size_t searched = 0;
    for (;;) {
        const char *from = buffer_.data() + begin_;
        const std::size_t length = end_ - begin_;
        const void *newline =
            length > searched ? std::memchr(from + searched, '\n', length - searched) : nullptr;
        if (newline != nullptr || ((at_end_ || length >= longest_line) && length > 0)) {
            const std::size_t size =
                newline == nullptr
                    ? length
                    : static_cast<std::size_t>(static_cast<const char *>(newline) - from);
            line = {from, size};
            begin_ += size + (newline == nullptr ? 0 : 1);
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            ++number_;
            return true;
        }
        searched = length;
        if (!refill() && begin_ == end_)
            return false;
    }
}

bool line_reader::next_lines(std::string_view &lines, std::size_t most) {
    while (end_ - begin_ < most && refill()) {
    }
    const std::string_view held(buffer_.data() + begin_, end_ - begin_);
    const std::size_t newline = held.substr(0, most).rfind('\n');
    if (newline == std::string_view::npos && (held.size() > most || !at_end_)) {
        std::string_view line; // longer than `most`
        if (!next(line))
            return false;
        const char *begin = line.data();
        lines = {begin, static_cast<std::size_t>(buffer_.data() + begin_ - begin)};
        return true;
    }
    const bool ends_here = held.size() <= most && at_end_;
    lines = held.substr(0, ends_here ? held.size() : newline + 1);
    begin_ += lines.size();
    number_ += std::count(lines.begin(), lines.end(), '\n');
    number_ += !lines.empty() && lines.back() != '\n' ? 1 : 0;
    return !lines.empty();
}

} // namespace tenfold::chemistry_impl
