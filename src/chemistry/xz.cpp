#include <vector>

#include <lzma.h>

#include <tenfold/chem_fcidump.hpp>

#include "chemistry/byte_source.hpp"

namespace tenfold::chemistry_impl {
namespace {

class xz_source : public byte_source {
public:
    explicit xz_source(std::shared_ptr<const base::input_file> file)
        : file_(std::move(file)), packed_(1 << 16) {
        // A file may consist of several streams, as for xz(1).
        if (lzma_stream_decoder(&stream_, most_memory.value, LZMA_CONCATENATED) != LZMA_OK)
            no_memory_to_unpack(file_->name());
    }
    ~xz_source() override { lzma_end(&stream_); }
    xz_source(const xz_source &) = delete;
    xz_source &operator=(const xz_source &) = delete;

    std::size_t read(char *to, std::size_t size) override {
        stream_.next_out = reinterpret_cast<std::uint8_t *>(to);
        stream_.avail_out = size;
        while (stream_.avail_out > 0 && !finished_) {
            if (stream_.avail_in == 0 && !input_ended_) {
                const index_t count = file_->read_some(position_, packed_.data(),
                                                       static_cast<index_t>(packed_.size()));
                position_ += count;
                stream_.next_in = reinterpret_cast<const std::uint8_t *>(packed_.data());
                stream_.avail_in = static_cast<std::size_t>(count);
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

    [[noreturn]] void reject(const std::string &problem) const {
        throw chem::fcidump_error(file_->name(), 0, problem);
    }

    [[noreturn]] void reject_for(lzma_ret result) const {
        switch (result) {
        case LZMA_BUF_ERROR:
            reject_cut_archive(file_->name());
        case LZMA_MEM_ERROR:
            no_memory_to_unpack(file_->name());
        case LZMA_MEMLIMIT_ERROR: {
            const std::uint64_t mebibyte = std::uint64_t{1} << 20;
            reject("takes " + std::to_string((lzma_memusage(&stream_) + mebibyte - 1) / mebibyte) +
                   " MiB of memory to unpack, more than " +
                   std::to_string(most_memory.value >> 20) +
                   " MiB: pack it with a smaller dictionary, for instance by xz -9");
        }
        case LZMA_OPTIONS_ERROR:
            reject("the xz data needs a newer liblzma, or is damaged");
        default:
            reject("the xz data is damaged (liblzma reports error " +
                   std::to_string(static_cast<int>(result)) + ")");
        }
    }

    std::shared_ptr<const base::input_file> file_;
    index_t position_ = 0;
    std::vector<char> packed_;
    lzma_stream stream_ = LZMA_STREAM_INIT;
    bool input_ended_ = false;
    bool finished_ = false;
};

} // namespace

std::unique_ptr<byte_source> open_xz(const std::shared_ptr<const base::input_file> &file) {
    return std::make_unique<xz_source>(file);
}

} // namespace tenfold::chemistry_impl
