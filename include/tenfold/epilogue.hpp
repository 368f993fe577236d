// Epilogues: element-wise steps on a product before its elements are stored for the last time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <tenfold/gemm.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// Element-wise functions of f32 and f64; relu also of i32. The error is at most the given number
/// of units in the last place of the exact result, including results below the smallest normal
/// number. The result does not depend on the position of an element or on the number of threads.
/// NaN gives NaN; arguments raise only the usual floating-point flags. Denormal numbers are
/// ordinary arguments and results, unless the thread's control register flushes them.
enum class elementwise : std::uint8_t {
    relu,      ///< x < 0: 0, else x (-0 stays); exact
    exp,       ///< 1.5 ulp; exp(-inf) = 0, exp(inf) = inf, and inf from 709.79 (f32: 88.73) on
    tanh,      ///< 3 ulp; tanh(+-inf) = +-1, odd, -0 stays
    sigmoid,   ///< 1 / (1 + exp(-x)); 3 ulp; 0 at -inf, 1 at inf
    gelu_tanh, ///< x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))); 4 ulp; -0 at -inf
    gelu_erf   ///< x / 2 (1 + erf(x / sqrt(2))); 7 ulp; -0 at -inf
};
/// "relu", "exp", "tanh", "sigmoid", "gelu_tanh", "gelu_erf".
std::string_view name(elementwise function) noexcept;

/// A caller's function that replaces `count` adjacent elements by functions of themselves. Several
/// threads call it at once, for runs of any length and in any order; the runs cover every element
/// once. It must not throw.
template <class T> using run_function = void (*)(T *elements, index_t count, void *context);

/// One step; classes epilogue and contraction_epilogue create it.
struct epilogue_step {
    enum class what : std::uint8_t { scale, add, multiply, function, call };

    what kind = what::scale;
    elementwise function = elementwise::relu; ///< for `function`
    data_type type = data_type::f64;          ///< for `add`, `multiply` and `call`: the operand's
    scalar factor = 1.0;                      ///< for `scale`, `add` and `multiply`
    const void *data = nullptr;               ///< for `add` and `multiply`
    bool conjugated = false;                  ///< of what is added or multiplied by
    index_t rows = 0, columns = 0; ///< of a matrix; -1 is the missing extent of a bias vector
    index_t row_stride = 0, column_stride = 0;
    void (*call)() = nullptr; ///< a run_function of the type
    void *context = nullptr;

    /// Whether it combines C with other elements: `add` and `multiply`.
    bool has_operand() const noexcept { return kind == what::add || kind == what::multiply; }
};

/// Steps that are applied in order to every element of C, once, after alpha op(A) op(B) + beta C
/// and while it is in cache: C = f(alpha op(A) op(B) + beta C).
///
///     epilogue finish;
///     finish.add_along_rows(bias.data(), n).apply(elementwise::gelu_erf);
///     gemm<float>(a, b, c, {.epilogue = &finish});
///
/// A value. Vectors and matrices are not copied: they must exist whenever it is used, and must not
/// overlap C. Results do not depend on the number of threads. Complex matrices allow scale, add and
/// multiply only. Integers wrap around, have integers as factors, and of the functions relu alone.
class epilogue {
public:
    static constexpr int most_steps = 8;

    /// c *= factor.
    epilogue &scale(scalar factor);

    /// c(i, j) += bias[i * stride]: one number for each of the m rows of C.
    template <class T> epilogue &add_along_columns(const T *bias, index_t m, index_t stride = 1) {
        return add({.kind = epilogue_step::what::add,
                    .type = data_type_of<T>,
                    .data = bias,
                    .rows = m,
                    .columns = -1,
                    .row_stride = stride});
    }
    /// c(i, j) += bias[j * stride]: one number for each of the n columns of C.
    template <class T> epilogue &add_along_rows(const T *bias, index_t n, index_t stride = 1) {
        return add({.kind = epilogue_step::what::add,
                    .type = data_type_of<T>,
                    .data = bias,
                    .rows = -1,
                    .columns = n,
                    .column_stride = stride});
    }
    /// c += factor x, for a matrix with any strides, 0 included.
    template <class T> epilogue &add(const matrix_view<T> &x, scalar factor = 1.0) {
        return add(step_with(epilogue_step::what::add, x, factor));
    }
    /// c *= factor x, element by element, for such a matrix.
    template <class T> epilogue &multiply(const matrix_view<T> &x, scalar factor = 1.0) {
        return add(step_with(epilogue_step::what::multiply, x, factor));
    }
    /// c = function(c).
    epilogue &apply(elementwise function);
    /// c = a function defined by the caller.
    template <class T> epilogue &call(run_function<T> function, void *context = nullptr) {
        return add({.kind = epilogue_step::what::call,
                    .type = data_type_of<T>,
                    .call = reinterpret_cast<void (*)()>(function),
                    .context = context});
    }

    std::span<const epilogue_step> steps() const noexcept {
        return {steps_.data(), static_cast<std::size_t>(count_)};
    }

private:
    template <class T> static epilogue_step step_with(epilogue_step::what kind,
                                                      const matrix_view<T> &x, scalar factor) {
        return {.kind = kind,
                .type = data_type_of<T>,
                .factor = factor,
                .data = x.data,
                .rows = x.rows,
                .columns = x.columns,
                .row_stride = x.row_stride,
                .column_stride = x.column_stride};
    }
    /// Throws errc::invalid_argument if there are most_steps already.
    epilogue &add(const epilogue_step &step);

    std::array<epilogue_step, most_steps> steps_;
    int count_ = 0;
};

} // namespace tenfold
