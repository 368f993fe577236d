#include "contract/products/leaves.hpp"

#include <algorithm>
#include <optional>

#include "base/context_of.hpp"
#include "base/footprint.hpp"
#include "base/scalars.hpp"
#include "base/traffic.hpp"
#include "base/with_type.hpp"
#include "base/work.hpp"
#include "base/workspace.hpp"
#include "contract/products/permute.hpp"
#include "reproducible/finish.hpp"
#include "reproducible/isolated_sum.hpp"
#include "reproducible/rounded_finish.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::C;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::labelled_problem;
using einsum_impl::tensor_id;
using reproducible_impl::label_box;
using reproducible_impl::label_class;
using reproducible_impl::product_form;
using reproducible_impl::summand;
using reproducible_impl::summation;
using reproducible_impl::tile_budget;

labelled_problem label_problem(const contraction_spec &spec, const contraction_problem &problem) {
    std::vector<extents_t> extents{problem.shape[A].extents()};
    if (!problem.unary)
        extents.push_back(problem.shape[B].extents());
    extents.push_back(problem.shape[D].extents());
    return einsum_impl::label_problem(spec, extents);
}

/// The operand that has this one's labels: D for C.
constexpr tensor_id labelled_like(tensor_id operand) noexcept { return operand == C ? D : operand; }

/// Returns an operand's strides by `labels`; a repeated label runs along its diagonal.
extents_t strides_of(const labelled_problem &labels, const contraction_problem &problem,
                     tensor_id operand, const std::vector<int> &numbers) {
    const std::vector<int> &modes = labels.operands[labelled_like(operand)].modes;
    const layout &shape = problem.shape[operand];
    extents_t strides(numbers.size(), 0);
    for (std::size_t mode = 0; mode < modes.size(); ++mode) {
        const auto found = std::find(numbers.begin(), numbers.end(), modes[mode]);
        const index_t extent = shape.extent(static_cast<int>(mode));
        // For at most one position the stride may be any number, and adding strides could overflow.
        if (found != numbers.end() && extent > 1 && !shape.empty())
            strides[static_cast<std::size_t>(found - numbers.begin())] +=
                shape.stride(static_cast<int>(mode));
    }
    return strides;
}

/// Sums over isolated labels are of the type of all sums.
data_type type_multiplied(const labelled_problem &labels, const contraction_problem &problem,
                          tensor_id operand) {
    const bool is_summed =
        labels.panel_labels(operand).size() != labels.operands[operand].distinct.size();
    return is_summed ? problem.computed : problem.type[operand];
}

/// T: the type of the sums.
template <class T> class leaves final : public candidate {
public:
    leaves(const labelled_problem &labels, const contraction_problem &problem,
           const plan_environment &environment, int threads, byte_count room)
        : threads_(threads), what_(labels, {.conj_a = problem.conjugate[A],
                                            .conj_b = problem.conjugate[B],
                                            .type_a = type_multiplied(labels, problem, A),
                                            .type_b = type_multiplied(labels, problem, B)}),
          multiplies_(!problem.empty_output() && !problem.empty_sum()), rounds_(problem.rounds_d()),
          conjugate_c_(problem.conjugate[C]), type_of_c_(problem.type[C]),
          type_of_d_(problem.type[D]) {
        strides_of_d_ = by_label(labels, problem, D);
        strides_of_c_ = by_label(labels, problem, C);
        if (!multiplies_)
            return;
        if (what_.kind().form == product_form::copies) {
            plan_environment mine = environment;
            mine.threads = threads;
            moves_.emplace(plan_into_d(problem, A, mine));
            seconds_ = moves_->predicted_seconds();
            if (problem.type[A] == problem.type[D] && !rounds_ && !what_.kind().conj_a) {
                a_.from = {0, by_label(labels, problem, A), size_of(problem.type[A])};
                return;
            }
        }
        tile_budget best;
        index_t least = INT64_MAX;
        for (tile_budget budget;; budget = budget.halved()) {
            plan(labels, problem, *environment.ctx, budget);
            if (workspace_ < least) { // smaller tiles may need more, where less lies like matrices
                least = workspace_;
                best = budget;
            }
            if (least <= room.value || !budget.can_shrink())
                break;
        }
        if (workspace_ > least)
            plan(labels, problem, *environment.ctx, best);
    }

    tenfold::algorithm algorithm() const noexcept override { return algorithm::leaves; }
    double seconds() const noexcept override { return seconds_; }
    byte_count workspace() const noexcept override { return bytes(workspace_); }
    bool reads_any_c() const noexcept override { return rounds_; }
    std::string describe() const override {
        const index_t count = what_.leaves().count();
        return "k in " + std::to_string(count) + (count == 1 ? " leaf, " : " leaves, ") +
               (products_ ? products_->describe()
                : moves_  ? "copies"
                          : "nothing to sum");
    }
    std::size_t footprint() const noexcept override {
        std::size_t sum = sizeof *this + base::allocation_overhead;
        if (products_)
            sum += products_->footprint();
        for (const input_path *one : {&a_, &b_})
            sum += one->isolated ? one->isolated->footprint() : 0;
        return sum;
    }

    void execute(const sources &from, void *d, std::byte *workspace) const noexcept override {
        const T alpha = base::scalar_cast<T>(from.alpha);
        const T beta = base::scalar_cast<T>(from.beta);
        if (!multiplies_ || alpha == T(0))
            return write_update(from, d);
        // Errors are impossible: pointers and overlap were checked for the whole contraction.
        if (moves_ && reproducible_impl::rounds_once(alpha, beta) && (!rounds_ || beta == T(0)))
            return static_cast<void>(moves_->execute(from.alpha, from.a, from.beta, d));
        if (!products_)
            return reproducible_impl::finish<T>(extents_in_d(label_box::whole(what_)).of_labels(),
                                                alpha, static_cast<const T *>(from.a),
                                                a_.from.strides, beta, static_cast<T *>(d),
                                                strides_of_d_, threads_);
        base::arena memory({workspace, static_cast<std::size_t>(workspace_)});
        const void *const a = summed(a_, from.a, memory);
        const void *const b = summed(b_, what_.kind().has_b ? from.b : nullptr, memory);
        const auto finish = [&](const label_box &tile, T *sum, reproducible_impl::numbers strides) {
            const box_of_d box = extents_in_d(tile);
            const index_t at_d = offset_of(tile, strides_of_d_);
            if (rounds_)
                return reproducible_impl::finish_rounded<T>(
                    box.of_labels(), terms_of(from, sum, strides, offset_of(tile, strides_of_c_)),
                    output_at(d, at_d), threads_);
            reproducible_impl::finish<T>(box.of_labels(), alpha, sum, strides, beta,
                                         static_cast<T *>(d) + at_d, strides_of_d_, threads_);
        };
        const base::work_part part(products_->seconds() / std::max(1e-12, seconds_));
        static_cast<void>(products_->run(label_box::whole(what_), {a_.from, a}, {b_.from, b},
                                         memory.rest(), std::ref(finish)));
    }

private:
    struct input_path {
        summand from;
        std::optional<reproducible_impl::isolated_sum<T>> isolated;
    };
    /// A box without its positions of k.
    struct box_of_d {
        std::array<index_t, label_box::most> extents;
        std::size_t labels;
        reproducible_impl::numbers of_labels() const noexcept {
            return reproducible_impl::numbers(extents).first(labels);
        }
    };

    bool in_d(std::size_t label) const noexcept {
        return what_.labels()[label].group != label_class::k;
    }
    box_of_d extents_in_d(const label_box &box) const noexcept {
        box_of_d result;
        result.labels = what_.labels().size();
        for (std::size_t label = 0; label < result.labels; ++label)
            result.extents[label] = in_d(label) ? box.extents[label] : 1;
        return result;
    }

    index_t offset_of(const label_box &tile, const extents_t &strides) const noexcept {
        index_t at = 0;
        for (std::size_t label = 0; label < strides.size(); ++label)
            at += strides[label] * (in_d(label) ? tile.offsets[label] : 0);
        return at;
    }

    reproducible_impl::rounded_output output_at(void *d, index_t offset) const noexcept {
        return {static_cast<std::byte *>(d) + offset * size_of(type_of_d_), type_of_d_,
                strides_of_d_};
    }
    /// `sum`: null for none; `offset`: of C.
    reproducible_impl::update_terms<T> terms_of(const sources &from, const T *sum,
                                                reproducible_impl::numbers strides,
                                                index_t offset) const noexcept {
        const T beta = base::scalar_cast<T>(from.beta);
        const auto *const c = static_cast<const std::byte *>(from.c);
        return {base::scalar_cast<T>(from.alpha),
                sum,
                strides,
                beta,
                beta == T(0) ? nullptr : c + offset * size_of(type_of_c_),
                type_of_c_,
                conjugate_c_,
                strides_of_c_};
    }

    /// D = beta op(C).
    void write_update(const sources &from, void *d) const noexcept {
        const box_of_d box = extents_in_d(label_box::whole(what_));
        if (rounds_)
            return reproducible_impl::finish_rounded<T>(
                box.of_labels(), terms_of(from, nullptr, {}, 0), output_at(d, 0), threads_);
        reproducible_impl::scale(box.of_labels(), base::scalar_cast<T>(from.beta),
                                 static_cast<T *>(d), strides_of_d_, threads_);
    }

    /// The strides of an operand's labels that are not isolated.
    extents_t by_label(const labelled_problem &labels, const contraction_problem &problem,
                       tensor_id operand) const {
        const std::vector<int> kept = labels.panel_labels(labelled_like(operand));
        return what_.by_label(kept, strides_of(labels, problem, operand, kept));
    }
    void plan(const labelled_problem &labels, const contraction_problem &problem,
              const context &ctx, tile_budget budget) {
        workspace_ = 0;
        seconds_ = 0;
        index_t of_isolated = 0; // which run before the products, one after the other
        const auto set_up = [&](input_path &path, tensor_id operand) {
            const std::vector<int> kept = labels.panel_labels(operand);
            const std::vector<int> &all = labels.operands[operand].distinct;
            if (kept.size() == all.size()) {
                path.from = {0, by_label(labels, problem, operand), size_of(problem.type[operand])};
                return;
            }
            extents_t extents;
            for (const int number : all)
                extents.push_back(labels.labels[static_cast<std::size_t>(number)].extent);
            path.isolated.emplace(labels, operand, problem.type[operand], extents,
                                  strides_of(labels, problem, operand, all), threads_, ctx, budget);
            path.from = {0, what_.by_label(kept, layout(labels.extents_of(kept)).strides()),
                         static_cast<index_t>(sizeof(T))};
            workspace_ +=
                base::aligned_bytes(path.isolated->size() * static_cast<index_t>(sizeof(T)));
            of_isolated = std::max(of_isolated, path.isolated->workspace_size());
            seconds_ += path.isolated->seconds();
        };
        set_up(a_, A);
        what_.sort(label_class::m, a_.from.strides);
        if (!labels.unary) {
            set_up(b_, B);
            what_.sort(label_class::n, b_.from.strides);
        }
        what_.sort(label_class::batch, strides_of_d_);
        products_.emplace(what_, threads_, ctx, budget);
        products_->prepare(label_box::whole(what_), a_.from, b_.from);
        workspace_ += std::max(of_isolated, products_->workspace_size());
        // Each product is added to D's tile or to another one: two reads and a write.
        const double moved = 3.0 * sizeof(T) * static_cast<double>(what_.leaves().count()) *
                             static_cast<double>(label_box::whole(what_).output_size(what_));
        const base::machine_rates &rates = base::rates_of(ctx);
        const base::traffic traffic(base::machine_of(ctx), rates, sizeof(T));
        seconds_ +=
            products_->seconds() + moved / traffic.bandwidth(static_cast<double>(workspace_),
                                                             rates.memory_bandwidth, threads_);
    }

    /// Returns the input that products read: the given one, or its sum over isolated labels.
    const void *summed(const input_path &path, const void *data,
                       base::arena &memory) const noexcept {
        if (!path.isolated)
            return data;
        const base::work_part part(path.isolated->seconds() / std::max(1e-12, seconds_));
        T *const sum = memory.take<T>(path.isolated->size());
        static_cast<void>(path.isolated->run(data, sum, memory.rest()));
        return sum;
    }

    int threads_;
    summation what_;
    bool multiplies_;
    bool rounds_; ///< to D's type
    bool conjugate_c_;
    data_type type_of_c_, type_of_d_;
    extents_t strides_of_d_, strides_of_c_; ///< by label
    std::optional<transpose_plan> moves_;   ///< A into D, where nothing is summed
    input_path a_, b_;
    std::optional<reproducible_impl::leaf_sum<T>> products_;
    index_t workspace_ = 0;
    double seconds_ = 0;
};

} // namespace

candidate_ptr make_leaves(const contraction_spec &spec, const contraction_problem &problem,
                          const plan_environment &environment, int threads, byte_count room) {
    const labelled_problem labels = label_problem(spec, problem);
    return base::with_arithmetic_type(problem.computed, [&]<class T>(T) -> candidate_ptr {
        return std::make_shared<leaves<T>>(labels, problem, environment, threads, room);
    });
}

} // namespace tenfold::contract_impl
