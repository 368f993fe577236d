#include <tenfold/contraction_epilogue.hpp>

#include <string>
#include <utility>

#include <tenfold/error.hpp>

#include "einsum/parser/notations.hpp"

namespace tenfold {

contraction_epilogue &contraction_epilogue::scale(scalar factor) {
    return take(epilogue().scale(factor));
}

contraction_epilogue &contraction_epilogue::apply(elementwise function) {
    return take(epilogue().apply(function));
}

contraction_epilogue &contraction_epilogue::add(std::string_view labels, const input &x,
                                                scalar factor) {
    return combine(epilogue_step::what::add, labels, x, factor);
}

contraction_epilogue &contraction_epilogue::multiply(std::string_view labels, const input &x,
                                                     scalar factor) {
    return combine(epilogue_step::what::multiply, labels, x, factor);
}

std::vector<const void *> contraction_epilogue::data() const {
    std::vector<const void *> addresses;
    for (const contraction_step &step : steps_)
        addresses.push_back(step.operation.has_operand() ? step.operation.data
                                                         : step.operation.context);
    return addresses;
}

contraction_epilogue &contraction_epilogue::take(const epilogue &one) {
    return add({.operation = one.steps().front()});
}

contraction_epilogue &contraction_epilogue::combine(epilogue_step::what kind,
                                                    std::string_view labels, const input &x,
                                                    scalar factor) {
    return add({.operation = {.kind = kind,
                              .type = x.type(),
                              .factor = factor,
                              .data = x.data(),
                              .conjugated = x.conjugated()},
                .labels = std::string(labels),
                .shape = x.shape()});
}

contraction_epilogue &contraction_epilogue::add(contraction_step step) {
    if (steps_.size() == static_cast<std::size_t>(most_steps))
        throw error(errc::invalid_argument, "epilogue: more than " + std::to_string(most_steps) +
                                                " steps; apply the rest after the contraction");
    static_cast<void>(einsum_impl::read_operand(step.labels)); // refuses what is no list of labels
    steps_.push_back(std::move(step));
    return *this;
}

} // namespace tenfold
