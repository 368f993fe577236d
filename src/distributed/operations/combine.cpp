// Copies of tensors and sums of their multiples.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/dist_operations.hpp>

#include "base/parallel.hpp"
#include "base/scalar_of.hpp"
#include "base/sum_types.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/comm/message_memory.hpp"
#include "distributed/exchange/exchange.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/same_extents.hpp"
#include "distributed/plan/copies.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// With fewer elements than this per thread, waking another thread does not pay.
constexpr index_t sums_worth_a_thread = 1 << 15;

/// Terms are added block by block, so that D stays in a cache.
constexpr index_t elements_per_pass = 2048;

/// Computes d = factor x or d = d + factor x; d may be x.
template <class T> void add_multiple(T *d, base::sum_arithmetic<T> factor, const T *x, index_t n,
                                     bool replaces_d) noexcept {
    if constexpr (is_complex(data_type_of<T>)) {
        // A real factor multiplies the parts, so that an infinite one does not affect the other.
        using real = typename T::value_type;
        if (factor.imag() == real(0)) {
            add_multiple(reinterpret_cast<real *>(d), factor.real(),
                         reinterpret_cast<const real *>(x), 2 * n, replaces_d);
            return;
        }
    }
    using arithmetic = base::sum_arithmetic<T>;
    if (replaces_d)
        for (index_t i = 0; i < n; ++i)
            d[i] = static_cast<T>(factor * static_cast<arithmetic>(x[i]));
    else
        for (index_t i = 0; i < n; ++i)
            d[i] = static_cast<T>(static_cast<arithmetic>(d[i]) +
                                  factor * static_cast<arithmetic>(x[i]));
}

/// D = beta D + a A + b B + .., in this order.
template <class T> class combination {
public:
    /// Checks the terms and finds the memory.
    combination(communicator &comm, std::span<const dist_term<T>> terms, dist_tensor<T> &d)
        : comm_(comm), d_(d) {
        terms_.reserve(terms.size());
        index_t most_words = 0;
        bool any_moves = false;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const dist_tensor<T> &x = terms[i].tensor();
            const std::string name = "term " + std::to_string(i + 1);
            check_same_extents({x, name}, {d, "D"});
            if (&x == &d) {
                beta_ += static_cast<arithmetic>(terms[i].factor());
                continue;
            }
            const auto factor = static_cast<arithmetic>(terms[i].factor());
            if (factor == arithmetic(0))
                continue;
            tensor_access::check_copies(x, name);
            term &added = terms_.emplace_back(factor, &x);
            if (same_blocks(x.distribution(), d.distribution()))
                continue;
            const auto source_of = [&](int rank) { return x.distribution().block_of(rank); };
            const auto target_of = [&](int rank) { return d.distribution().block_of(rank); };
            added.arrival.emplace(comm, source_of, target_of, &x.distribution());
            most_words = std::max(most_words, added.arrival->buffer_words());
            any_moves = true;
        }
        if (beta_ != arithmetic(0))
            tensor_access::check_copies(d, "D");
        comm.buffers().release();
        buffers_ = allocate_for_messages<T>(comm, most_words);
        if (any_moves) {
            arrived_ = allocate_for_messages<T>(comm, d.local_slice().size());
            arrived_at_.emplace(arrived_.get(), d.local_slice());
        }
    }

    void run() {
        std::size_t begin = 0; // of the terms that are not added yet
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            term &moved = terms_[i];
            if (!moved.arrival)
                continue;
            add({terms_.data() + begin, i - begin});
            moved.arrival->use(buffers_.get());
            moved.arrival->run(moved.from, *arrived_at_, T(0));
            add({&moved, 1});
            begin = i + 1;
        }
        add({terms_.data() + begin, terms_.size() - begin});
        if (beta_ != arithmetic(1)) // no term was added
            multiply_d();
    }

private:
    using arithmetic = base::sum_arithmetic<T>;
    struct term {
        term(arithmetic its_factor, const dist_tensor<T> *its_tensor)
            : factor(its_factor), tensor(its_tensor),
              from(its_tensor->data(), its_tensor->local_slice()) {}
        arithmetic factor;
        const dist_tensor<T> *tensor;
        placement<const T> from;
        std::optional<exchange<T>> arrival; ///< if it is moved
    };

    /// Calls work(begin, count) for parts of this rank's block, on the world's threads.
    template <class Work> void for_each_pass(const Work &work) const {
        const timed traced(comm_.recorder(), activity::compute, "add");
        const index_t n = d_.local_slice().size();
        const auto threads =
            static_cast<int>(std::clamp<index_t>(n / sums_worth_a_thread, 1, comm_.threads()));
        base::run_parallel(threads, [&](base::team_member me) {
            const base::range mine = base::split(n, me.size(), me.id());
            for (index_t i = mine.begin; i < mine.end; i += elements_per_pass)
                work(i, std::min(elements_per_pass, mine.end - i));
        });
    }

    /// Computes d = beta d + these terms; afterwards beta is 1.
    void add(std::span<const term> terms) {
        if (terms.empty())
            return;
        T *const d = tensor_access::elements(d_);
        for_each_pass([&](index_t at, index_t n) {
            if (beta_ != arithmetic(0) && beta_ != arithmetic(1))
                add_multiple(d + at, beta_, static_cast<const T *>(d + at), n, true);
            for (const term &one : terms) {
                const T *const x = one.arrival ? arrived_.get() : one.tensor->data();
                add_multiple(d + at, one.factor, x + at, n,
                             &one == terms.data() && beta_ == arithmetic(0));
            }
        });
        beta_ = arithmetic(1);
    }

    void multiply_d() {
        T *const d = tensor_access::elements(d_);
        for_each_pass([&](index_t at, index_t n) {
            if (beta_ == arithmetic(0)) // NaNs do not stay
                std::fill_n(d + at, n, T{});
            else
                add_multiple(d + at, beta_, static_cast<const T *>(d + at), n, true);
        });
    }

    communicator &comm_;
    dist_tensor<T> &d_;
    arithmetic beta_{0};
    std::vector<term> terms_;   ///< but D
    message_buffer<T> buffers_; ///< packing buffers, which all moves share
    message_buffer<T> arrived_; ///< D's block of the term that was moved
    std::optional<placement<T>> arrived_at_;
};

} // namespace

template <class T> void copy(const dist_tensor<T> &x, dist_tensor<T> &y) {
    communicator &comm = communicator_of(y.owner());
    const traced_call traced(comm, "copy");
    const auto describe = [&](call_description &call) {
        call.add("type", name(data_type_of<T>)).add("X", x).add("Y", y);
    };
    std::optional<prepared_exchange<T>> movement;
    collectively(comm, "copy", describe, [&] {
        check_same_extents({x, "X"}, {y, "Y"});
        tensor_access::check_copies(x, "X");
        if (&x == &y)
            return;
        movement.emplace(
            comm, [&](int rank) { return x.distribution().block_of(rank); },
            [&](int rank) { return y.distribution().block_of(rank); },
            placement<const T>(x.data(), x.local_slice()),
            placement<T>(tensor_access::elements(y), y.local_slice()), &x.distribution());
    });
    if (movement)
        movement->run();
    tensor_access::copies_are_equal(y);
}

template <class T>
void combine(std::span<const dist_term<std::type_identity_t<T>>> terms, dist_tensor<T> &d) {
    communicator &comm = communicator_of(d.owner());
    const traced_call traced(comm, "combine");
    const auto describe = [&](call_description &call) {
        call.add("type", name(data_type_of<T>)).add("D", d);
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const std::string number = std::to_string(i + 1);
            call.add("term " + number, terms[i].tensor())
                .add("factor " + number, base::scalar_of(terms[i].factor()));
        }
    };
    std::optional<combination<T>> work;
    collectively(comm, "combine", describe, [&] { work.emplace(comm, terms, d); });
    work->run();
    tensor_access::copies_are_equal(d);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void copy(const dist_tensor<T> &, dist_tensor<T> &);                                  \
    template void combine(std::span<const dist_term<T>>, dist_tensor<T> &);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
