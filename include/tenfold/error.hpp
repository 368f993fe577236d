// Errors: exceptions during planning, a status from execution.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] tenfold {

enum class errc {
    ok = 0,
    syntax,              ///< an expression could not be parsed
    unknown_label,       ///< an output label that no input carries
    repeated_label,      ///< a label twice in the output without options.diagonal_output
    order_mismatch,      ///< a tensor has more or fewer modes than its labels
    extent_mismatch,     ///< one label with two extents
    type_mismatch,       ///< incompatible element types
    invalid_argument,    ///< any other invalid argument
    overflow,            ///< a size or byte count that does not fit 64 bits
    overlap,             ///< the output overlaps itself or an input
    null_pointer,        ///< a null pointer to data that is read or written
    workspace_too_small, ///< no algorithm fits the given limit
    out_of_memory,       ///< an allocation failed
    unsupported,         ///< an ISA, backend or algorithm that this machine or build lacks
    io,                  ///< a file cannot be read or written, or is malformed
    disagreement,        ///< ranks passed different arguments to a collective call
    communication,       ///< MPI reported an error
    stopped              ///< the caller's execution_control ended the work
};

/// The enumerator's name, for instance "extent_mismatch".
std::string_view name(errc code) noexcept;

/// Thrown while planning, before anything is written. If memory for the plan or for the message
/// runs out, std::bad_alloc is thrown instead. The message names operand, mode, label and both
/// extents if they apply, and says what to do: "label 'e': A mode 1 has extent 24, B mode 2 has
/// extent 20".
class error : public std::runtime_error {
public:
    error(errc code, const std::string &message) : std::runtime_error(message), code_(code) {}
    error(const error &) = default;
    error &operator=(const error &) = default;
    ~error() override; // defined in the library, so that there is one vtable
    errc code() const noexcept { return code_; }

private:
    errc code_;
};

/// The result of executing a plan. If it is not ok, nothing was written, except after a stop
/// (errc::stopped).
class [[nodiscard]] status {
public:
    status() = default;
    /// `operand` is the letter of the tensor at fault ('A', 'B', 'C', 'D'). With more than two
    /// inputs it is the number of an input, from 1 to 64. 0: no operand.
    explicit status(errc code, char operand = 0) noexcept : code_(code), operand_(operand) {}

    bool ok() const noexcept { return code_ == errc::ok; }
    explicit operator bool() const noexcept { return ok(); }
    errc code() const noexcept { return code_; }
    char operand() const noexcept { return operand_; }

    /// One sentence for users, for instance "A is null where its elements are needed".
    std::string message() const;

    /// Throws tenfold::error with message() unless ok.
    void throw_if_failed() const;

private:
    errc code_ = errc::ok;
    char operand_ = 0;
};

} // namespace tenfold
