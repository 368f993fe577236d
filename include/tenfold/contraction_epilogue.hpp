// Epilogues of contractions: element-wise steps on D before its elements are stored for the last
// time.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/epilogue.hpp>
#include <tenfold/operand.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// One step; class contraction_epilogue creates it.
struct contraction_step {
    /// What is done. Of `add` and `multiply`, the operand is the tensor below, not a matrix.
    epilogue_step operation;
    std::string labels = {}; ///< of the tensor, as in an expression
    layout shape = {};       ///< of the tensor
};

/// Steps that are applied in order to every element of D, once, after alpha op(A) op(B) + beta C:
/// D = f(alpha op(A) op(B) + beta op(C)). The steps are those of gemm's epilogues, with tensors in
/// the place of matrices: their labels are some or all of D's, in any order, with any strides.
///
///     contraction_epilogue finish;
///     finish.add("b", bias).apply(elementwise::gelu_erf).add("abij", residual, 0.5);
///     contract("abij=abef*efij", V, T, R, {.epilogue = &finish});
///
/// A value. Tensors are not copied: they must exist whenever it is used, and must not overlap D.
/// make_plan() takes types, layouts and numbers from it, and no data. Tensors and functions of the
/// caller's have D's type, or f32 if D is bf16 or f16: all steps on a rounded element of D are in
/// f32 then, and their result is rounded once. Integers wrap around, have integers as factors, and
/// of the functions relu alone. Complex tensors allow scale, add and multiply only. With more than
/// two inputs, the last contraction applies it. An element's result depends on its value and
/// position alone, never on the number of threads.
class contraction_epilogue {
public:
    static constexpr int most_steps = epilogue::most_steps;

    /// d *= factor.
    contraction_epilogue &scale(scalar factor);
    /// d += factor op(x), along the labels of x: "b" adds a bias of one number for each position of
    /// label b. Labels are written as in an expression: "ab", "[occ,vir]", "...b", or "" for a
    /// scalar. A label twice is a diagonal of x. Conjugate with conj(x). Throws errc::syntax,
    /// errc::invalid_argument if there are most_steps already.
    contraction_epilogue &add(std::string_view labels, const input &x, scalar factor = 1.0);
    /// d *= factor op(x).
    contraction_epilogue &multiply(std::string_view labels, const input &x, scalar factor = 1.0);
    /// d = function(d).
    contraction_epilogue &apply(elementwise function);
    /// d = a function defined by the caller.
    template <class T>
    contraction_epilogue &call(run_function<T> function, void *context = nullptr) {
        return take(epilogue().call<T>(function, context));
    }

    /// A step of another epilogue, or one like it.
    contraction_epilogue &add(contraction_step step);

    std::span<const contraction_step> steps() const noexcept { return steps_; }

    /// What contraction_plan::execute() takes: for each step the address of its tensor, or the
    /// context of its function. Of other steps it is null.
    std::vector<const void *> data() const;

private:
    /// Takes the only step of `one`.
    contraction_epilogue &take(const epilogue &one);
    contraction_epilogue &combine(epilogue_step::what kind, std::string_view labels, const input &x,
                                  scalar factor);

    std::vector<contraction_step> steps_;
};

} // namespace tenfold
