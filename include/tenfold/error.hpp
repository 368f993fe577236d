// Errors: exceptions while planning, a status while executing.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tenfold {

enum class errc {
    ok = 0,
    syntax,              ///< an expression could not be parsed
    unknown_label,       ///< an output label that no input carries
    repeated_label,      ///< a label twice in the output without the opt-in
    order_mismatch,      ///< a tensor has more or fewer modes than its labels
    extent_mismatch,     ///< one label, two extents
    type_mismatch,       ///< element types that do not go together
    invalid_argument,    ///< any other argument that cannot be served
    overflow,            ///< a size or byte count that does not fit 64 bits
    overlap,             ///< the output overlaps itself or an input
    null_pointer,        ///< null where data is read or written
    workspace_too_small, ///< the limit given cannot be met
    out_of_memory,       ///< an allocation failed
    unsupported,         ///< an ISA, backend or algorithm this machine or build does not have
    io,                  ///< a file that cannot be read or written, or whose content is malformed
    disagreement,        ///< ranks passed different arguments to a collective call
    communication,       ///< MPI reported an error
    stopped              ///< the caller's execution_control ended the work
};

/// "extent_mismatch" and so on, as the enumerator reads.
std::string_view name(errc code) noexcept;

/// Thrown at plan time, before anything is written; where there is no memory for the plan or the
/// message itself, that is std::bad_alloc. The message names operand, mode, label and
/// both extents where they apply, and says what to do:
/// "label 'e': A mode 1 has extent 24, B mode 2 has extent 20".
class error : public std::runtime_error {
public:
    error(errc code, const std::string &message) : std::runtime_error(message), code_(code) {}
    error(const error &) = default;
    error &operator=(const error &) = default;
    ~error() override; // in the library, and with it the one vtable
    errc code() const noexcept { return code_; }

private:
    errc code_;
};

/// What executing a plan returns. If it is not ok, nothing was written, unless the work was stopped
/// (errc::stopped).
class [[nodiscard]] status {
public:
    status() = default;
    /// `operand` is the letter of the tensor at fault ('A', 'B', 'C', 'D'); where there are more
    /// than two inputs, the number of one of the first 64, from 1; or 0.
    explicit status(errc code, char operand = 0) noexcept : code_(code), operand_(operand) {}

    bool ok() const noexcept { return code_ == errc::ok; }
    explicit operator bool() const noexcept { return ok(); }
    errc code() const noexcept { return code_; }
    char operand() const noexcept { return operand_; }

    /// One sentence for people, for instance "A is null where its elements are needed".
    std::string message() const;

    /// Throws tenfold::error with message() unless ok.
    void throw_if_failed() const;

private:
    errc code_ = errc::ok;
    char operand_ = 0;
};

} // namespace tenfold
