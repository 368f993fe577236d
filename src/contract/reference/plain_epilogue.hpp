// An epilogue step by step, in the wide arithmetic of the reference.
#pragma once

#include <cmath>

#include "base/scalars.hpp"
#include "contract/epilogues/planned_epilogue.hpp"
#include "contract/reference/wide_arithmetic.hpp"

namespace tenfold::contract_impl {

template <class W> W plain_function(elementwise function, W x) noexcept {
    const W pi = std::acos(W(-1));
    switch (function) {
    case elementwise::relu:
        return x < 0 ? W(0) : x;
    case elementwise::exp:
        return std::exp(x);
    case elementwise::tanh:
        return std::tanh(x);
    case elementwise::sigmoid:
        return 1 / (1 + std::exp(-x));
    case elementwise::gelu_tanh:
        return x / 2 * (1 + std::tanh(std::sqrt(2 / pi) * (x + W(0.044715) * x * x * x)));
    case elementwise::gelu_erf:
        return x / 2 * std::erfc(-x / std::sqrt(W(2)));
    }
    return x;
}

/// What becomes of an element of D of type T with that value, at that offset in D. Only callers'
/// functions see a rounded value.
template <class T, class W>
W finished(W value, const bound_epilogue &finish, index_t offset_in_d) noexcept {
    using what = epilogue_step::what;
    const auto steps = finish.plan().steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const epilogue_step &step = steps[i];
        const W factor = widen<W>(base::scalar_cast<T>(step.factor), false);
        const auto operand = [&] {
            return multiply(factor,
                            widen<W>(*static_cast<const T *>(finish.operand_at(i, offset_in_d)),
                                     step.conjugated));
        };
        switch (step.kind) {
        case what::scale:
            value = multiply(value, factor);
            break;
        case what::add:
            value += operand();
            break;
        case what::multiply:
            value = multiply(value, operand());
            break;
        case what::function:
            if constexpr (!element_traits<T>::is_complex)
                value = plain_function(step.function, value);
            break;
        case what::call:
            if constexpr (!element_traits<T>::is_complex) {
                T rounded = narrow<T>(value);
                reinterpret_cast<run_function<T>>(step.call)(&rounded, 1,
                                                             const_cast<void *>(finish.data(i)));
                value = static_cast<W>(rounded);
            }
            break;
        }
    }
    return value;
}

} // namespace tenfold::contract_impl
