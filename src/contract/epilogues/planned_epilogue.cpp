#include "contract/epilogues/planned_epilogue.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/footprint.hpp"
#include "base/option_checks.hpp"
#include "base/traffic.hpp"
#include "einsum/parser/notations.hpp"
#include "einsum/problem/checks.hpp"
#include "tensor/overlap.hpp"
#include "tensor/spanned_bytes.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::written_label;
using mode = gemm_impl::tensor_places::mode;

bool is_of_ellipsis(const std::string &name) { return name.starts_with("..."); }

/// The labels of a step's tensor, by number. "..." stands for the last of D's modes of an ellipsis,
/// as many as the tensor has beside its other labels.
std::vector<label_t> labels_in(const contraction_step &step, const std::string &name,
                               const contraction_spec &spec,
                               const std::vector<label_t> &labels_of_d) {
    const einsum_impl::written_operand written = einsum_impl::read_operand(step.labels);
    const auto name_of = [&](label_t label) -> const std::string & {
        return spec.label_names[static_cast<std::size_t>(label)];
    };
    std::vector<label_t> numbers;
    for (const written_label &label : written.labels) {
        if (label.is_ellipsis()) {
            std::vector<label_t> of_ellipsis;
            std::copy_if(labels_of_d.begin(), labels_of_d.end(), std::back_inserter(of_ellipsis),
                         [&](label_t one) { return is_of_ellipsis(name_of(one)); });
            const auto others = static_cast<std::ptrdiff_t>(written.labels.size()) - 1;
            const std::ptrdiff_t count = std::clamp<std::ptrdiff_t>(
                step.shape.order() - others, 0, static_cast<std::ptrdiff_t>(of_ellipsis.size()));
            numbers.insert(numbers.end(), of_ellipsis.end() - count, of_ellipsis.end());
            continue;
        }
        const auto found = std::find_if(labels_of_d.begin(), labels_of_d.end(),
                                        [&](label_t one) { return name_of(one) == label.name; });
        if (found == labels_of_d.end()) {
            const std::string text(label.name);
            throw error(
                errc::unknown_label, name + ": label '" + text + "' does not stand in D",
                {.label = text, .first = {.name = name, .mode = static_cast<int>(numbers.size())}});
        }
        numbers.push_back(*found);
    }
    return numbers;
}

/// Whether `fast` and `slow` are one mode in D and in the steps' tensors.
bool follows(const mode &fast, const mode &slow, std::size_t steps) noexcept {
    const auto is_next = [&](index_t of_fast, index_t of_slow) {
        index_t expected = 0;
        return !__builtin_mul_overflow(of_fast, fast.extent, &expected) && of_slow == expected;
    };
    for (std::size_t i = 0; i < steps; ++i)
        if (!is_next(fast.other[i], slow.other[i]))
            return false;
    return is_next(fast.stride, slow.stride);
}

std::string name_of_step(std::size_t number) {
    return "epilogue step " + std::to_string(number + 1);
}

} // namespace

planned_epilogue::planned_epilogue(const contraction_epilogue &given, const contraction_spec &spec,
                                   const output &d, isa instruction_set)
    : type_(d.type()) {
    if (is_integer(type_) && type_ != data_type::i32)
        throw error(errc::unsupported,
                    "D is " + std::string(name(type_)) +
                        ", to which no epilogue can be applied; sums of integers are i32",
                    {.first = {.name = "D", .type = type_}});
    std::vector<mode> by_label;
    extents_t extents, strides;
    for (int k = 0; k < d.shape().order(); ++k) {
        const label_t label = spec.output[static_cast<std::size_t>(k)];
        const auto known = static_cast<std::size_t>(
            std::find(labels_of_d_.begin(), labels_of_d_.end(), label) - labels_of_d_.begin());
        if (known == labels_of_d_.size()) {
            labels_of_d_.push_back(label);
            by_label.push_back({d.shape().extent(k), 0, {}});
        }
        if (d.shape().extent(k) > 1 && !d.shape().empty())
            by_label[known].stride += d.shape().stride(k);
    }
    for (const mode &one : by_label) {
        extents.push_back(one.extent);
        strides.push_back(one.stride);
    }
    touched_d_ = layout(std::move(extents), std::move(strides));
    for (const contraction_step &step : given.steps())
        take_step(step, spec, by_label);
    if (touched_d_.empty())
        return;
    arrange(std::move(by_label));
    pass_.emplace(steps_, modes_, type_, instruction_set);
    if (nested_)
        fused_.emplace(steps_, type_, instruction_set, gemm_impl::tensor_places{modes_, nullptr});
}

/// Checks a step, and adds the strides of its tensor to D's labels.
void planned_epilogue::take_step(const contraction_step &given, const contraction_spec &spec,
                                 std::vector<mode> &by_label) {
    const std::size_t number = steps_.size();
    const std::string name = name_of_step(number);
    const bool has_operand = given.operation.has_operand();
    if (has_operand)
        einsum_impl::check_type(name, given.operation.type);
    gemm_impl::check_step(given.operation, type_, {name, name, "D"});
    steps_.push_back(given.operation);
    steps_.back().data = nullptr;
    steps_.back().context = nullptr;
    touched_.emplace_back();
    step_labels_.emplace_back();
    if (!has_operand)
        return;

    const std::vector<label_t> labels = labels_in(given, name, spec, labels_of_d_);
    step_labels_.back() = labels;
    einsum_impl::check_order(name, labels, given.shape);
    tensor_impl::check_bytes(name, given.shape, given.operation.type);
    extents_t extents, strides;
    std::vector<std::size_t> seen;
    for (int k = 0; k < given.shape.order(); ++k) {
        const label_t label = labels[static_cast<std::size_t>(k)];
        const auto place = static_cast<std::size_t>(
            std::find(labels_of_d_.begin(), labels_of_d_.end(), label) - labels_of_d_.begin());
        const index_t extent = given.shape.extent(k);
        const bool repeats = spec.broadcast && extent == 1;
        if (!repeats) {
            const auto in_d = std::find(spec.output.begin(), spec.output.end(), label);
            einsum_impl::label_extent agreed;
            agreed.set(spec, label, "D", static_cast<int>(in_d - spec.output.begin()),
                       by_label[place].extent);
            agreed.set(spec, label, name, k, extent);
        }
        const index_t stride = extent > 1 && !given.shape.empty() ? given.shape.stride(k) : 0;
        by_label[place].other[number] += stride;
        const auto at =
            static_cast<std::size_t>(std::find(seen.begin(), seen.end(), place) - seen.begin());
        if (at == seen.size()) {
            seen.push_back(place);
            extents.push_back(extent);
            strides.push_back(0);
        }
        extents[at] = std::max(extents[at], extent);
        strides[at] += stride;
    }
    touched_.back() = layout(std::move(extents), std::move(strides));
}

/// Makes D's strides positive, sorts the modes and fuses them.
void planned_epilogue::arrange(std::vector<mode> by_label) {
    std::erase_if(by_label, [](const mode &one) { return one.extent == 1; });
    for (mode &one : by_label) {
        if (one.stride >= 0)
            continue;
        lowest_ += (one.extent - 1) * one.stride;
        one.stride = -one.stride;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            first_[i] += (one.extent - 1) * one.other[i];
            one.other[i] = -one.other[i];
        }
    }
    std::stable_sort(by_label.begin(), by_label.end(),
                     [](const mode &one, const mode &other) { return one.stride > other.stride; });
    nested_ = true;
    index_t reach = 0;
    for (std::size_t k = by_label.size(); k-- > 0;) {
        nested_ = nested_ && by_label[k].stride > reach;
        reach += (by_label[k].extent - 1) * by_label[k].stride;
    }
    for (const mode &one : by_label) {
        if (modes_.empty() || !follows(one, modes_.back(), steps_.size())) {
            modes_.push_back(one);
            continue;
        }
        const index_t extent = one.extent * modes_.back().extent;
        modes_.back() = one;
        modes_.back().extent = extent;
    }
}

status planned_epilogue::check(std::span<const void *const> data, const void *d) const noexcept {
    const bool needs_data = std::any_of(steps_.begin(), steps_.end(),
                                        [](const epilogue_step &one) { return one.has_operand(); });
    if (data.size() != steps_.size() && (needs_data || !data.empty()))
        return status(errc::invalid_argument);
    const tensor_impl::placement written{d, size_of(type_), &touched_d_};
    for (std::size_t i = 0; i < data.size(); ++i) {
        if (!steps_[i].has_operand())
            continue;
        const auto name = static_cast<char>('a' + i);
        if (data[i] == nullptr)
            return status(errc::null_pointer, name);
        if (tensor_impl::share_memory({data[i], size_of(steps_[i].type), &touched_[i]}, written))
            return status(errc::overlap, name);
    }
    return {};
}

bool planned_epilogue::pays_in_products(const base::machine &machine, int threads) const noexcept {
    const auto d = static_cast<double>(touched_d_.size() * size_of(type_));
    if (d <= static_cast<double>(machine.l2.size) / 2)
        return true;
    constexpr index_t short_line = 128; // products would copy tensors line by line
    const bool has_lines = modes_.size() < 2 || modes_.back().extent >= short_line;
    return d > base::kept_in_caches(machine, threads) && has_lines && is_small(machine);
}

bool planned_epilogue::is_small(const base::machine &machine) const noexcept {
    double elements = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i)
        elements += steps_[i].has_operand() ? elements_of(i) : 0;
    return elements * static_cast<double>(size_of(type_)) <=
           static_cast<double>(machine.l2.size) / 2;
}

/// A mode of the copy may be several of modes_, or a part of one.
std::optional<std::vector<mode>>
planned_epilogue::places_in_copy(std::span<const copied_mode> copied) const {
    std::vector<mode> places;
    for (const copied_mode &one : copied) {
        const bool reversed = one.stride_in_d < 0;
        index_t in_d = std::abs(one.stride_in_d);
        index_t in_copy = one.stride;
        for (index_t left = one.extent; left > 1;) {
            const auto found = std::find_if(modes_.begin(), modes_.end(),
                                            [in_d](const mode &own) { return own.stride <= in_d; });
            if (found == modes_.end() || in_d % found->stride != 0)
                return std::nullopt;
            const index_t step = in_d / found->stride;
            const index_t room = found->extent / step; // positions of the copy's mode in this one
            const index_t extent = std::min(left, room);
            if (extent < 2 || left % extent != 0 || (extent < left && found->extent % step != 0))
                return std::nullopt;
            mode place{extent, in_copy, {}};
            for (std::size_t i = 0; i < steps_.size(); ++i)
                place.other[i] = (reversed ? -step : step) * found->other[i];
            places.push_back(place);
            left /= extent;
            in_d *= extent;
            in_copy *= extent;
        }
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const mode &one, const mode &other) { return one.stride > other.stride; });
    return places;
}

index_t planned_epilogue::offset_of(std::size_t step, index_t offset_in_d) const noexcept {
    index_t left = offset_in_d - lowest_;
    index_t offset = first_[step];
    for (const mode &one : modes_) {
        const index_t position = left / one.stride;
        left -= position * one.stride;
        offset += position * one.other[step];
    }
    return offset;
}

double planned_epilogue::elements_of(std::size_t step) const noexcept {
    double elements = 1;
    for (const mode &one : modes_)
        if (one.other[step] != 0)
            elements *= static_cast<double>(one.extent);
    return elements;
}

double planned_epilogue::moved_bytes() const noexcept {
    double bytes = 2 * static_cast<double>(touched_d_.size() * size_of(type_));
    for (std::size_t i = 0; i < steps_.size(); ++i)
        if (steps_[i].has_operand())
            bytes += elements_of(i) * static_cast<double>(size_of(steps_[i].type));
    return bytes;
}

double planned_epilogue::pass_seconds(const base::machine &machine,
                                      const base::machine_rates &rates,
                                      int threads) const noexcept {
    const base::traffic traffic(machine, rates, size_of(type_));
    const double bytes = moved_bytes();
    const auto elements = static_cast<double>(touched_d_.size());
    const double kept = bytes - elements * static_cast<double>(size_of(type_));
    const double rows = modes_.empty() ? 1 : static_cast<double>(modes_.back().extent);
    constexpr double short_rows = 32; // each of them is a call's work
    return rates.call + rates.fork_join(threads) +
           (rows < short_rows ? elements / rows * rates.call / threads : 0) +
           bytes / traffic.bandwidth(kept, rates.updating(threads), threads);
}

double planned_epilogue::fused_seconds(const base::machine &machine,
                                       const base::machine_rates &rates,
                                       int threads) const noexcept {
    const base::traffic traffic(machine, rates, size_of(type_));
    const double own = 2 * static_cast<double>(touched_d_.size() * size_of(type_));
    const double others = moved_bytes() - own;
    return traffic.in_cache(own, threads) +
           others / traffic.bandwidth(others, rates.reading(threads), threads);
}

std::size_t planned_epilogue::footprint() const noexcept {
    std::size_t sum = sizeof *this + base::allocated_by(steps_) + base::allocated_by(touched_) +
                      base::allocated_by(touched_d_) + base::allocated_by(labels_of_d_) +
                      base::allocated_by(modes_) + (pass_ ? pass_->footprint() : 0);
    sum += base::allocated_by(step_labels_);
    for (const std::vector<label_t> &one : step_labels_)
        sum += base::allocated_by(one);
    for (const layout &one : touched_)
        sum += base::allocated_by(one);
    return sum;
}

bound_epilogue::bound_epilogue(const planned_epilogue &plan, std::span<const void *const> data,
                               void *d) noexcept
    : plan_(plan), data_(data), d_(d) {
    if (!plan_.fused_)
        return;
    fused_ = plan_.fused_;
    fused_->set_lowest(static_cast<const std::byte *>(d) + plan_.lowest_ * size_of(plan_.type_));
    for (std::size_t i = 0; i < data.size(); ++i)
        fused_->set_data(i, first_of(i));
}

bound_epilogue::bound_epilogue(const bound_epilogue &of_d,
                               std::span<const planned_epilogue::mode> places, void *first) noexcept
    : plan_(of_d.plan_), data_(of_d.data_), d_(first) {
    fused_ = of_d.fused_;
    fused_->set_places({places, first});
    for (std::size_t i = 0; i < data_.size(); ++i)
        fused_->set_data(i, data_[i]);
}

const void *bound_epilogue::first_of(std::size_t step) const noexcept {
    return plan_.first_[step] == 0 ? data_[step]
                                   : static_cast<const std::byte *>(data_[step]) +
                                         plan_.first_[step] * size_of(plan_.steps_[step].type);
}

const void *bound_epilogue::operand_at(std::size_t step, index_t offset_in_d) const noexcept {
    return static_cast<const std::byte *>(data_[step]) +
           plan_.offset_of(step, offset_in_d) * size_of(plan_.steps_[step].type);
}

void bound_epilogue::pass(int threads) const noexcept {
    if (!plan_.pass_)
        return;
    std::array<const void *, epilogue::most_steps> first{};
    for (std::size_t i = 0; i < data_.size(); ++i)
        first[i] = first_of(i);
    plan_.pass_->run(std::span(first).first(data_.size()),
                     static_cast<std::byte *>(d_) + plan_.lowest_ * size_of(plan_.type_), threads);
}

} // namespace tenfold::contract_impl
