#include "contract/reference/reference.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

#include "base/scalars.hpp"
#include "base/with_type.hpp"
#include "contract/reference/wide_arithmetic.hpp"

namespace tenfold::contract_impl {
namespace {

/// One label: its extent, and its stride in every input, then in C, then in D.
struct loop {
    index_t extent;
    std::vector<index_t> strides;
};

struct loop_nest {
    std::vector<loop> free;   ///< labels of D
    std::vector<loop> summed; ///< the others

    loop_nest(const contraction_spec &spec, std::span<const input> inputs, const layout &c,
              const layout &d) {
        const std::size_t tensors = inputs.size() + 2;
        std::vector<loop> all(spec.label_names.size(), {0, std::vector<index_t>(tensors, 0)});
        std::vector<bool> known(all.size(), false), in_d(all.size(), false);
        const auto add = [&](std::size_t tensor, const std::vector<label_t> &labels,
                             const layout &shape) {
            for (std::size_t mode = 0; mode < labels.size(); ++mode) {
                const auto label = static_cast<std::size_t>(labels[mode]);
                known[label] = true;
                all[label].extent = shape.extent(static_cast<int>(mode));
                if (all[label].extent > 1)
                    all[label].strides[tensor] += shape.stride(static_cast<int>(mode));
            }
        };
        for (std::size_t i = 0; i < inputs.size(); ++i)
            add(i, spec.inputs[i], inputs[i].shape());
        add(inputs.size(), spec.output, c);
        add(inputs.size() + 1, spec.output, d);
        for (const label_t label : spec.output)
            in_d[static_cast<std::size_t>(label)] = true;
        for (std::size_t label = 0; label < all.size(); ++label)
            if (known[label])
                (in_d[label] ? free : summed).push_back(std::move(all[label]));
    }
};

/// Offsets of the inputs, C and D at the current position of all loops.
using places = std::vector<index_t>;

void move(places &at, const loop &by, index_t steps) {
    for (std::size_t t = 0; t < at.size(); ++t)
        at[t] += steps * by.strides[t];
}

/// Calls body() at every position of the loops, with `at` moved there; restores `at` at the end.
template <class Body> void for_all(std::span<const loop> loops, places &at, Body &&body) {
    if (loops.empty()) {
        body();
        return;
    }
    for (index_t i = 0; i < loops.front().extent; ++i) {
        for_all(loops.subspan(1), at, body);
        move(at, loops.front(), 1);
    }
    move(at, loops.front(), -loops.front().extent);
}

double product_of_extents(const std::vector<loop> &loops) {
    double product = 1;
    for (const loop &one : loops)
        product *= static_cast<double>(one.extent);
    return product;
}

/// One contraction for known element types; TI is void where the inputs have several.
template <class TI, class TS, class TD> class network_reference {
public:
    using wide = typename wider<TS>::type;
    struct element {
        wide value;
        double magnitude; ///< sum of the magnitudes of its terms
    };

    network_reference(const network_contraction &what, const layout &d)
        : nest_(what.spec, what.inputs, what.c.shape(), d), inputs_(what.inputs),
          alpha_(base::round_to(data_type_of<TD>, what.alpha)),
          beta_(base::round_to(data_type_of<TD>, what.beta)), c_(what.c.data(), what.c.type()),
          conjugate_c_(what.c.conjugated()) {
        for (const input &one : inputs_)
            elements_.emplace_back(one.data(), one.type());
    }

    void contract(TD *d) const {
        places at(inputs_.size() + 2, 0);
        for_all(nest_.free, at, [&] { d[at.back()] = narrow<TD>(element_at(at).value); });
    }

    verification verify(const TD *d, index_t samples, std::uint64_t seed) const {
        verification result;
        const double size = product_of_extents(nest_.free);
        const bool all = size <= static_cast<double>(samples);
        result.elements = all ? static_cast<index_t>(size) : samples;
        const double factors = static_cast<double>(inputs_.size());
        const double real_bound =
            (product_of_extents(nest_.summed) + 4 * factors) * epsilon_of<TS>();
        result.bound = with_rounding<TS, TD>(
            is_complex(data_type_of<TS>) ? std::sqrt(2.0) * real_bound : real_bound);
        std::mt19937_64 engine(seed);
        places at(inputs_.size() + 2, 0);
        if (all)
            for_all(nest_.free, at, [&] { compare(d, at, result); });
        for (index_t i = 0; !all && i < samples; ++i) {
            std::fill(at.begin(), at.end(), index_t{0});
            for (const loop &one : nest_.free)
                move(at, one, std::uniform_int_distribution<index_t>(0, one.extent - 1)(engine));
            compare(d, at, result);
        }
        return result;
    }

private:
    element element_at(places &at) const {
        wide sum = 0;
        double magnitude = 0;
        if (alpha_ != 0.0)
            for_all(nest_.summed, at, [&] {
                wide product = 1;
                for (std::size_t i = 0; i < inputs_.size(); ++i)
                    product = multiply(product, elements_[i].at(at[i], inputs_[i].conjugated()));
                sum += product;
                magnitude += static_cast<double>(std::abs(product));
            });
        wide value = 0;
        if (alpha_ != 0.0)
            value = multiply(widen_scalar<wide>(alpha_), sum);
        magnitude *= std::abs(alpha_);
        if (beta_ != 0.0) {
            const wide scaled =
                multiply(widen_scalar<wide>(beta_), c_.at(at[inputs_.size()], conjugate_c_));
            value += scaled;
            magnitude += static_cast<double>(std::abs(scaled));
        }
        return {value, magnitude};
    }

    void compare(const TD *d, places &at, verification &result) const {
        const element expected = element_at(at);
        const TD stored = d[at.back()];
        const wide found = widen<wide>(stored, false);
        const double difference =
            error_within_range(stored, expected.value, distance(found, expected.value));
        result.not_numbers += is_nan(found) && is_nan(expected.value);
        const double relative = difference == 0 ? 0 : difference / expected.magnitude;
        result.max_relative_error =
            std::max(result.max_relative_error,
                     std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative);
    }

    loop_nest nest_;
    std::span<const input> inputs_;
    std::vector<wide_elements<TI, wide>> elements_; ///< of the inputs
    scalar alpha_, beta_;
    wide_elements<void, wide> c_;
    bool conjugate_c_;
};

/// The same of integers, modulo 2^32.
class integer_network {
public:
    integer_network(const network_contraction &what, const layout &d)
        : nest_(what.spec, what.inputs, what.c.shape(), d), what_(what),
          alpha_(base::integer_factor(what.alpha)), beta_(base::integer_factor(what.beta)) {}

    void contract(std::uint32_t *d) const {
        places at(what_.inputs.size() + 2, 0);
        for_all(nest_.free, at, [&] { d[at.back()] = element_at(at); });
    }

    verification verify(const std::uint32_t *d, index_t samples, std::uint64_t seed) const {
        verification result;
        places at(what_.inputs.size() + 2, 0);
        const auto compare = [&] {
            ++result.elements;
            if (d[at.back()] != element_at(at))
                result.max_relative_error = std::numeric_limits<double>::infinity();
        };
        if (product_of_extents(nest_.free) <= static_cast<double>(samples)) {
            for_all(nest_.free, at, compare);
            return result;
        }
        std::mt19937_64 engine(seed);
        for (index_t i = 0; i < samples; ++i) {
            std::fill(at.begin(), at.end(), index_t{0});
            for (const loop &one : nest_.free)
                move(at, one, std::uniform_int_distribution<index_t>(0, one.extent - 1)(engine));
            compare();
        }
        return result;
    }

private:
    std::uint32_t element_at(places &at) const {
        const std::size_t inputs = what_.inputs.size();
        std::uint32_t sum = 0;
        if (alpha_ != 0)
            for_all(nest_.summed, at, [&] {
                std::uint32_t product = 1;
                for (std::size_t i = 0; i < inputs; ++i)
                    product *=
                        integer_element(what_.inputs[i].data(), what_.inputs[i].type(), at[i]);
                sum += product;
            });
        sum *= alpha_;
        return beta_ == 0
                   ? sum
                   : sum + beta_ * integer_element(what_.c.data(), what_.c.type(), at[inputs]);
    }

    loop_nest nest_;
    const network_contraction &what_;
    std::uint32_t alpha_, beta_;
};

template <class F> auto with_types(std::span<const input> inputs, data_type d, const F &f) {
    const data_type first = inputs[0].type();
    const bool alike =
        std::ranges::all_of(inputs, [&](const input &one) { return one.type() == first; });
    return with_types(alike ? std::optional(first) : std::nullopt, output_type_of(d), d, f);
}

} // namespace

double terms_of_one_element(const contraction_spec &spec, std::span<const input> inputs) {
    std::vector<double> extents(spec.label_names.size(), 1);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (std::size_t mode = 0; mode < spec.inputs[i].size(); ++mode)
            extents[static_cast<std::size_t>(spec.inputs[i][mode])] =
                static_cast<double>(inputs[i].shape().extent(static_cast<int>(mode)));
    for (const label_t label : spec.output)
        extents[static_cast<std::size_t>(label)] = 1;
    double product = 1;
    for (const double extent : extents)
        product *= extent;
    return product;
}

void reference_contract(const network_contraction &what, const output &d) {
    if (is_integer(d.type()))
        return integer_network(what, d.shape()).contract(static_cast<std::uint32_t *>(d.data()));
    with_types(what.inputs, d.type(), [&]<class TI, class TS, class TD>(types<TI, TS, TD>) {
        network_reference<TI, TS, TD>(what, d.shape()).contract(static_cast<TD *>(d.data()));
    });
}

verification verify(const network_contraction &what, const input &d, index_t samples,
                    std::uint64_t seed) {
    if (is_integer(d.type()))
        return integer_network(what, d.shape())
            .verify(static_cast<const std::uint32_t *>(d.data()), samples, seed);
    return with_types(what.inputs, d.type(), [&]<class TI, class TS, class TD>(types<TI, TS, TD>) {
        return network_reference<TI, TS, TD>(what, d.shape())
            .verify(static_cast<const TD *>(d.data()), samples, seed);
    });
}

} // namespace tenfold::contract_impl
