#include "contract/products/gemm_nest.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "base/checked.hpp"
#include "base/footprint.hpp"
#include "base/parallel.hpp"
#include "base/workspace.hpp"
#include "contract/choose/kinds.hpp"
#include "contract/choose/planning.hpp"
#include "contract/choose/product_fit.hpp"
#include "contract/epilogues/planned_epilogue.hpp"
#include "contract/products/permute.hpp"
#include "contract/products/position_walker.hpp"
#include "gemm/forms/interleaved.hpp"
#include "gemm/plan/mixed_plan.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::labels_of;

/// What is computed at each position of the loops, for each term of the sums.
using looped_product =
    std::variant<gemm_impl::gemm_plan, gemm_impl::interleaved_plan, gemm_impl::mixed_plan>;

looped_product plan_product(const matrix_problem &problem, const gemm_nest &nest,
                            const plan_environment &environment) {
    auto options = product_options(environment, nest.gemm_threads);
    options.blocks = nest.blocks;
    options.whole = nest.whole;
    const gemm_impl::gemm_shape shape = product_shape(problem, nest);
    if (problem.inputs != problem.type)
        return gemm_impl::mixed_plan(gemm_impl::choose_mixed(problem.inputs, options), shape,
                                     options);
    if (nest.lanes)
        return gemm_impl::interleaved_plan(shape, nest.lanes->extent, options);
    return gemm_impl::gemm_plan(shape, options);
}

class gemm_loop final : public candidate {
public:
    gemm_loop(const matrix_problem &problem, const gemm_nest &nest,
              const plan_environment &environment)
        : nest_(nest), type_(problem.type), product_(plan_product(problem, nest, environment)),
          loop_count_(extent_of(nest.loops)), sum_count_(extent_of(nest.sums)),
          input_(tenfold::size_of(problem.inputs)), element_(tenfold::size_of(problem.type)),
          workspace_(bytes(base::checked_multiply(nest.loop_threads, product_workspace(),
                                                  "workspace of all threads"))) {}

    tenfold::algorithm algorithm() const noexcept override {
        return nest_.looped() ? algorithm::gemm_loop : algorithm::direct;
    }
    double seconds() const noexcept override { return nest_.seconds; }
    byte_count workspace() const noexcept override { return workspace_; }
    std::string describe() const override {
        std::string text;
        if (!nest_.loops.empty())
            text +=
                "loop over " + labels_of(nest_.loops) + " (" + std::to_string(loop_count_) +
                " times" +
                (nest_.loop_threads > 1 ? ", " + std::to_string(nest_.loop_threads) + " threads)"
                                        : ")") +
                ", ";
        if (!nest_.sums.empty())
            text += "sum over " + labels_of(nest_.sums) + " (" + std::to_string(sum_count_) +
                    " terms), ";
        if (nest_.lanes)
            text +=
                "along " + nest_.lanes->label + " (" + std::to_string(nest_.lanes->extent) + ") ";
        return text + std::visit([](const auto &product) { return product.describe(); }, product_);
    }

    std::size_t footprint() const noexcept override {
        std::size_t sum = sizeof *this + base::allocation_overhead + allocated_by(nest_.loops) +
                          allocated_by(nest_.sums);
        for (const einsum_impl::problem_mode *mode : {&nest_.m, &nest_.n, &nest_.k})
            sum += base::allocated_by(mode->label);
        return sum + (nest_.lanes ? base::allocated_by(nest_.lanes->label) : 0);
    }

    fusion fuses(const planned_epilogue &finish) const noexcept override {
        const bool is_in_d = finish.type() == type_; // else D is rounded from the product
        return is_in_d && finish.is_nested() && can_finish() ? fusion::always : fusion::never;
    }

    void execute(const sources &from, void *d, std::byte *workspace) const noexcept override {
        base::run_parallel(nest_.loop_threads, [&](const base::team_member &member) {
            std::byte *const own = workspace + member.id() * product_workspace();
            const base::range mine = base::split(loop_count_, member.size(), member.id());
            if (mine.empty())
                return;
            base::in_watched_parts(mine, loop_count_, [&](const base::range &part) {
                position_walker position(nest_.loops, part.begin);
                offsets now = position.at();
                for (index_t i = part.begin; i < part.end; now = position.at()) {
                    const index_t series =
                        sum_count_ > 1 ? 1 : std::min(position.left_of_first(), part.end - i);
                    position.step(series);
                    i += series;
                    gemm_impl::following next;
                    if (i < mine.end)
                        next = {of_input(from.a, position.at()[A]),
                                of_input(from.b, position.at()[B]), at(d, position.at()[D])};
                    std::byte *const to = at(d, now[D]);
                    const sources first{from.alpha,
                                        of_input(from.a, now[A]),
                                        of_input(from.b, now[B]),
                                        from.beta,
                                        to,
                                        {},
                                        from.finish};
                    if (sum_count_ == 1) // products may take only nanoseconds
                        multiply_all(first, to, own, steps_along(nest_.loops, series), next);
                    else
                        sum_products(first, to, own, next);
                }
            });
        });
    }

    void execute_each(const batch_sources &from, index_t begin, index_t end,
                      std::byte *workspace) const noexcept override {
        const auto *const product = std::get_if<gemm_impl::gemm_plan>(&product_);
        if (nest_.looped() || product == nullptr)
            return candidate::execute_each(from, begin, end, workspace);
        const auto operands = [&](index_t i) {
            return gemm_impl::product_operands<>{.alpha = from.alpha,
                                                 .a = from.a.at(i),
                                                 .b = from.b.at(i),
                                                 .beta = from.beta,
                                                 .d = from.d_at(i),
                                                 .workspace = workspace};
        };
        if (from.in_steps())
            return product->execute_all(
                operands(begin),
                {end - begin, from.a.step / input_, from.b.step / input_, from.d.step / element_});
        for (index_t i = begin; i + 1 < end; ++i)
            product->execute(operands(i), {from.a.at(i + 1), from.b.at(i + 1), from.d.at(i + 1)});
        if (begin < end)
            product->execute(operands(end - 1));
    }

private:
    /// Many small products take so little time that a pass over all of D costs less than a call for
    /// each of them.
    bool can_finish() const noexcept {
        const auto *const plan = std::get_if<gemm_impl::gemm_plan>(&product_);
        const bool is_small = plan != nullptr && plan->form() == gemm_impl::gemm_form::small;
        return !nest_.lanes && !(is_small && nest_.looped());
    }
    index_t product_workspace() const noexcept {
        return std::visit(
            [](const auto &product) { return base::aligned_bytes(product.workspace_size().value); },
            product_);
    }
    const std::byte *of_input(const void *data, index_t offset) const noexcept {
        return static_cast<const std::byte *>(data) + offset * input_;
    }
    std::byte *at(void *data, index_t offset) const noexcept {
        return static_cast<std::byte *>(data) + offset * element_;
    }

    static const gemm_impl::fused_epilogue *finish_of(const sources &from) noexcept {
        return from.finish != nullptr ? &from.finish->fused() : nullptr;
    }

    /// From a position to those that follow along the first of the modes.
    static gemm_impl::product_series steps_along(const einsum_impl::mode_group &modes,
                                                 index_t count) noexcept {
        if (count == 1)
            return {};
        const auto &stride = modes.front().stride;
        return {count, stride[A], stride[B], stride[D]};
    }

    void multiply_all(const sources &from, std::byte *d, std::byte *workspace,
                      const gemm_impl::product_series &steps,
                      const gemm_impl::following &next) const noexcept {
        const gemm_impl::product_operands<> first{.alpha = from.alpha,
                                                  .a = from.a,
                                                  .b = from.b,
                                                  .beta = from.beta,
                                                  .d = d,
                                                  .workspace = workspace,
                                                  .finish = finish_of(from)};
        std::visit([&](const auto &product) { product.execute_all(first, steps, next); }, product_);
    }

    /// The inputs at a position of the loops, where the products of the sums begin.
    struct summed_inputs {
        const gemm_loop *loop;
        const void *a, *b;
    };
    static void find_terms(const void *inputs, index_t first, index_t count, const void **a,
                           const void **b) noexcept {
        const auto &[loop, from_a, from_b] = *static_cast<const summed_inputs *>(inputs);
        position_walker term(loop->nest_.sums, first);
        for (index_t i = 0; i < count; ++i, term.step()) {
            a[i] = loop->of_input(from_a, term.at()[A]);
            b[i] = loop->of_input(from_b, term.at()[B]);
        }
    }

    /// The first product replaces D, the others are added to it. Runs along the first mode are not
    /// divided: products that are summed in registers would be grouped otherwise in a watched call.
    void sum_products(const sources &from, std::byte *d, std::byte *workspace,
                      const gemm_impl::following &next) const noexcept {
        if (const auto *const mixed = std::get_if<gemm_impl::mixed_plan>(&product_)) {
            const summed_inputs inputs{this, from.a, from.b};
            return mixed->execute_sum({.alpha = from.alpha,
                                       .a = nullptr,
                                       .b = nullptr,
                                       .beta = from.beta,
                                       .d = d,
                                       .workspace = workspace,
                                       .finish = finish_of(from)},
                                      {sum_count_, 0, &inputs, find_terms});
        }
        const index_t length = nest_.sums.front().extent;
        const index_t runs = sum_count_ / length;
        const auto steps = steps_along(nest_.sums, length);
        base::in_watched_parts({0, runs}, runs, [&](const base::range &part) {
            position_walker term(nest_.sums, part.begin * length);
            for (index_t i = part.begin; i < part.end; ++i) {
                const gemm_impl::product_operands<> first{.alpha = from.alpha,
                                                          .a = of_input(from.a, term.at()[A]),
                                                          .b = of_input(from.b, term.at()[B]),
                                                          .beta = i == 0 ? from.beta : 1.0,
                                                          .d = d,
                                                          .workspace = workspace};
                term.step(length);
                const gemm_impl::following after =
                    i + 1 < runs ? gemm_impl::following{of_input(from.a, term.at()[A]),
                                                        of_input(from.b, term.at()[B]), d}
                                 : next;
                std::visit(
                    [&]<class Product>([[maybe_unused]] const Product &product) {
                        if constexpr (!std::is_same_v<Product, gemm_impl::mixed_plan>)
                            product.execute_sum(first, steps, after);
                    },
                    product_);
            }
        });
        if (from.finish != nullptr && !base::work_part::stops())
            from.finish->fused().apply_all(nest_.m.extent, nest_.n.extent, d, nest_.m.stride[D],
                                           nest_.n.stride[D], nest_.gemm_threads);
    }

    gemm_nest nest_;
    data_type type_; ///< of D, and of sums
    looped_product product_;
    index_t loop_count_;
    index_t sum_count_;
    index_t input_;   ///< bytes of an element of A and B
    index_t element_; ///< bytes of an element of D
    byte_count workspace_;
};

/// What one call does on the data as it lies: a transposition, or a matrix product.
void offer_direct(planning &with, offers &made) {
    if (is_transposition(with.problem))
        return made.add(make_permute(with.problem, with.environment));
    if (std::string why = with.no_product_in_place(); !why.empty())
        return made.refuse(std::move(why));
    if (with.nest().looped())
        return made.refuse("the tensors do not lie like three matrices");
    made.add_unless_too_large(
        [&] { return make_gemm_loop(with.matrices(), with.nest(), with.environment); });
}

/// Loops over single elements read A and B where they lie, one line after the other, and enter a
/// kernel for each of them. Vector loops do the same in passes; types without such loops have only
/// the former, and so have those who ask for it by name.
bool multiplies_single_elements(planning &with) {
    const matrix_problem &all = with.matrices();
    return with.environment.algorithm == algorithm::automatic && all.m.empty() && all.n.empty() &&
           all.k.empty() && with.problem.type[A] == with.problem.type[D];
}

void offer_gemm_loop(planning &with, offers &made) {
    if (std::string why = with.no_product_in_place(); !why.empty())
        return made.refuse(std::move(why));
    if (multiplies_single_elements(with))
        return made.refuse("each product would be of two numbers: vector loops make many at once");
    if (!with.nest().looped())
        return made.refuse("there is nothing to loop over");
    made.add_unless_too_large(
        [&] { return make_gemm_loop(with.matrices(), with.nest(), with.environment); });
}

} // namespace

candidate_ptr make_gemm_loop(const matrix_problem &problem, const gemm_nest &nest,
                             const plan_environment &environment) {
    return std::make_shared<gemm_loop>(problem, nest, environment);
}

constinit const candidate_kind direct_kind{algorithm::direct, offer_direct};
constinit const candidate_kind gemm_loop_kind{algorithm::gemm_loop, offer_gemm_loop};

} // namespace tenfold::contract_impl
