#include "distributed/run/local_epilogue.hpp"

#include <algorithm>

#include <tenfold/error.hpp>

#include "base/text.hpp"

namespace tenfold::dist_impl {
namespace {

/// The positions of each of D's labels that lie in a block. A label twice in D has those of the
/// block's diagonal.
struct label_ranges {
    std::vector<label_t> labels;
    extents_t begin, end;

    label_ranges(const contraction_spec &spec, const slice &own) {
        for (std::size_t mode = 0; mode < spec.output.size(); ++mode) {
            const auto known = static_cast<std::size_t>(
                std::find(labels.begin(), labels.end(), spec.output[mode]) - labels.begin());
            const index_t first = own.offsets[mode];
            const index_t last = first + own.extents[mode];
            if (known == labels.size()) {
                labels.push_back(spec.output[mode]);
                begin.push_back(first);
                end.push_back(last);
            } else {
                begin[known] = std::max(begin[known], first);
                end[known] = std::max(begin[known], std::min(end[known], last));
            }
        }
    }
    std::size_t place(label_t label) const {
        return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) -
                                        labels.begin());
    }
};

/// The part of a tensor with these labels that goes with the ranges, and where it begins, in
/// elements. `from`: the position at which each mode of the tensor begins. A mode of extent 1 that
/// is broadcast stays as it is.
struct tensor_part {
    layout shape;
    index_t first = 0;

    tensor_part(const layout &whole, const std::vector<label_t> &modes, const extents_t &from,
                const label_ranges &ranges, bool broadcasts) {
        extents_t extents, strides;
        for (std::size_t mode = 0; mode < modes.size(); ++mode) {
            const int number = static_cast<int>(mode);
            const std::size_t place = ranges.place(modes[mode]);
            const index_t extent = ranges.end[place] - ranges.begin[place];
            const bool repeats = broadcasts && whole.extent(number) == 1;
            extents.push_back(repeats ? 1 : extent);
            strides.push_back(whole.stride(number));
            if (!repeats && extent > 0)
                first += (ranges.begin[place] - from[mode]) * whole.stride(number);
        }
        shape = layout(std::move(extents), std::move(strides));
    }
};

} // namespace

std::string describe_epilogue(const contraction_epilogue *epilogue) {
    using what = epilogue_step::what;
    if (epilogue == nullptr || epilogue->steps().empty())
        return "none";
    std::string text;
    const auto number = [](scalar factor) {
        return base::format("%.17g", factor.real()) +
               (factor.imag() != 0 ? base::format("%+.17gi", factor.imag()) : "");
    };
    for (const contraction_step &step : epilogue->steps()) {
        const epilogue_step &one = step.operation;
        text += text.empty() ? "" : ", ";
        if (one.kind == what::scale)
            text += "scale " + number(one.factor);
        else if (one.kind == what::function)
            text += name(one.function);
        else if (one.kind == what::call)
            text += "a function of " + std::string(name(one.type));
        if (!one.has_operand())
            continue;
        text += std::string(one.kind == what::add ? "add " : "multiply by ") + number(one.factor) +
                (one.conjugated ? " conj '" : " '") + step.labels + "' " +
                std::string(name(one.type)) + " (";
        for (int mode = 0; mode < step.shape.order(); ++mode)
            text += (mode > 0 ? ", " : "") + std::to_string(step.shape.extent(mode));
        text += ")";
    }
    return text;
}

local_epilogue::local_epilogue(const contraction_epilogue &given, const contraction_spec &spec,
                               const block_of_output &r, isa instruction_set) {
    const contract_impl::planned_epilogue whole(
        given, spec, output(r.type, nullptr, layout(r.extents)), instruction_set);
    if (r.own.empty())
        return;
    const label_ranges ranges(spec, r.own);
    const tensor_part block(layout(r.own.extents), spec.output, r.own.offsets, ranges, false);
    if (block.shape.empty())
        return;
    const auto at = [&](const void *data, index_t first, data_type type) {
        return data == nullptr ? nullptr
                               : static_cast<const std::byte *>(data) + first * size_of(type);
    };
    first_ = const_cast<void *>(static_cast<const void *>(at(r.data, block.first, r.type)));
    contraction_epilogue own;
    data_ = given.data();
    for (std::size_t i = 0; i < given.steps().size(); ++i) {
        const contraction_step &step = given.steps()[i];
        if (!step.operation.has_operand()) {
            own.add(step);
            continue;
        }
        const std::vector<label_t> &labels = whole.labels_of(i);
        const tensor_part part(step.shape, labels, extents_t(labels.size(), 0), ranges,
                               spec.broadcast);
        data_[i] = at(data_[i], part.first, step.operation.type);
        own.add({step.operation, step.labels, part.shape});
    }
    planned_.emplace(own, spec, output(r.type, nullptr, block.shape), instruction_set);
    planned_->check(data_, first_).throw_if_failed();
}

void local_epilogue::run(int threads) const noexcept {
    if (planned_)
        contract_impl::bound_epilogue(*planned_, data_, first_).pass(threads);
}

} // namespace tenfold::dist_impl
