#include <cerrno>
#include <cstring>

#include <unistd.h>
#include <zlib.h>

#include <tenfold/chem_fcidump.hpp>

#include "chemistry/byte_source.hpp"

namespace tenfold::chemistry_impl {
namespace {

[[noreturn]] void cannot(const std::string &path, const std::string &problem) {
    throw error(errc::io, "'" + path + "': " + problem);
}

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
            reject_cut_archive(path_);
        if (code == Z_MEM_ERROR)
            no_memory_to_unpack(path_);
        if (code == Z_ERRNO)
            cannot(path_, std::string("cannot be read: ") + std::strerror(errno));
        if (count < 0)
            throw chem::fcidump_error(path_, 0,
                                      std::string("the gzip data is damaged: ") + message);
        return static_cast<std::size_t>(count);
    }

private:
    std::string path_;
    gzFile file_;
};

} // namespace

std::unique_ptr<byte_source> open_gzip(const std::shared_ptr<const base::input_file> &file) {
    return std::make_unique<gzip_source>(*file);
}

} // namespace tenfold::chemistry_impl
