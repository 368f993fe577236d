// Functions of elements, and reductions.
#include <cmath>

#include <tenfold/dist_operations.hpp>

#include "apps/server/element_functions.hpp"
#include "apps/server/execute.hpp"
#include "apps/server/fields.hpp"
#include "base/with_type.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

template <class T> constexpr bool is_complex_type = is_complex(data_type_of<T>);
template <class T> using real_of = typename element_traits<T>::real;

/// A function with its parameters, called for each element.
template <class T> struct element_map {
    element_function function;
    T factor = T(1);
    double low = 0, high = 0, shift = 0;
    std::vector<std::vector<double>> energies = {};

    element_map(element_function which, const json &parameters) : function(which) {
        if (which == element_function::scale) {
            const scalar value = scalar_of(parameters.at("factor"));
            if constexpr (is_complex_type<T>)
                factor =
                    T(static_cast<real_of<T>>(value.real()), static_cast<real_of<T>>(value.imag()));
            else
                factor = static_cast<T>(value.real());
        } else if (which == element_function::clip) {
            low = parameters.at("low");
            high = parameters.at("high");
        } else if (which == element_function::denominators) {
            shift = parameters.at("shift");
            energies = parameters.at("energies").get<std::vector<std::vector<double>>>();
        }
    }

    T operator()(position_view at, T x) const {
        switch (function) {
        case element_function::clip:
            if constexpr (!is_complex_type<T>)
                return x < T(low) ? T(low) : x > T(high) ? T(high) : x; // a NaN stays one
            return x;
        case element_function::conj:
            if constexpr (is_complex_type<T>)
                return std::conj(x);
            return x;
        case element_function::denominators: {
            double sum = shift;
            for (std::size_t mode = 0; mode < at.size(); ++mode)
                sum += energies[mode][static_cast<std::size_t>(at[mode])];
            return x / static_cast<real_of<T>>(sum);
        }
        case element_function::exp:
            return std::exp(x);
        case element_function::log:
            return std::log(x);
        case element_function::reciprocal:
            return T(1) / x;
        case element_function::scale:
            return factor * x;
        default:
            return std::sqrt(x);
        }
    }
    T operator()(position_view, T x, T y) const {
        switch (function) {
        case element_function::add:
            return x + y;
        case element_function::divide:
            return x / y;
        case element_function::multiply:
            return x * y;
        default:
            return x - y;
        }
    }
};

template <class T> void map_tensors(const execution &now) {
    const auto which = *parse_element_function(now.work.at("function").get<std::string>());
    const dist_tensor<T> &x = now.store.get<T>(now.input(0));
    if (gives_real(which)) {
        using R = real_of<T>;
        dist_tensor<R> output(now.where, x.extents());
        map_elements(
            output,
            [which](position_view, T value) -> R {
                if (which == element_function::abs)
                    return std::abs(value);
                if constexpr (is_complex_type<T>)
                    return which == element_function::real ? value.real() : value.imag();
                else
                    return which == element_function::real ? value : R(0);
            },
            x);
        now.store.keep(now.output(), std::move(output));
        return;
    }
    dist_tensor<T> output(now.where, x.extents());
    const element_map<T> function(which, now.work.at("parameters"));
    if (inputs_of(which) == 2)
        map_elements(output, function, x, now.store.get<T>(now.input(1)));
    else
        map_elements(output, function, x);
    now.store.keep(now.output(), std::move(output));
}

template <class T> json value_json(T value) {
    if constexpr (is_complex_type<T>)
        return json::array({number_json(value.real()), number_json(value.imag())});
    else
        return number_json(value);
}

template <class T> json reduce_tensor(const execution &now) {
    const dist_tensor<T> &x = now.store.get<T>(now.input(0));
    const auto which = *parse_reduction(now.work.at("function").get<std::string>());
    switch (which) {
    case reduction::dot:
        return {{"value", value_json(dot(x, now.store.get<T>(now.input(1))))}};
    case reduction::max:
    case reduction::min:
        if constexpr (!is_complex_type<T>) {
            const dist_element<T> found = which == reduction::max ? maximum(x) : minimum(x);
            return {{"value", value_json(found.value)}, {"position", found.position}};
        }
        return json::object();
    case reduction::norm:
        return {{"value", number_json(x.norm())}};
    case reduction::norm1:
        return {{"value", number_json(norm1(x))}};
    case reduction::norm_max:
        return {{"value", number_json(norm_max(x))}};
    default:
        return {{"value", value_json(sum(x))}};
    }
}

} // namespace

json execute_map(const execution &now) {
    base::with_arithmetic_type(now.type("input_type"), [&]<class T>(T) { map_tensors<T>(now); });
    return json::object();
}

json execute_reduce(const execution &now) {
    return base::with_arithmetic_type(now.type("input_type"),
                                      [&]<class T>(T) { return reduce_tensor<T>(now); });
}

} // namespace tenfold::server
