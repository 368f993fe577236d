// Errors: exceptions during planning, a status from execution.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <tenfold/types.hpp>

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

/// A tensor or matrix that an error is about. What does not apply is empty.
struct error_operand {
    /// "A", "B", "C" or "D"; of more than two inputs "input 3", or the name that the expression
    /// gives it; "epilogue step 1".
    std::string name = {};
    std::optional<int> mode = std::nullopt;       ///< from 0; of matrices 0 for rows, 1 for columns
    std::optional<index_t> extent = std::nullopt; ///< of that mode
    /// Number of modes that the tensor has, or, in error_details::second, of those it should have.
    std::optional<index_t> order = std::nullopt;
    std::optional<data_type> type = std::nullopt;

    friend bool operator==(const error_operand &, const error_operand &) = default;
};

/// What an error is about, in fields, so that nobody has to read the message for it. By code:
///     syntax                position
///     unknown_label         label; position, or first: the output and the label's mode
///     repeated_label        label; first: the operand that has it twice
///     order_mismatch        first: the operand and its order; second: the order it should have;
///                           position, if the expression says so
///     extent_mismatch       label, if there is one (of matrices m, n or k); first and second: the
///                           operands, their modes and extents. If second has no name, its extent
///                           is a bound.
///     type_mismatch         first and second: the operands and their types
///     overlap               first shares elements with second, the output; without second, the
///                           output overlaps itself
///     null_pointer          first: the operand
///     invalid_argument      first and second, if that is it: two tensors that have one name
///     workspace_too_small   least
/// What the place that found the error does not know is empty, as with all other codes.
struct error_details {
    std::string label = {};
    error_operand first = {};
    error_operand second = {};
    std::optional<std::size_t> position = std::nullopt; ///< byte of the expression, from 0
    std::optional<byte_count> least = std::nullopt;     ///< the smallest limit that would do

    friend bool operator==(const error_details &, const error_details &) = default;
};

/// Thrown while planning, before anything is written. If memory for the plan or for the message
/// runs out, std::bad_alloc is thrown instead. The message names operand, mode, label and both
/// extents if they apply, and says what to do: "label 'e': A mode 1 has extent 24, B mode 2 has
/// extent 20".
class error : public std::runtime_error {
public:
    error(errc code, const std::string &message) : std::runtime_error(message), code_(code) {}
    error(errc code, const std::string &message, error_details details);
    error(const error &) = default;
    error &operator=(const error &) = default;
    ~error() override; // defined in the library, so that there is one vtable
    errc code() const noexcept { return code_; }
    const error_details &details() const noexcept;

private:
    errc code_;
    std::shared_ptr<const error_details> details_; ///< null: all empty. Copies must not throw.
};

/// The result of executing a plan. If it is not ok, nothing was written, except after a stop
/// (errc::stopped).
class [[nodiscard]] status {
public:
    status() = default;
    /// `operand` is the letter of the tensor at fault ('A', 'B', 'C', 'D'). With more than two
    /// inputs it is the number of an input, from 1 to 64. 'a' + n: epilogue step n, from 0. 0: no
    /// operand.
    explicit status(errc code, char operand = 0) noexcept : code_(code), operand_(operand) {}

    bool ok() const noexcept { return code_ == errc::ok; }
    explicit operator bool() const noexcept { return ok(); }
    errc code() const noexcept { return code_; }
    char operand() const noexcept { return operand_; }

    /// One sentence for users, for instance "A is null where its elements are needed".
    std::string message() const;

    /// The operand, in fields.
    error_details details() const;

    /// Throws tenfold::error with message() and details() unless ok.
    void throw_if_failed() const;

private:
    errc code_ = errc::ok;
    char operand_ = 0;
};

} // namespace tenfold
