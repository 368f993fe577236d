#include "contract/products/integer_loops.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/footprint.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "contract/products/position_walker.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::C;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using word = std::uint32_t; ///< an element of C and D, modulo 2^32

/// Sums at each position of D, of numbers of the types TA and TB.
class integer_loops final : public candidate {
public:
    integer_loops(const contraction_problem &problem, const plan_environment &environment)
        : free_(free_modes(problem)), summed_(problem.k), type_(problem.type),
          unary_(problem.unary) {
        for (const mode_group *group : {&problem.isolated_a, &problem.isolated_b})
            summed_.insert(summed_.end(), group->begin(), group->end());
        const double sums = static_cast<double>(einsum_impl::extent_of(free_));
        const double products = sums * static_cast<double>(einsum_impl::extent_of(summed_));
        constexpr double seconds_per_sum = 4e-9, seconds_per_product = 0.8e-9, worth_a_team = 5e-5;
        const double alone = seconds_per_sum * sums + seconds_per_product * products;
        threads_ = alone > worth_a_team ? environment.threads : 1;
        seconds_ = alone / threads_;
    }

    tenfold::algorithm algorithm() const noexcept override { return algorithm::loops; }
    double seconds() const noexcept override { return seconds_; }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override { return "sums of integers, one by one"; }
    std::size_t footprint() const noexcept override {
        return sizeof *this + base::allocation_overhead + allocated_by(free_) +
               allocated_by(summed_);
    }
    bool reads_any_c() const noexcept override { return true; }
    void execute(const sources &from, void *d, std::byte *) const noexcept override {
        with_type(type_[A], [&]<class TA>(TA) {
            with_type(type_[B], [&]<class TB>(TB) {
                run(static_cast<const TA *>(from.a), static_cast<const TB *>(from.b), from,
                    static_cast<word *>(d));
            });
        });
    }

private:
    template <class F> static void with_type(data_type type, const F &f) {
        if (type == data_type::i32)
            f(std::int32_t{});
        else if (type == data_type::u8)
            f(std::uint8_t{});
        else
            f(std::int8_t{});
    }

    template <class TA, class TB>
    void run(const TA *a, const TB *b, const sources &from, word *d) const noexcept {
        const word alpha = base::integer_factor(from.alpha), beta = base::integer_factor(from.beta);
        const auto *const c = static_cast<const word *>(from.c);
        const index_t count = einsum_impl::extent_of(free_);
        base::run_parallel(threads_, [&](const base::team_member &member) {
            const base::range mine = base::split(count, member.size(), member.id());
            base::in_watched_parts(mine, count, [&](const base::range &part) {
                position_walker at(free_, part.begin);
                for (index_t i = part.begin; i < part.end; ++i, at.step()) {
                    const offsets &o = at.at();
                    const word sum = alpha == 0 ? 0 : sum_of(a + o[A], unary_ ? b : b + o[B]);
                    d[o[D]] = alpha * sum + (beta == 0 ? 0 : beta * c[o[C]]);
                }
            });
        });
    }

    template <class TA, class TB> word sum_of(const TA *a, const TB *b) const noexcept {
        const auto product = [&](index_t i, index_t j) {
            const auto x = static_cast<word>(std::int32_t{a[i]});
            return unary_ ? x : x * static_cast<word>(std::int32_t{b[j]});
        };
        if (summed_.empty())
            return product(0, 0);
        const problem_mode &inner = summed_.front();
        const std::span others = std::span(summed_).subspan(1);
        index_t runs = 1;
        for (const problem_mode &mode : others)
            runs *= mode.extent;
        word sum = 0;
        position_walker at(others, 0);
        for (index_t run = 0; run < runs; ++run, at.step())
            for (index_t i = 0; i < inner.extent; ++i)
                sum += product(at.at()[A] + i * inner.stride[A], at.at()[B] + i * inner.stride[B]);
        return sum;
    }

    mode_group free_, summed_;
    std::array<data_type, einsum_impl::tensor_count> type_;
    bool unary_;
    int threads_ = 1;
    double seconds_;
};

} // namespace

mode_group free_modes(const contraction_problem &problem) {
    mode_group all = problem.m;
    for (const mode_group *group : {&problem.n, &problem.batch})
        all.insert(all.end(), group->begin(), group->end());
    return all;
}

candidate_ptr make_integer_loops(const contraction_problem &problem,
                                 const plan_environment &environment) {
    return std::make_shared<integer_loops>(problem, environment);
}

} // namespace tenfold::contract_impl
