// Random elements that depend on the seed and their places in the tensor only.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include <tenfold/dist_operations.hpp>

#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/copying.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/element_numbers.hpp"
#include "distributed/operations/philox.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// With fewer elements than this per thread, waking another thread does not pay.
constexpr index_t numbers_worth_a_thread = 1 << 13;

/// Two numbers of [0, 1) for an element, in steps of 2^-53.
std::array<double, 2> uniform_pair(std::uint64_t seed, index_t number) noexcept {
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
    const auto counter = static_cast<std::uint64_t>(number);
    const philox_counter bits =
        philox({low(counter), high(counter), 0, 0}, {low(seed), high(seed)});
    const auto fraction = [](std::uint32_t first, std::uint32_t second) {
        const std::uint64_t word = first | std::uint64_t{second} << 32;
        return static_cast<double>(word >> 11) * 0x1p-53;
    };
    return {fraction(bits[0], bits[1]), fraction(bits[2], bits[3])};
}

template <class T> T from_parts(const std::array<double, 2> &parts) noexcept {
    using real = typename element_traits<T>::real;
    if constexpr (is_complex(data_type_of<T>))
        return {static_cast<real>(parts[0]), static_cast<real>(parts[1])};
    else
        return base::round_once<real>(parts[0]);
}

/// Sets the elements of this rank's block to value(number), on the world's threads.
template <class T, class Value> void fill_by_number(dist_tensor<T> &x, const Value &value) {
    communicator &comm = internals::of(x.owner());
    const timed filling(comm.recorder(), activity::compute, "random numbers");
    const index_t n = x.local_slice().size();
    const element_numbers numbers(x.extents(), x.local_slice());
    T *const elements = tensor_access::elements(x);
    const auto threads =
        static_cast<int>(std::clamp<index_t>(n / numbers_worth_a_thread, 1, comm.threads()));
    base::run_parallel(threads, [&](base::team_member me) {
        numbers.for_each(base::split(n, me.size(), me.id()),
                         [&](index_t i, index_t number) { elements[i] = value(number); });
    });
}

} // namespace

template <class T>
requires(!element_traits<T>::is_integer) void fill_uniform(dist_tensor<T> &x, std::uint64_t seed,
                                                           double low, double high) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "fill_uniform");
    const auto describe = [&](call_description &call) {
        on_tensor(x)(call);
        call.add("seed", seed).add("low", scalar(low)).add("high", scalar(high));
    };
    collectively(comm, "fill_uniform", describe, [] {});
    fill_by_number(x, [=](index_t number) { // the same on all ranks, so that copies are equal
        std::array<double, 2> parts = uniform_pair(seed, number);
        for (double &part : parts)
            part = low + (high - low) * part;
        return from_parts<T>(parts);
    });
    tensor_access::copies_are_equal(x);
}

template <class T>
requires(!element_traits<T>::is_integer) void fill_normal(dist_tensor<T> &x, std::uint64_t seed,
                                                          double mean, double deviation) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "fill_normal");
    const auto describe = [&](call_description &call) {
        on_tensor(x)(call);
        call.add("seed", seed).add("mean", scalar(mean)).add("deviation", scalar(deviation));
    };
    // C libraries use other instructions on other processors, which round differently.
    std::optional<prepared_exchange<T>> copying;
    collectively(comm, "fill_normal", describe, [&] {
        prepare_copying(copying, comm, x.distribution(), tensor_access::elements(x));
    });
    fill_by_number(x, [=](index_t number) {
        const std::array<double, 2> uniform = uniform_pair(seed, number);
        const double radius = deviation * std::sqrt(-2 * std::log(1 - uniform[0]));
        const double angle = 2 * std::numbers::pi * uniform[1];
        return from_parts<T>({mean + radius * std::cos(angle), mean + radius * std::sin(angle)});
    });
    if (copying)
        copying->run();
    tensor_access::copies_are_equal(x);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void fill_uniform(dist_tensor<T> &, std::uint64_t, double, double);                   \
    template void fill_normal(dist_tensor<T> &, std::uint64_t, double, double);
TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
