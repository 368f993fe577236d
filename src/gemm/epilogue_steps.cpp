// The steps of epilogues: the list that callers make, and what is checked wherever one is used.
#include <tenfold/epilogue.hpp>

#include <optional>
#include <string>

#include <tenfold/error.hpp>

#include "base/scalars.hpp"
#include "gemm/epilogue.hpp"

namespace tenfold {

std::string_view name(elementwise function) noexcept {
    switch (function) {
    case elementwise::relu:
        return "relu";
    case elementwise::exp:
        return "exp";
    case elementwise::tanh:
        return "tanh";
    case elementwise::sigmoid:
        return "sigmoid";
    case elementwise::gelu_tanh:
        return "gelu_tanh";
    case elementwise::gelu_erf:
        return "gelu_erf";
    }
    return "unknown";
}

epilogue &epilogue::scale(scalar factor) {
    return add({.kind = epilogue_step::what::scale, .factor = factor});
}

epilogue &epilogue::apply(elementwise function) {
    if (static_cast<int>(function) >= gemm_impl::element_function_count)
        throw error(errc::invalid_argument, "epilogue: there is no function " +
                                                std::to_string(static_cast<int>(function)) +
                                                "; see tenfold::elementwise");
    return add({.kind = epilogue_step::what::function, .function = function});
}

epilogue &epilogue::add(const epilogue_step &step) {
    if (count_ == most_steps)
        throw error(errc::invalid_argument, "epilogue: more than " + std::to_string(most_steps) +
                                                " steps; apply the rest after gemm");
    steps_[static_cast<std::size_t>(count_++)] = step;
    return *this;
}

} // namespace tenfold

namespace tenfold::gemm_impl {

void check_step(const epilogue_step &step, data_type output, const step_names &names) {
    const std::string of_output = names.output + " has type " + std::string(name(output));
    const auto mismatch = [&](const std::string &how, std::optional<data_type> own) {
        throw error(errc::type_mismatch, names.message + how + of_output,
                    {.first = {.name = names.step, .type = own},
                     .second = {.name = names.output, .type = output}});
    };
    using what = epilogue_step::what;
    const bool has_type = step.has_operand() || step.kind == what::call;
    if (has_type && step.type != output && step.type != output_type_of(output))
        mismatch(" is of type " + std::string(name(step.type)) + ", ", step.type);
    if (step.kind == what::scale || step.has_operand()) {
        if (!base::fits(output, step.factor))
            mismatch(is_integer(output) ? ": the factor is no integer of 32 bits, but "
                                        : ": the factor has an imaginary part, but ",
                     std::nullopt);
    } else if (is_complex(output)) {
        throw error(errc::unsupported, names.message + ": functions are for real numbers, but " +
                                           of_output +
                                           ", which can be scaled, added to and multiplied");
    } else if (is_integer(output) && step.kind == what::function &&
               step.function != elementwise::relu) {
        throw error(errc::unsupported,
                    names.message + ": " + std::string(name(step.function)) +
                        " is a function of real numbers, but " + of_output +
                        ", to which relu and functions of the caller's can be applied");
    }
    if (step.kind == epilogue_step::what::call && step.call == nullptr)
        throw error(errc::null_pointer, names.message + ": the function is null",
                    {.first = {.name = names.step}});
}

} // namespace tenfold::gemm_impl
