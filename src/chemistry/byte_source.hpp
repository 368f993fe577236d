// The bytes of a text file, plain or compressed.
#pragma once

#include <memory>
#include <string>

#include <tenfold/chem_fcidump.hpp>

#include "base/input_file.hpp"

namespace tenfold::chemistry_impl {

/// A source of the bytes of a text.
class byte_source {
public:
    virtual ~byte_source() = default;
    /// Reads up to `size` bytes; returns 0 at the end. Throws fcidump_error for a compressed file
    /// that is damaged, and error(errc::io) for one that cannot be read.
    virtual std::size_t read(char *to, std::size_t size) = 0;
};

/// Opens a file that is plain or compressed by gzip or xz, which it recognises by the first bytes,
/// not by the name. Throws fcidump_error if it cannot be opened, and errc::unsupported if this
/// build cannot unpack it.
std::unique_ptr<byte_source> open_source(const std::string &path);
/// The bytes of a text that a caller reads.
std::unique_ptr<byte_source> source_of(chem::text_source read);

/// What open_source() opens a compressed file by; each throws where its library is missing.
std::unique_ptr<byte_source> open_gzip(const std::shared_ptr<const base::input_file> &file);
std::unique_ptr<byte_source> open_xz(const std::shared_ptr<const base::input_file> &file);

/// What both say.
[[noreturn]] void reject_cut_archive(const std::string &path);
[[noreturn]] void no_memory_to_unpack(const std::string &path);
/// `how`: "gzip"; `library`: "zlib (zlib1g-dev)".
[[noreturn]] void cannot_unpack(const std::string &path, const std::string &how,
                                const std::string &library);

} // namespace tenfold::chemistry_impl
