#include "contract/fused.hpp"

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "contract/gemm_nest.hpp"
#include "contract/moves.hpp"
#include "contract/position_walker.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::tensor_id;

/// Everything that is done to tiles of one kind.
struct tile_plan {
    std::array<std::optional<input_move>, 2> moves; ///< A, B
    candidate_ptr product;
    std::optional<transpose_plan> back; ///< D = product + beta D
};

/// What a walk along these loops makes of the tile it is at.
unsigned kind_at(const tile_loops &loops, const position_walker &at) noexcept {
    unsigned kind = 0;
    for (std::size_t i = 0; i < loops.cuts.size(); ++i)
        if (at.at_last(i))
            kind |= loops.cuts[i].ragged;
    return kind;
}

class fused_packing final : public candidate {
public:
    fused_packing(const contraction_problem &problem, const fused_form &form,
                  const cost_model &model, const plan_environment &environment)
        : tiling_(problem, form.extents, form.innermost_n),
          whole_(sizes_behind(problem, tiling_, form.choice.move)),
          bypass_caches_(problem.touched[D].size() * size_of(problem.type[D]) >=
                         environment.ctx->machine().l3.size / 4),
          seconds_(form.seconds) {
        plan_environment inside = environment;
        if (form.loop_threads) {
            threads_ =
                static_cast<int>(std::min<index_t>(environment.threads, tiling_.place_count()));
            inside.threads = 1;
        }
        for (const tensor_id tensor : {A, B, D})
            element_[tensor] = size_of(problem.type[tensor]);
        for (unsigned kind = 0; kind < tiling_.kinds(); ++kind)
            add_tile_plan(tiling_.tile(kind), form, model, inside);
        constexpr const char *what = "packing buffers";
        index_t each = scratch_;
        for (const index_t one : buffer_)
            each = base::checked_add(each, one, what);
        workspace_ = bytes(base::checked_multiply(threads_, each, what));
    }

    tenfold::algorithm algorithm() const noexcept override { return algorithm::fused; }
    double seconds() const noexcept override { return seconds_; }
    byte_count workspace() const noexcept override { return workspace_; }
    std::string describe() const override {
        return "tiles: " + tiling_.describe() +
               (threads_ > 1 ? ", " + std::to_string(threads_) + " threads" : "") + "; " + text_;
    }

    void execute(scalar alpha, const void *a, const void *b, scalar beta, const void *, void *d,
                 std::byte *workspace) const noexcept override {
        base::run_parallel(threads_, [&](const base::team_member &member) {
            const index_t each = workspace_.value / threads_;
            const base::range mine = base::split(tiling_.place_count(), member.size(), member.id());
            run(mine, alpha, static_cast<const std::byte *>(a), static_cast<const std::byte *>(b),
                beta, static_cast<std::byte *>(d), workspace + member.id() * each);
        });
    }

private:
    void add_tile_plan(const contraction_problem &tile, const fused_form &form,
                       const cost_model &model, const plan_environment &environment) {
        arranged_problem arranged = arrange(tile, form.choice);
        arranged.matrices.whole = whole_;
        tile_plan plan;
        const data_type type = tile.type[D];
        std::string text;
        for (const tensor_id tensor : {A, B})
            if (form.choice.move[tensor]) {
                const relocation &move = arranged.moves[tensor];
                plan.moves[tensor].emplace(move, tensor, tile.type[tensor], type, model,
                                           environment, false);
                buffer_[tensor] = std::max(buffer_[tensor], plan.moves[tensor]->moved_bytes());
                scratch_ = std::max(scratch_, plan.moves[tensor]->scratch_bytes());
                text += std::string("pack ") + einsum_impl::letter(tensor) + " as " +
                        name_of(move) + ", ";
            }
        plan.product = make_gemm_loop(
            arranged.matrices, best_nest(arranged.matrices, model, environment), environment);
        scratch_ = std::max(scratch_, base::aligned_bytes(plan.product->workspace().value));
        text += plan.product->describe();
        if (form.choice.move[arranged_d]) {
            const relocation &move = arranged.moves[arranged_d];
            plan.back = plan_move_back(move, type, environment, bypass_caches_);
            buffer_[D] = std::max(buffer_[D], workspace_for(move.elements, type));
            text += ", unpack D from " + name_of(move);
        }
        if (plans_.empty())
            text_ = text;
        plans_.push_back(std::move(plan));
    }

    void run(const base::range &places, scalar alpha, const std::byte *a, const std::byte *b,
             scalar beta, std::byte *d, std::byte *workspace) const noexcept {
        if (places.empty())
            return;
        std::byte *const packed_a = workspace;
        std::byte *const packed_b = packed_a + buffer_[A];
        std::byte *const packed_d = packed_b + buffer_[B];
        std::byte *const scratch = packed_d + buffer_[D];
        packed_tile in_a, in_b;
        position_walker place(tiling_.places().modes, places.begin);
        for (index_t i = places.begin; i < places.end; ++i, place.step()) {
            std::byte *const own_d = d + place.at()[D] * element_[D];
            const unsigned kind = kind_at(tiling_.places(), place);
            position_walker term(tiling_.sums().modes, 0);
            for (index_t k = 0; k < tiling_.sum_count(); ++k, term.step()) {
                const tile_plan &plan = plans_[kind | kind_at(tiling_.sums(), term)];
                const std::byte *from_a = a + (place.at()[A] + term.at()[A]) * element_[A];
                const std::byte *from_b = b + (place.at()[B] + term.at()[B]) * element_[B];
                from_a = packed(plan.moves[A], from_a, in_a, packed_a, scratch);
                from_b = packed(plan.moves[B], from_b, in_b, packed_b, scratch);
                std::byte *const to = plan.back ? packed_d : own_d;
                const scalar keep = k > 0 ? 1.0 : plan.back ? 0.0 : beta;
                plan.product->execute(alpha, from_a, from_b, keep, to, to, scratch);
            }
            if (const auto &back = plans_[kind].back)
                static_cast<void>(back->execute(1.0, packed_d, beta, own_d));
        }
    }

    /// What a packing buffer holds: the tile that starts at `from`, moved by `by`.
    struct packed_tile {
        const std::byte *from = nullptr;
        const input_move *by = nullptr;
    };

    /// Where the operand's tile is multiplied from. A tile is packed once for all products in a row
    /// that need it.
    static const std::byte *packed(const std::optional<input_move> &move, const std::byte *from,
                                   packed_tile &last, std::byte *to, std::byte *scratch) noexcept {
        if (!move)
            return from;
        if (from != last.from || &*move != last.by)
            move->run(from, to, scratch);
        last = {from, &*move};
        return to;
    }

    tiling tiling_;
    tensor_sizes whole_;
    bool bypass_caches_;           ///< D, on its way from the buffer: no cache would keep it
    std::vector<tile_plan> plans_; ///< by kind
    std::array<index_t, einsum_impl::tensor_count> element_{}; ///< bytes
    std::array<index_t, einsum_impl::tensor_count> buffer_{};  ///< bytes of one thread
    index_t scratch_ = 0;                                      ///< bytes of one thread
    int threads_ = 1;
    byte_count workspace_;
    double seconds_;
    std::string text_;
};

} // namespace

candidate_ptr make_fused(const contraction_problem &problem, const fused_form &form,
                         const cost_model &model, const plan_environment &environment) {
    return std::make_shared<fused_packing>(problem, form, model, environment);
}

} // namespace tenfold::contract_impl
