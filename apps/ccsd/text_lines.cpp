#include "apps/ccsd/text_lines.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#if defined(TENFOLD_CCSD_XZ)
#include <lzma.h>
#endif
#include <unistd.h>
#include <zlib.h>

#include <tenfold/error.hpp>

#include "apps/common/program.hpp"
#include "base/input_file.hpp"

namespace tenfold::ccsd {
namespace {

using apps_impl::usage_error;

[[noreturn]] void reject(const std::string &path, const std::string &problem) {
    throw usage_error("'" + path + "': " + problem);
}

[[noreturn]] void cannot(const std::string &path, const std::string &problem) {
    throw error(errc::io, "'" + path + "': " + problem);
}

[[noreturn]] void no_memory(const std::string &path) {
    throw error(errc::out_of_memory,
                "'" + path + "': cannot be unpacked: there is no memory for it");
}

/// Refuses pipes: opening one might block, and the content could be read only once, but it is read
/// twice.
std::shared_ptr<const base::input_file> open_file(const std::string &path) {
    try {
        return std::make_shared<base::input_file>(path);
    } catch (const error &problem) {
        throw usage_error(std::string(problem.what()) + ": expected an FCIDUMP");
    }
}

class plain_source : public byte_source {
public:
    explicit plain_source(std::shared_ptr<const base::input_file> file) : file_(std::move(file)) {}
    std::size_t read(char *to, std::size_t size) override {
        const index_t count = file_->read_some(position_, to, static_cast<index_t>(size));
        position_ += count;
        return static_cast<std::size_t>(count);
    }
    const std::string &path() const noexcept { return file_->name(); }

private:
    std::shared_ptr<const base::input_file> file_;
    index_t position_ = 0;
};

class gzip_source : public byte_source {
public:
    /// zlib closes its descriptor, so that it gets a duplicate.
    explicit gzip_source(const base::input_file &file)
        : path_(file.name()), file_(gzdopen(dup(file.descriptor()), "rb")) {
        if (file_ == nullptr)
            cannot(path_, std::string("cannot be opened: ") + std::strerror(errno));
    }
    ~gzip_source() override { gzclose(file_); }
    gzip_source(const gzip_source &) = delete;
    gzip_source &operator=(const gzip_source &) = delete;

    std::size_t read(char *to, std::size_t size) override {
        const int count = gzread(file_, to, static_cast<unsigned>(size));
        int code = Z_OK;
        const char *message = gzerror(file_, &code);
        // gzread() does not report a file that ends too early; it returns the data up to there.
        if (code == Z_BUF_ERROR)
            reject(path_, "the compressed file ends too early: it was cut short");
        if (code == Z_MEM_ERROR)
            no_memory(path_);
        if (code == Z_ERRNO)
            cannot(path_, std::string("cannot be read: ") + std::strerror(errno));
        if (count < 0)
            reject(path_, std::string("the gzip data is damaged: ") + message);
        return static_cast<std::size_t>(count);
    }

private:
    std::string path_;
    gzFile file_;
};

#if defined(TENFOLD_CCSD_XZ)

class xz_source : public byte_source {
public:
    explicit xz_source(std::shared_ptr<const base::input_file> file)
        : file_(std::move(file)), packed_(1 << 16) {
        // A file may consist of several streams, as for xz(1).
        if (lzma_stream_decoder(&stream_, most_memory.value, LZMA_CONCATENATED) != LZMA_OK)
            no_memory(file_.path());
    }
    ~xz_source() override { lzma_end(&stream_); }
    xz_source(const xz_source &) = delete;
    xz_source &operator=(const xz_source &) = delete;

    std::size_t read(char *to, std::size_t size) override {
        stream_.next_out = reinterpret_cast<std::uint8_t *>(to);
        stream_.avail_out = size;
        while (stream_.avail_out > 0 && !finished_) {
            if (stream_.avail_in == 0 && !input_ended_) {
                const std::size_t count = file_.read(packed_.data(), packed_.size());
                stream_.next_in = reinterpret_cast<const std::uint8_t *>(packed_.data());
                stream_.avail_in = count;
                input_ended_ = count == 0;
            }
            const lzma_ret result = lzma_code(&stream_, input_ended_ ? LZMA_FINISH : LZMA_RUN);
            if (result == LZMA_STREAM_END)
                finished_ = true;
            else if (result != LZMA_OK)
                reject_for(result);
        }
        return size - stream_.avail_out;
    }

private:
    /// Decompressing the output of xz -9 takes 65 MiB; a file may ask for 4 GiB, on every rank.
    static constexpr byte_count most_memory = mib(256);

    [[noreturn]] void reject_for(lzma_ret result) {
        const std::string &path = file_.path();
        switch (result) {
        case LZMA_BUF_ERROR:
            reject(path, "the compressed file ends too early: it was cut short");
        case LZMA_MEM_ERROR:
            no_memory(path);
        case LZMA_MEMLIMIT_ERROR: {
            const std::uint64_t mebibyte = std::uint64_t{1} << 20;
            reject(path, "takes " +
                             std::to_string((lzma_memusage(&stream_) + mebibyte - 1) / mebibyte) +
                             " MiB of memory to unpack, more than " +
                             std::to_string(most_memory.value >> 20) +
                             " MiB: pack it with a smaller dictionary, for instance by xz -9");
        }
        case LZMA_OPTIONS_ERROR:
            reject(path, "the xz data needs a newer liblzma, or is damaged");
        default:
            reject(path, "the xz data is damaged (liblzma reports error " +
                             std::to_string(static_cast<int>(result)) + ")");
        }
    }

    plain_source file_;
    std::vector<char> packed_;
    lzma_stream stream_ = LZMA_STREAM_INIT;
    bool input_ended_ = false;
    bool finished_ = false;
};

std::unique_ptr<byte_source> open_xz(std::shared_ptr<const base::input_file> file) {
    return std::make_unique<xz_source>(std::move(file));
}

#else

std::unique_ptr<byte_source> open_xz(const std::shared_ptr<const base::input_file> &file) {
    reject(file->name(),
           "is compressed by xz, which this build cannot unpack: liblzma (liblzma-dev) was not "
           "there when it was configured; decompress the file");
}

#endif

/// Bytes to read at a time, few enough that a caller that needs only the first lines gets them
/// soon.
constexpr std::size_t most_read = 1 << 16;

bool starts_with(const std::array<char, 6> &bytes, std::string_view magic) {
    return std::string_view(bytes.data(), magic.size()) == magic;
}

} // namespace

std::unique_ptr<byte_source> open_source(const std::string &path) {
    std::shared_ptr<const base::input_file> file = open_file(path);
    std::array<char, 6> first{};
    file->read_some(0, first.data(), first.size());
    if (starts_with(first, "\x1f\x8b"))
        return std::make_unique<gzip_source>(*file);
    if (starts_with(first, std::string_view("\xfd"
                                            "7zXZ\0",
                                            6)))
        return open_xz(std::move(file));
    return std::make_unique<plain_source>(std::move(file));
}

void reject_line(const std::string &path, index_t line, const std::string &message) {
    throw usage_error("'" + path + "', line " + std::to_string(line) + ": " + message);
}

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

} // namespace tenfold::ccsd
