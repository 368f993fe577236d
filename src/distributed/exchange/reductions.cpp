// norm, norm1, sum and dot: sums over all elements of all ranks.
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_types.hpp>
#include <tenfold/error.hpp>

#include "base/parallel.hpp"
#include "base/scalar_of.hpp"
#include "base/scalars.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/magnitude.hpp"
#include "distributed/exchange/own_share.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/plan/slice.hpp"
#include "distributed/run/exact_sum.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// With fewer elements than this per thread, waking another thread does not pay.
constexpr index_t worth_a_thread = 1 << 16;

/// Calls use(begin, end, sums) for blocks of up to `block` of n positions, on the world's threads,
/// and returns the sums over all blocks.
template <std::size_t count, class Use> std::array<exact_sum, count>
sum_blocks(const world &where, index_t n, index_t block, const Use &use) {
    std::array<exact_sum, count> sums;
    std::mutex mutex;
    const auto threads =
        static_cast<int>(std::clamp<index_t>(n / worth_a_thread, 1, where.threads()));
    base::run_parallel(threads, [&](base::team_member me) {
        const base::range mine = base::split(n, me.size(), me.id());
        std::array<exact_sum, count> own;
        for (index_t i = mine.begin; i < mine.end; i += block)
            use(i, std::min(mine.end, i + block), own);
        const std::lock_guard lock(mutex);
        for (std::size_t k = 0; k < count; ++k)
            sums[k].add(own[k]);
    });
    return sums;
}

/// The digits of all ranks. They are allocated before the ranks agree.
using gathered = std::vector<exact_sum::digits>;

gathered memory_for_digits(const communicator &comm) {
    return gathered(static_cast<std::size_t>(comm.size()));
}

/// Returns the sum over the ranks, with the same bits on every rank.
double sum_over_ranks(communicator &comm, const exact_sum &mine, gathered &all) {
    const std::array<std::uint64_t, 1> here{static_cast<std::uint64_t>(mine.top() + 1)};
    std::array<std::uint64_t, 1> most{};
    comm.maximum(here, most);
    const int top = static_cast<int>(most[0]) - 1;
    const exact_sum::digits digits = mine.from(top);
    comm.all_gather(&digits, sizeof digits, all.data());
    return exact_sum::value(top, all);
}

/// Returns the sum of the terms that `terms(begin, end, out)` computes from elements [begin, end),
/// with the same bits on every rank.
template <class Terms>
double sum_of_terms(const world &where, gathered &all, index_t n, const Terms &terms) {
    const auto sums =
        sum_blocks<1>(where, n, exact_sum::most_terms, [&](index_t begin, index_t end, auto &own) {
            double out[exact_sum::most_terms];
            terms(begin, end, out);
            own[0].add({out, static_cast<std::size_t>(end - begin)});
        });
    return sum_over_ranks(internals::of(where), sums[0], all);
}

template <class Real>
double sum_of_squares(const world &where, gathered &all, const Real *x, index_t n) {
    return sum_of_terms(where, all, n, [x](index_t begin, index_t end, double *terms) {
        for (index_t i = begin; i < end; ++i)
            terms[i - begin] = base::real_value(x[i]) * base::real_value(x[i]);
    });
}

/// Returns the sum of conj(x) y.
template <class Real>
double sum_of_products(const world &where, gathered &all, const Real *x, const Real *y, index_t n) {
    return sum_of_terms(where, all, n, [x, y](index_t begin, index_t end, double *terms) {
        for (index_t i = begin; i < end; ++i)
            terms[i - begin] = base::real_value(x[i]) * base::real_value(y[i]);
    });
}

template <class Real> std::complex<double> sum_of_products(const world &where, gathered &all,
                                                           const std::complex<Real> *x,
                                                           const std::complex<Real> *y, index_t n) {
    constexpr index_t block = exact_sum::most_terms / 2;
    const auto sums = sum_blocks<2>(where, n, block, [&](index_t begin, index_t end, auto &own) {
        double real[exact_sum::most_terms];
        double imaginary[exact_sum::most_terms];
        for (index_t i = begin; i < end; ++i) {
            const std::complex<double> one(x[i]);
            const std::complex<double> other(y[i]);
            const index_t at = 2 * (i - begin);
            real[at] = one.real() * other.real();
            real[at + 1] = one.imag() * other.imag();
            imaginary[at] = one.real() * other.imag();
            imaginary[at + 1] = -one.imag() * other.real();
        }
        const auto size = static_cast<std::size_t>(2 * (end - begin));
        own[0].add({real, size});
        own[1].add({imaginary, size});
    });
    const double real = sum_over_ranks(internals::of(where), sums[0], all);
    return {real, sum_over_ranks(internals::of(where), sums[1], all)};
}

/// Returns the sum over the ranks of what `term(i)` is for each of this rank's n positions, modulo
/// 2^64: that of integers is exact in what they hold.
template <class Term>
std::uint64_t sum_of_integers(communicator &comm, index_t n, gathered &memory, const Term &term) {
    std::uint64_t mine = 0;
    for (index_t i = 0; i < n; ++i)
        mine += term(i);
    static_assert(sizeof mine <= sizeof(exact_sum::digits));
    auto *const all = reinterpret_cast<std::byte *>(memory.data());
    comm.all_gather(&mine, sizeof mine, all);
    std::uint64_t sum = 0;
    for (std::size_t rank = 0; rank < memory.size(); ++rank) {
        std::uint64_t one = 0;
        std::memcpy(&one, all + rank * sizeof one, sizeof one);
        sum += one;
    }
    return sum;
}

/// An integer with its sign, modulo 2^64.
template <class T> std::uint64_t modulo(T value) noexcept {
    return static_cast<std::uint64_t>(std::int64_t{value});
}

/// A sum, or the sums of real and imaginary parts, as T.
template <class T> T rounded(double sum) noexcept { return base::round_once<T>(sum); }
template <class T> T rounded(std::complex<double> sum) noexcept { return static_cast<T>(sum); }

template <class T>
T sum_of_elements(const world &where, gathered &all, const T *elements, index_t n) {
    using real = typename element_traits<T>::real;
    constexpr index_t parts = is_complex(data_type_of<T>) ? 2 : 1;
    const real *const first = reinterpret_cast<const real *>(elements);
    const auto sum_of_part = [&](index_t part) {
        return sum_of_terms(where, all, n, [=](index_t begin, index_t end, double *terms) {
            for (index_t i = begin; i < end; ++i)
                terms[i - begin] = base::real_value(first[parts * i + part]);
        });
    };
    if constexpr (is_complex(data_type_of<T>)) {
        const double of_real_parts = sum_of_part(0);
        return rounded<T>(std::complex<double>(of_real_parts, sum_of_part(1)));
    } else {
        return rounded<T>(sum_of_part(0));
    }
}

/// Collective. Agrees on a sum over the elements of one tensor, and finds the memory for it.
template <class T>
gathered prepare_sum(communicator &comm, const char *operation, const dist_tensor<T> &x) {
    gathered all;
    collectively(comm, operation, on_tensor(x), [&] {
        tensor_access::check_copies(x, "the tensor");
        all = memory_for_digits(comm);
    });
    return all;
}

} // namespace

template <class T> double dist_tensor<T>::norm() const {
    communicator &comm = communicator_of(world_);
    const traced_call traced(comm, "norm");
    gathered all = prepare_sum(comm, "norm", *this);
    const base::range mine = own_share(*this);
    const T *const first = data_.get() + mine.begin;
    const index_t n = mine.end - mine.begin;
    if constexpr (is_complex(data_type_of<T>))
        return std::sqrt(sum_of_squares(
            world_, all, reinterpret_cast<const typename T::value_type *>(first), 2 * n));
    else
        return std::sqrt(sum_of_squares(world_, all, first, n));
}

template <class T> T dot(const dist_tensor<T> &a, const dist_tensor<T> &b) {
    communicator &comm = communicator_of(a.owner());
    const traced_call traced(comm, "dot");
    const auto describe = [&](call_description &call) {
        call.add("type", name(data_type_of<T>)).add("A", a).add("B", b);
    };
    gathered all;
    std::optional<distribution> to; // of b, if it has another one
    collectively(comm, "dot", describe, [&] {
        if (a.extents() != b.extents())
            throw error(errc::extent_mismatch, "A has extents " + list(a.extents()) +
                                                   ", B has extents " + list(b.extents()));
        if (!(a.owner() == b.owner()))
            throw error(errc::invalid_argument, "A and B belong to different worlds");
        tensor_access::check_copies(a, "A");
        tensor_access::check_copies(b, "B");
        all = memory_for_digits(comm);
        if (!(a.distribution() == b.distribution()))
            to = a.distribution();
    });
    if (to)
        return dot(a, b.redistribute(std::move(*to)));
    const base::range mine = own_share(a);
    const T *const x = a.data() + mine.begin;
    const T *const y = b.data() + mine.begin;
    const index_t n = mine.end - mine.begin;
    if constexpr (element_traits<T>::is_integer) {
        return static_cast<T>(
            sum_of_integers(comm, n, all, [&](index_t i) { return modulo(x[i]) * modulo(y[i]); }));
    } else {
        return rounded<T>(sum_of_products(a.owner(), all, x, y, n));
    }
}

template <class T> T sum(const dist_tensor<T> &x) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "sum");
    gathered all = prepare_sum(comm, "sum", x);
    const base::range mine = own_share(x);
    const index_t n = mine.end - mine.begin;
    if constexpr (element_traits<T>::is_integer) {
        const T *const elements = x.data() + mine.begin;
        return static_cast<T>(
            sum_of_integers(comm, n, all, [&](index_t i) { return modulo(elements[i]); }));
    } else {
        return sum_of_elements(x.owner(), all, x.data() + mine.begin, n);
    }
}

template <class T> double norm1(const dist_tensor<T> &x) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "norm1");
    gathered all = prepare_sum(comm, "norm1", x);
    const base::range mine = own_share(x);
    const T *const first = x.data() + mine.begin;
    return sum_of_terms(x.owner(), all, mine.end - mine.begin,
                        [=](index_t begin, index_t end, double *terms) {
                            for (index_t i = begin; i < end; ++i)
                                terms[i - begin] = magnitude(first[i]);
                        });
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template double dist_tensor<T>::norm() const;                                                  \
    template T dot(const dist_tensor<T> &, const dist_tensor<T> &);                                \
    template T sum(const dist_tensor<T> &);                                                        \
    template double norm1(const dist_tensor<T> &);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
