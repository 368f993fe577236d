#include "chemistry/byte_source.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace tenfold::chemistry_impl {
namespace {

/// Refuses pipes: opening one might block, and the content could be read only once, but programs
/// read it twice.
std::shared_ptr<const base::input_file> open_file(const std::string &path) {
    try {
        return std::make_shared<base::input_file>(path);
    } catch (const error &problem) {
        const std::size_t named = path.size() + 4; // "'path': ", as the error says already
        throw chem::fcidump_error(
            path, 0, std::string(problem.what()).substr(named) + ": expected an FCIDUMP");
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

private:
    std::shared_ptr<const base::input_file> file_;
    index_t position_ = 0;
};

class callers_source : public byte_source {
public:
    explicit callers_source(chem::text_source read) : read_(std::move(read)) {}
    std::size_t read(char *to, std::size_t size) override { return read_(to, size); }

private:
    chem::text_source read_;
};

bool starts_with(const std::array<char, 6> &bytes, std::string_view magic) {
    return std::string_view(bytes.data(), magic.size()) == magic;
}

} // namespace

std::unique_ptr<byte_source> open_source(const std::string &path) {
    std::shared_ptr<const base::input_file> file = open_file(path);
    std::array<char, 6> first{};
    file->read_some(0, first.data(), first.size());
    if (starts_with(first, "\x1f\x8b"))
        return open_gzip(file);
    if (starts_with(first, std::string_view("\xfd"
                                            "7zXZ\0",
                                            6)))
        return open_xz(file);
    return std::make_unique<plain_source>(std::move(file));
}

std::unique_ptr<byte_source> source_of(chem::text_source read) {
    return std::make_unique<callers_source>(std::move(read));
}

void reject_cut_archive(const std::string &path) {
    throw chem::fcidump_error(path, 0, "the compressed file ends too early: it was cut short");
}

void no_memory_to_unpack(const std::string &path) {
    throw error(errc::out_of_memory,
                "'" + path + "': cannot be unpacked: there is no memory for it");
}

void cannot_unpack(const std::string &path, const std::string &how, const std::string &library) {
    throw error(errc::unsupported, "'" + path + "': is compressed by " + how +
                                       ", which this build cannot unpack: " + library +
                                       " was not there when it was configured; decompress the "
                                       "file");
}

} // namespace tenfold::chemistry_impl
