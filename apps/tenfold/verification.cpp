#include "apps/tenfold/verification.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/common/program.hpp"
#include "apps/common/text.hpp"
#include "apps/tenfold/contraction_result.hpp"
#include "base/with_type.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::apps_impl {
namespace {

bool is_nan(double x) { return std::isnan(x); }
bool is_infinite(double x) { return std::isinf(x); }

template <class T, class Test> bool holds(const T &value, Test test) {
    if constexpr (is_complex(data_type_of<T>))
        return test(static_cast<double>(value.real())) || test(static_cast<double>(value.imag()));
    else if constexpr (std::is_same_v<T, double>)
        return test(value);
    else
        return test(static_cast<double>(static_cast<float>(value)));
}

/// Returns the position of the first element, in column-major order, that passes the test.
template <class Test> std::optional<extents_t> find_element(const input &tensor, Test test) {
    const layout &shape = tensor.shape();
    if (tensor.data() == nullptr)
        return std::nullopt;
    return base::with_type(tensor.type(), [&]<class T>(T) -> std::optional<extents_t> {
        const auto *element = static_cast<const T *>(tensor.data());
        extents_t at(shape.extents().size(), 0);
        for (index_t left = shape.size(); left > 0; --left) {
            if (holds(*element, test))
                return at;
            for (int mode = 0; mode < shape.order(); ++mode) {
                index_t &here = at[static_cast<std::size_t>(mode)];
                element += shape.stride(mode);
                if (++here < shape.extent(mode))
                    break;
                element -= shape.stride(mode) * here;
                here = 0;
            }
        }
        return std::nullopt;
    });
}

/// Returns " at a=0, c=2", or an empty text for a tensor of order 0.
std::string place(const contraction_spec &spec, const std::vector<label_t> &labels,
                  const extents_t &position) {
    std::string text;
    for (std::size_t mode = 0; mode < labels.size(); ++mode)
        text += (mode == 0 ? " at " : ", ") +
                spec.label_names[static_cast<std::size_t>(labels[mode])] + "=" +
                std::to_string(position[mode]);
    return text;
}

} // namespace

index_t elements_to_verify(const contraction_spec &spec, std::span<const input> inputs) {
    constexpr double most_terms = 1e8, most_of_one = 1e10;
    if (inputs.size() <= 2)
        return verified_elements;
    const double terms = contract_impl::terms_of_one_element(spec, inputs);
    if (terms > most_of_one)
        throw usage_error(format("--verify: an element of '%s' is a sum of %.3g products, too many "
                                 "for plain loops; verify it with smaller extents",
                                 spec.text.c_str(), terms));
    const double affordable = most_terms / std::max(terms, 1.0);
    return static_cast<index_t>(
        std::clamp(affordable, 1.0, static_cast<double>(verified_elements)));
}

index_t elements_to_verify(const resolved_contraction &resolved) {
    std::vector<input> inputs;
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i)
        inputs.emplace_back(resolved.type_of_input(i), nullptr, resolved.inputs[i]);
    return elements_to_verify(resolved.spec, inputs);
}

std::string source_of_nan(const contraction_spec &spec, std::span<const input> inputs,
                          const input &c, const std::string &c_name) {
    const auto search = [&](auto test, const char *what) -> std::optional<std::string> {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (const auto found = find_element(inputs[i], test))
                return (inputs.size() > 2 ? "input " + std::to_string(i + 1)
                                          : std::string(1, i == 0 ? 'A' : 'B')) +
                       what + place(spec, spec.inputs[i], *found);
        if (const auto found = find_element(c, test))
            return c_name + what + place(spec, spec.output, *found);
        return std::nullopt;
    };
    if (const auto found = search(is_nan, " is NaN"))
        return *found;
    if (const auto found = search(is_infinite, " is infinite"))
        return *found + ", and infinities cancel or are multiplied by 0";
    return "all inputs are finite, and too large: their products or alpha overflow";
}

} // namespace tenfold::apps_impl
