// From the C interface's numbers and structs to the C++ interface's types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/contract.hpp>
#include <tenfold/control.hpp>
#include <tenfold/operand.hpp>
#include <tenfold/tenfold.h>

#include "capi/errors.hpp"

namespace tenfold::capi_impl {

/// An enumerator from its number; `first` is the number of the first one. Numbers that no
/// enumerator can have are refused here, others that none has where they are used.
template <class E> E enumerator_of(std::int32_t number, const char *what, std::int32_t first = 0) {
    if (number < first || number - first > 255)
        refuse(std::string(what) + " is " + std::to_string(number) +
               ", which is no value of its enumeration");
    return static_cast<E>(number - first);
}

/// The same where 0 is the default, and the enumerators follow.
template <class E> std::optional<E> choice_of(std::int32_t number, const char *what) {
    if (number == 0)
        return std::nullopt;
    const E chosen = enumerator_of<E>(number, what, 1);
    if (name(chosen) == "unknown")
        refuse(std::string(what) + " is " + std::to_string(number) +
               ", which is no value of its enumeration");
    return chosen;
}

std::optional<bool> choice_of(tenfold_choice given, const char *what);
/// A number of bytes where 0 is the default; TENFOLD_NO_BYTES is 0 bytes.
std::optional<byte_count> limit_of(std::int64_t given) noexcept;

inline scalar scalar_or(const tenfold_scalar *given, scalar otherwise) noexcept {
    return given != nullptr ? scalar(given->re, given->im) : otherwise;
}

/// What messages call a tensor. The text is made for messages only: small products take less than a
/// microsecond.
struct tensor_name {
    const char *letter = nullptr; ///< null: an input
    std::int32_t index = 0;       ///< of inputs, "A" or "B" of at most two, else "input 3"
    std::int32_t count = 0;

    std::string text() const;
};

/// Throw errc::invalid_argument.
layout_arrays shape_of(const tenfold_tensor &tensor, tensor_name name);
input_arrays arrays_of(const tenfold_tensor &tensor, const void *data, tensor_name name);
output_arrays arrays_of_output(const tenfold_tensor &tensor, void *data, tensor_name name);
/// Throw what layout's constructors throw, too.
input input_of(const tenfold_tensor &tensor, const void *data, tensor_name name);
output output_of(const tenfold_tensor &tensor, void *data, tensor_name name);

/// Checks the pointers and counts of operands, or of data. Throws errc::invalid_argument.
void check(const tenfold_operands *operands);
void check(const tenfold_data *data);

/// Throw errc::invalid_argument. No steps for NULL.
path_steps path_of(const tenfold_path *path);
label_lists lists_of(const tenfold_label_lists *labels);
std::vector<int> orders_of(const tenfold_tensor *inputs, std::int32_t count);

/// A caller's control in C++.
class taken_control {
public:
    /// Null for NULL.
    explicit taken_control(const tenfold_control *given);
    taken_control(const taken_control &) = delete;
    taken_control &operator=(const taken_control &) = delete;

    const execution_control *get() const noexcept { return own_ ? &*own_ : nullptr; }

private:
    std::optional<execution_control> own_;
};

} // namespace tenfold::capi_impl
