#include "contract/tiles/tiled.hpp"

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "base/context_of.hpp"
#include "base/footprint.hpp"
#include "base/internals.hpp"
#include "base/parallel.hpp"
#include "base/traffic.hpp"
#include "base/work.hpp"
#include "contract/choose/kinds.hpp"
#include "contract/choose/planning.hpp"
#include "contract/epilogues/planned_epilogue.hpp"
#include "contract/products/gemm_nest.hpp"
#include "contract/products/position_walker.hpp"
#include "contract/products/vector_loops.hpp"
#include "contract/tiles/moves.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::all_but_c;
using einsum_impl::B;
using einsum_impl::C;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::tensor_id;

/// The plans for tiles of one kind.
struct tile_plan {
    std::array<std::optional<input_move>, 2> moves; ///< A, B; those that no earlier kind has
    std::array<std::size_t, 2> moved_as{};          ///< the kind that has the move
    candidate_ptr product;
    std::optional<transpose_plan> back; ///< D = product + beta D
    std::optional<transpose_plan> of_c; ///< op(C) to where D is in workspace, if D is rounded
    std::array<double, 2> move_shares;  ///< shares of the seconds before `back`
    double product_share;
    double back_share; ///< share of all seconds

    /// `moving`: seconds that A's and B's moves take.
    void set_shares(const std::array<double, 2> &moving) noexcept {
        const double before = std::max(1e-12, moving[A] + moving[B] + product->seconds());
        const double after = back ? back->predicted_seconds() : 0;
        move_shares = {moving[A] / before, moving[B] / before};
        product_share = product->seconds() / before;
        back_share = after / (before + after);
    }
};

/// The contribution of these loops to the kind of the current tile.
unsigned kind_at(const tile_loops &loops, const position_walker &at) noexcept {
    unsigned kind = 0;
    for (std::size_t i = 0; i < loops.cuts.size(); ++i)
        if (at.at_last(i))
            kind |= loops.cuts[i].ragged;
    return kind;
}

class tiled_contraction final : public candidate {
public:
    tiled_contraction(const contraction_problem &problem, const tiled_form &form,
                      const cost_model &model, const plan_environment &environment)
        : algorithm_(form.algorithm), tiling_(problem, form.extents, form.innermost_n),
          whole_(sizes_behind(problem, tiling_, form.choice.move)),
          has_c_in_place_(problem.same_c_and_d && !problem.conjugate[C]),
          rounds_(problem.rounds_d()), seconds_(form.seconds) {
        plan_environment inside = environment;
        if (form.loop_threads) {
            threads_ =
                static_cast<int>(std::min<index_t>(environment.threads, tiling_.place_count()));
            inside.threads = 1;
        }
        for (const tensor_id tensor : {A, B, D, C})
            element_[tensor] = size_of(problem.type[tensor]);
        plan_parts(problem, environment);
        if (inside.limited())
            inside.workspace_limit.value /= threads_;
        std::vector<std::array<relocation, 3>> moves_of_kinds;
        for (unsigned kind = 0; kind < tiling_.kinds(); ++kind)
            add_tile_plan(tiling_.tile(problem, kind), form, model, inside, moves_of_kinds);
        workspace_ = bytes(base::checked_multiply(
            threads_, base::checked_add(buffer_bytes(), scratch_, what_), what_));
    }

    tenfold::algorithm algorithm() const noexcept override { return algorithm_; }
    double seconds() const noexcept override { return seconds_; }
    byte_count workspace() const noexcept override { return workspace_; }
    std::string describe() const override {
        if (tiling_.is_whole())
            return text_;
        return (is_fused() ? "tiles: " : "slices: ") + tiling_.describe() +
               (threads_ > 1 ? ", " + std::to_string(threads_) + " threads" : "") + "; " + text_;
    }

    std::size_t footprint() const noexcept override {
        std::size_t sum = sizeof *this + base::allocation_overhead + base::allocated_by(text_) +
                          base::allocated_by(plans_);
        for (const tile_loops *loops : {&tiling_.places(), &tiling_.sums()})
            sum += allocated_by(loops->modes) + base::allocated_by(loops->cuts);
        for (const tile_plan &plan : plans_) {
            sum += plan.product->footprint();
            for (const std::optional<input_move> &move : plan.moves)
                sum += move ? move->footprint() : 0;
            for (const std::optional<transpose_plan> *one : {&plan.back, &plan.of_c})
                sum += *one ? internals::of(**one).footprint() : 0;
        }
        return sum;
    }

    fusion fuses(const planned_epilogue &finish) const noexcept override {
        const bool products_do =
            std::all_of(plans_.begin(), plans_.end(), [&](const tile_plan &plan) {
                return plan.product->fuses(finish) == fusion::always;
            });
        if (!products_do || (plans_.front().back && !places_in_copy_))
            return fusion::never;
        return plans_.front().back ? fusion::if_beta_is_zero : fusion::always;
    }

    /// C and what is added to it meet in the type of the sums, before D is rounded.
    bool reads_any_c() const noexcept override { return rounds_; }
    void execute(const sources &from, void *d, std::byte *workspace) const noexcept override {
        base::run_parallel(threads_, [&](const base::team_member &member) {
            const index_t each = workspace_.value / threads_;
            const base::range mine = base::split(tiling_.place_count(), member.size(), member.id());
            run(mine, from, static_cast<std::byte *>(d), workspace + member.id() * each);
        });
    }

private:
    bool is_fused() const noexcept { return algorithm_ == algorithm::fused; }

    /// Decides on non-temporal stores. Packing buffers are read again at once, so they avoid them;
    /// a slice of D uses them if all of D is large. Transpositions of whole tensors decide by their
    /// own size.
    void plan_parts(const contraction_problem &problem, const plan_environment &environment) {
        const auto size = [&](tensor_id t) { return problem.touched[t].size() * element_[t]; };
        if (is_fused())
            for (const tensor_id t : {A, B})
                part_[t] = {.bypass_caches = false, .bytes = size(t)};
        if (is_fused() || !tiling_.is_whole())
            part_[D] = {.bypass_caches =
                            size(D) >= base::least_past_caches(base::machine_of(*environment.ctx)),
                        .bytes = size(D)};
    }

    void add_tile_plan(const contraction_problem &tile, const tiled_form &form,
                       const cost_model &model, plan_environment environment,
                       std::vector<std::array<relocation, 3>> &moves_of_kinds) {
        arranged_problem arranged = arranger(tile).arrange(form.choice);
        arranged.matrices.whole = whole_;
        const data_type type = tile.computed;
        const data_type inputs = arranged.matrices.inputs;
        for (const tensor_id t : all_but_c)
            if (form.choice.move[t])
                buffer_[t] = std::max(
                    buffer_[t], workspace_for(arranged.moves[t].elements, t == D ? type : inputs));
        if (environment.limited())
            environment.workspace_limit.value =
                std::max<index_t>(0, environment.workspace_limit.value - buffer_bytes());

        tile_plan plan;
        std::array<double, 2> moving{};
        std::string text;
        for (const tensor_id tensor : {A, B})
            if (form.choice.move[tensor]) {
                const relocation &move = arranged.moves[tensor];
                // A tile that is packed already serves all kinds that pack it like this.
                const auto first = std::find_if(
                    moves_of_kinds.begin(), moves_of_kinds.end(),
                    [&](const auto &other) { return move_alike(other[tensor], move, tensor); });
                plan.moved_as[tensor] = static_cast<std::size_t>(first - moves_of_kinds.begin());
                if (first == moves_of_kinds.end())
                    plan.moves[tensor].emplace(
                        moved_operand{move, tensor, tile.type[tensor], inputs}, model, environment,
                        part_[tensor]);
                const input_move &planned =
                    *(plan.moves[tensor] ? plan : plans_[plan.moved_as[tensor]]).moves[tensor];
                moving[tensor] = planned.seconds();
                scratch_ = std::max(scratch_, planned.scratch_bytes());
                text += std::string(is_fused() ? "pack " : "move ") + einsum_impl::letter(tensor) +
                        (move.summed.empty() ? "" : " (summing)") + (is_fused() ? " as " : " to ") +
                        name_of(move) +
                        (tile.multiplies_as_stored() ? "" : converted(tile.type[tensor], inputs)) +
                        ", ";
            }
        plan.product =
            arranged.in_vector_loops
                ? make_vector_loops(arranged.matrices, model, environment)
                : make_gemm_loop(arranged.matrices,
                                 best_nest(arranged.matrices, model, environment), environment);
        scratch_ = std::max(scratch_, base::aligned_bytes(plan.product->workspace().value));
        text += plan.product->describe();
        if (form.choice.move[D]) {
            const relocation &move = arranged.moves[D];
            plan.back = plan_move_back({move, tile}, environment, part_[D]);
            text += std::string(is_fused() ? ", unpack D from " : ", move D from ") + name_of(move);
            if (rounds_) {
                plan.of_c = plan_move_of_c({move, tile}, environment);
                text += ", rounding to " + std::string(name(tile.type[D]));
            }
            plan_epilogue(move, environment);
        }
        plan.set_shares(moving);
        if (plans_.empty())
            text_ = text;
        plans_.push_back(std::move(plan));
        moves_of_kinds.push_back(std::move(arranged.moves));
    }

    /// An epilogue is applied to the copy of D, if that is whole. Large tensors lie like D rather
    /// than like the copy.
    void plan_epilogue(const relocation &move, const plan_environment &environment) {
        const planned_epilogue *const finish = environment.finish;
        if (finish == nullptr || !tiling_.is_whole() || !finish->is_nested() ||
            !finish->is_small(base::machine_of(*environment.ctx)))
            return;
        std::vector<planned_epilogue::copied_mode> modes;
        for (std::size_t k = 0; k < move.modes.size(); ++k)
            modes.push_back({move.modes[k].extent, move.modes[k].stride[D], move.new_stride[k]});
        places_in_copy_ = finish->places_in_copy(modes);
    }

    /// Bytes of the buffers of one thread.
    index_t buffer_bytes() const {
        index_t sum = 0;
        for (const index_t one : buffer_)
            sum = base::checked_add(sum, one, what_);
        return sum;
    }

    void run(const base::range &places, const sources &from, std::byte *d,
             std::byte *workspace) const noexcept {
        if (places.empty())
            return;
        const auto *const a = static_cast<const std::byte *>(from.a);
        const auto *const b = static_cast<const std::byte *>(from.b);
        const auto *const c = static_cast<const std::byte *>(from.c);
        const bool moves_c = rounds_ && from.beta != 0.0 && !(c == d && has_c_in_place_);
        std::byte *const packed_a = workspace;
        std::byte *const packed_b = packed_a + buffer_[A];
        std::byte *const packed_d = packed_b + buffer_[B];
        std::byte *const scratch = packed_d + buffer_[D];
        packed_tile in_a, in_b;
        position_walker place(tiling_.places().modes, places.begin);
        for (index_t i = places.begin; i < places.end; ++i, place.step()) {
            std::byte *const own_d = d + place.at()[D] * element_[D];
            const unsigned kind = kind_at(tiling_.places(), place);
            std::optional<bound_epilogue> in_copy;
            const bound_epilogue *finish = from.finish;
            if (finish != nullptr && plans_[kind].back)
                finish = &in_copy.emplace(*from.finish, *places_in_copy_, packed_d);
            const base::work_part whole_place(1 / static_cast<double>(tiling_.place_count()));
            const double term_share =
                (1 - plans_[kind].back_share) / static_cast<double>(tiling_.sum_count());
            if (moves_c) // Cannot fail, like the others.
                static_cast<void>(plans_[kind].of_c->execute(1.0, c + place.at()[C] * element_[C],
                                                             0.0, packed_d));
            position_walker term(tiling_.sums().modes, 0);
            for (index_t k = 0; k < tiling_.sum_count(); ++k, term.step()) {
                if (base::work_part::stops())
                    return;
                const tile_plan &plan = plans_[kind | kind_at(tiling_.sums(), term)];
                const base::work_part one_term(term_share);
                const std::byte *from_a = a + (place.at()[A] + term.at()[A]) * element_[A];
                const std::byte *from_b = b + (place.at()[B] + term.at()[B]) * element_[B];
                from_a = packed(plan, A, from_a, in_a, packed_a, scratch);
                from_b = packed(plan, B, from_b, in_b, packed_b, scratch);
                std::byte *const to = plan.back ? packed_d : own_d;
                const scalar keep = k > 0 ? 1.0 : plan.back && !moves_c ? 0.0 : from.beta;
                const base::work_part product(plan.product_share);
                const bool is_last = k + 1 == tiling_.sum_count();
                plan.product->execute(
                    {from.alpha, from_a, from_b, keep, to, {}, is_last ? finish : nullptr}, to,
                    scratch);
            }
            if (const auto &back = plans_[kind].back) {
                const base::work_part unpacking(plans_[kind].back_share);
                static_cast<void>(
                    back->execute(1.0, packed_d, moves_c ? scalar(0.0) : from.beta, own_d));
            }
        }
    }

    /// The content of a packing buffer: the tile that starts at `from`, moved by `by`.
    struct packed_tile {
        const std::byte *from = nullptr;
        const input_move *by = nullptr;
    };

    /// The address at which the operand's tile is multiplied: in place or in its buffer.
    /// Consecutive products that need the same tile share one packed copy.
    const std::byte *packed(const tile_plan &plan, tensor_id operand, const std::byte *from,
                            packed_tile &last, std::byte *to, std::byte *scratch) const noexcept {
        const std::optional<input_move> &move = plans_[plan.moved_as[operand]].moves[operand];
        if (!move)
            return from;
        if (from != last.from || &*move != last.by) {
            const base::work_part packing(plan.move_shares[operand]);
            move->run(from, to, scratch);
        }
        last = {from, &*move};
        return to;
    }

    static constexpr const char *what_ = "workspace of all moved tensors";

    tenfold::algorithm algorithm_;
    tiling tiling_;
    tensor_sizes whole_;
    bool has_c_in_place_;                               ///< if C begins where D does
    bool rounds_;                                       ///< to D's type
    std::array<std::optional<part_of_tensor>, 3> part_; ///< for transpositions
    std::vector<tile_plan> plans_;                      ///< by kind
    /// Of an epilogue's tensors, beside the copy of D; empty: the copy cannot have the epilogue.
    std::optional<std::vector<planned_epilogue::mode>> places_in_copy_;
    std::array<index_t, einsum_impl::tensor_count> element_{}; ///< bytes
    std::array<index_t, einsum_impl::tensor_count> buffer_{};  ///< bytes of one thread
    index_t scratch_ = 0;                                      ///< bytes of one thread
    int threads_ = 1;
    byte_count workspace_;
    double seconds_;
    std::string text_;
};

constexpr const char *nothing_to_multiply = "one input: there is nothing to multiply";

constexpr const char *nothing_to_gain =
    "the tensors lie like three small matrices with adjacent elements: moving one gains nothing";

/// Seconds that looking for forms takes, about (50 to 100 us on servers of 2021 to 2024).
constexpr double looking = 30e-6;

/// Whether forms are not looked for: the product takes less time than that, and could gain a tenth
/// by moving a matrix that many others are multiplied by. Those that a user asks for by name are,
/// and where workspace is scarce, tiles may need less than panels.
bool cannot_pay(planning &with) {
    return with.environment.algorithm == algorithm::automatic && !with.environment.limited() &&
           with.lies_like_matrices() && with.nest().seconds < looking;
}

void offer_forms(planning &with, offers &made, const std::vector<tiled_form> &forms,
                 const char *impossible) {
    if (forms.empty())
        made.refuse(impossible);
    for (const tiled_form &form : forms)
        made.add_unless_too_large(
            [&] { return make_tiled(with.problem, form, with.model(), with.environment); });
}

/// One input of a type that is narrower than D's is converted on the way.
void offer_ttgt(planning &with, offers &made) {
    if (with.problem.unary && with.multiplies_in_place())
        return made.refuse(nothing_to_multiply);
    if (cannot_pay(with))
        return made.refuse(nothing_to_gain);
    offer_forms(with, made, with.forms().ttgt, "there is nothing to move");
}

void offer_fused(planning &with, offers &made) {
    if (with.problem.unary)
        return made.refuse(nothing_to_multiply);
    if (cannot_pay(with))
        return made.refuse(nothing_to_gain);
    offer_forms(with, made, with.forms().fused, "no tile of the tensors fits the cache");
}

} // namespace

tensor_sizes sizes_behind(const contraction_problem &whole, const tiling &tiles,
                          const std::array<bool, 3> &move) {
    const auto extent = [](const einsum_impl::mode_group &group) {
        return static_cast<double>(einsum_impl::extent_of(group));
    };
    const auto batch = [&](tensor_id tensor) { return batch_elements(whole, tensor); };
    const double m = extent(whole.m);
    const double n = extent(whole.n);
    const double k = extent(whole.k);
    return {move[A] ? 0 : batch(A) * m * k, move[B] ? 0 : batch(B) * k * n,
            move[D] || tiles.sum_count() > 1 ? 0 : batch(D) * m * n, tiles.sum_count() > 1};
}

candidate_ptr make_tiled(const contraction_problem &problem, const tiled_form &form,
                         const cost_model &model, const plan_environment &environment) {
    if (form.choice.elementwise)
        return std::make_shared<tiled_contraction>(as_elementwise(problem).value(), form, model,
                                                   environment);
    return std::make_shared<tiled_contraction>(problem, form, model, environment);
}

constinit const candidate_kind ttgt_kind{algorithm::ttgt, offer_ttgt, copying::everything};
constinit const candidate_kind fused_kind{algorithm::fused, offer_fused, copying::tiles};

} // namespace tenfold::contract_impl
