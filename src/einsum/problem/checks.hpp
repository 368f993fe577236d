// Checks that apply to every tensor of any expression.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>
#include <tenfold/operand.hpp>
#include <tenfold/tensor_view.hpp>

namespace tenfold::einsum_impl {

/// A tensor has at most this many modes, so that loops over them need no allocation.
constexpr std::size_t max_modes = most_modes;

/// "label 'occ'".
std::string quoted(const contraction_spec &spec, label_t label);

/// What messages call the expression: its text, or what it would be. The labels must have names.
std::string text_of(const contraction_spec &spec);

/// Checks labels and path of a spec that may not come from parse(). Throws errc::invalid_argument.
void check_spec(const contraction_spec &spec);

/// "input 3", or the input's name from the bracket notation, in quotes.
std::string name_of_input(const contraction_spec &spec, std::size_t input);

/// Two operands that an expression calls by one name, which makes them one tensor. Inputs have
/// their numbers, from 0; the output has the next one.
struct shared_name {
    std::string name;
    std::size_t first, second;
};

/// All operands with a name that an operand before them has, each with the first of that name.
/// Empty for expressions without names.
std::vector<shared_name> shared_names(const contraction_spec &spec);

/// Throws errc::invalid_argument: the operands are two tensors. `inputs`: how many the expression
/// has; `difference`: "one is f32, the other f64".
[[noreturn]] void refuse_two_tensors(const std::string &expression, std::size_t inputs,
                                     const shared_name &shared, const std::string &difference);

/// Refuses operands of one name whose types or layouts differ. Pointers are ignored.
void check_shared_names(const contraction_spec &spec, std::span<const input> inputs,
                        const output &d);

/// The tensor's name without the quotes that messages put round names from the expression.
std::string plain_name(const std::string &tensor);

/// Checks the number of modes. Messages call the tensor `tensor`. Throws errc::unsupported,
/// errc::order_mismatch.
void check_order(const std::string &tensor, const std::vector<label_t> &labels,
                 const layout &shape);

/// Throws errc::unsupported: `who` ("A has ") has so many modes, more than max_modes.
[[noreturn]] void refuse_modes(const std::string &who, std::size_t modes);

/// Throws errc::unknown_label: the label stands in the output only.
[[noreturn]] void refuse_output_label(const contraction_spec &spec, label_t label);

/// What an error about this label of the output says in fields: where it stands first.
error_details output_label(const contraction_spec &spec, label_t label);

/// Checks that `type` is an enumerator, one of integers included. Throws errc::invalid_argument.
void check_type(const std::string &tensor, data_type type);

/// The type in which products are multiplied and summed for a D of type `d`: f32 for bf16 and f16,
/// else D's; with `f64_sums` f64, or c64 for complex numbers.
constexpr data_type type_of_sums(data_type d, bool f64_sums) noexcept {
    if (!f64_sums)
        return output_type_of(d);
    return is_complex(d) ? data_type::c64 : data_type::f64;
}

/// The same of a contraction whose first input is of type `a`: where one input is only moved, as in
/// "ba=ab", nothing is summed, and numbers of f64, or c64, may become D's. Then they are computed
/// with in that type, so that they are rounded once. O(labels^2).
data_type type_of_sums(const contraction_spec &spec, data_type a, data_type d,
                       bool f64_sums) noexcept;

/// The type that is computed in, D's or a wider one, must hold every number of the tensor's type.
/// Throws errc::type_mismatch.
void check_conversion(const std::string &tensor, data_type type, data_type d, data_type computed);

/// The extent of one label, and the mode that gave it first.
class label_extent {
public:
    /// Throws errc::extent_mismatch if an earlier mode gave the label another extent.
    void set(const contraction_spec &spec, label_t label, const std::string &tensor, int mode,
             index_t extent);
    bool known() const noexcept { return extent_.has_value(); }
    index_t value() const { return extent_.value(); }

private:
    std::optional<index_t> extent_;
    std::string tensor_;
    int mode_ = 0;
};

} // namespace tenfold::einsum_impl
