#include "contract/products/box_nest.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/context_of.hpp"
#include "base/footprint.hpp"
#include "base/parallel.hpp"
#include "base/streaming.hpp"
#include "base/traffic.hpp"
#include "contract/products/position_walker.hpp"
#include "contract/products/vector_nest.hpp"
#include "simd/kernel_table.hpp"

TENFOLD_DECLARE_KERNELS(transpose_boxes, tenfold::transpose_impl::box_kernels)

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::problem_mode;
using einsum_impl::tensor_id;
using transpose_impl::box_copy;
using transpose_impl::box_kernel;

box_kernel copy_kernel(isa instruction_set, index_t element) noexcept {
    static const auto table = TENFOLD_KERNEL_TABLE(transpose_boxes);
    const transpose_impl::box_kernels &kernels = *table.find(instruction_set).kernels;
    return element == 4 ? kernels.copy4 : kernels.copy8;
}

/// The order in which boxes are computed.
struct box_walk {
    einsum_impl::mode_group positions; ///< strides lead from one box to the next
    std::vector<unsigned> bit_of_last; ///< of kinds: what the last position of a mode adds

    box_walk(const box_modes &boxes, bool past_caches);
};

/// The least step of a tensor from one position to the next, in elements.
index_t shortest_step(const problem_mode &mode) noexcept {
    index_t shortest = INT64_MAX;
    for (const tensor_id t : einsum_impl::all_but_c)
        if (mode.stride[t] != 0)
            shortest = std::min(shortest, std::abs(mode.stride[t]));
    return shortest;
}

/// The order of D; but of tensors in memory, the mode comes first along which any of them moves on
/// the least, so that boxes that share pages of it follow one another.
box_walk::box_walk(const box_modes &boxes, bool past_caches) {
    struct walked {
        problem_mode mode;
        unsigned bit;
    };
    std::vector<walked> order;
    unsigned next_bit = 1;
    for (std::size_t k = 0; k < boxes.modes.size(); ++k) {
        walked one{boxes.modes[k], boxes.ragged[k] ? next_bit : 0};
        one.mode.extent = boxes.count_along(k);
        for (index_t &stride : one.mode.stride)
            stride *= boxes.blocks[k];
        next_bit <<= boxes.ragged[k] ? 1 : 0;
        order.push_back(std::move(one));
    }
    if (past_caches)
        std::stable_sort(order.begin(), order.end(), [](const walked &x, const walked &y) {
            return shortest_step(x.mode) < shortest_step(y.mode);
        });
    for (walked &one : order) {
        positions.push_back(std::move(one.mode));
        bit_of_last.push_back(one.bit);
    }
}

/// What it takes to compute all elements in such boxes.
cost_model::box_work work_of(const box_modes &boxes, const box_kind &kind, const cost_model &model,
                             index_t element, bool past_caches) {
    const double elements = real(extent_of(boxes.modes));
    cost_model::box_work work{.written = bytes_of_lines(boxes, D, element),
                              .past_caches = past_caches,
                              .runs = elements / real(kind.run)};
    for (const tensor_id t : einsum_impl::all_but_c) {
        double of_tensor = real(element);
        for (const problem_mode &mode : boxes.modes)
            of_tensor *= mode.stride[t] != 0 ? real(mode.extent) : 1;
        work.whole += of_tensor;
        if (t == D)
            continue;
        work.read += bytes_of_lines(boxes, t, element);
        work.far_runs += far_runs_of(boxes, t, model);
    }
    for (const box_input &input : kind.inputs)
        if (input.copied) {
            double planes = elements;
            for (const index_t block : boxes.blocks)
                planes /= real(block);
            for (const transpose_impl::box_dimension &one : input.dimensions)
                planes *= real(one.extent);
            work.planes += planes;
            (input.adjacent                        ? work.moved
             : real(input.p) < model.of_register() ? work.singly
                                                   : work.transposed) +=
                planes * real(input.p) * real(input.q);
        }
    return work;
}

class box_nest final : public candidate {
public:
    box_nest(const matrix_problem &problem, box_modes boxes, std::vector<box_kind> kinds,
             bool past_caches, double seconds, int threads, const context &ctx)
        : boxes_(std::move(boxes)), element_(tenfold::size_of(problem.type)),
          past_caches_(past_caches), walk_(boxes_, past_caches_), kinds_(std::move(kinds)),
          kernels_(select_vector_kernels(ctx.isa(), problem.type)),
          copy_(copy_kernel(ctx.isa(), element_)), seconds_(seconds), threads_(threads) {}

    tenfold::algorithm algorithm() const noexcept override { return algorithm::loops; }
    double seconds() const noexcept override { return seconds_; }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override {
        std::string text = "vector products in boxes of ";
        for (std::size_t k = 0; k < boxes_.modes.size(); ++k)
            text += (k > 0 ? " x " : "") + boxes_.modes[k].label + " " +
                    std::to_string(boxes_.blocks[k]);
        const auto is_copied = [&](tensor_id t) { return kinds_.front().inputs[t].copied; };
        return text + ", " +
               (is_copied(A) && is_copied(B) ? "A and B"
                : is_copied(A)               ? "A"
                                             : "B") +
               " turned into the order of D";
    }

    std::size_t footprint() const noexcept override {
        std::size_t sum = sizeof *this + base::allocation_overhead + allocated_by(boxes_.modes) +
                          base::allocated_by(boxes_.blocks) + allocated_by(walk_.positions) +
                          base::allocated_by(walk_.bit_of_last) + base::allocated_by(kinds_);
        for (const box_kind &kind : kinds_) {
            sum += base::allocated_by(kind.loops) + base::allocated_by(kind.lines);
            for (const box_input &input : kind.inputs)
                sum += base::allocated_by(input.p_from) + base::allocated_by(input.q_to) +
                       base::allocated_by(input.dimensions) + base::allocated_by(input.lines);
        }
        return sum;
    }

    void execute(const sources &from, void *d, std::byte *) const noexcept override {
        const index_t all = extent_of(walk_.positions);
        base::run_parallel(threads_, [&](const base::team_member &member) {
            const base::range mine = base::split(all, member.size(), member.id());
            if (mine.empty())
                return;
            base::in_watched_parts(mine, all, [&](const base::range &part) {
                run(part, from, static_cast<std::byte *>(d));
            });
            if (past_caches_)
                base::finish_streaming();
        });
    }

private:
    /// A's and B's parts of a box in D's order.
    struct buffers {
        alignas(64) std::byte of[2][most_box_bytes];
    };

    const box_kind &kind_at(const position_walker &position) const noexcept {
        unsigned kind = 0;
        for (std::size_t k = 0; k < walk_.bit_of_last.size(); ++k)
            kind |= position.at_last(k) ? walk_.bit_of_last[k] : 0;
        return kinds_[kind];
    }

    void run(const base::range &part, const sources &from, std::byte *d) const noexcept {
        buffers copies;
        position_walker position(walk_.positions, part.begin), next(walk_.positions, part.begin);
        const box_kind *now = &kind_at(position);
        // What is written through the caches is read first.
        const bool reads_d = !past_caches_ || from.beta != scalar(0);
        for (index_t i = part.begin; i < part.end; ++i) {
            const bool last = i + 1 == part.end;
            const box_kind *later = now;
            if (!last) {
                next.step();
                later = &kind_at(next);
            }
            const auto input = [&](tensor_id t, const position_walker &at) {
                return static_cast<const std::byte *>(t == A ? from.a : from.b) +
                       at.at()[t] * element_;
            };
            const auto coming = [&](const std::byte *first, const std::vector<index_t> &lines) {
                return transpose_impl::coming_lines{reinterpret_cast<const char *>(first),
                                                    lines.data(), last ? 0 : std::ssize(lines)};
            };
            std::array<const std::byte *, 2> data{input(A, position), input(B, position)};
            bool first = true;
            for (const tensor_id t : {A, B}) {
                const box_input &own = now->inputs[t];
                if (!own.copied)
                    continue;
                box_copy copy{reinterpret_cast<const char *>(data[t]),
                              reinterpret_cast<char *>(copies.of[t]),
                              own.p,
                              own.adjacent ? nullptr : own.p_from.data(),
                              own.q,
                              own.q_to.data(),
                              own.dimensions.data(),
                              std::ssize(own.dimensions),
                              {coming(input(t, next), later->inputs[t].lines)}};
                // The first copy also fetches for what is not copied.
                const tensor_id other = t == A ? B : A;
                if (first && !now->inputs[other].copied)
                    copy.next[1] = coming(input(other, next), later->inputs[other].lines);
                if (first && reads_d)
                    copy.next[2] = coming(d + next.at()[D] * element_, later->lines);
                first = false;
                copy_(copy);
                data[t] = copies.of[t];
            }
            multiply(*now, from, data, d + position.at()[D] * element_);
            position = next;
            now = later;
        }
    }

    /// The runs of a box, several in a call.
    void multiply(const box_kind &kind, const sources &from,
                  const std::array<const std::byte *, 2> &data, std::byte *d) const noexcept {
        const box_loop rows = kind.loops.empty() ? box_loop{1, {}} : kind.loops.front();
        std::array<index_t, most_box_modes> counter{};
        std::array<index_t, 3> at{};
        for (;;) {
            kernels_.multiply({kind.run,
                               rows.extent,
                               data[A] + at[A] * element_,
                               data[B] + at[B] * element_,
                               d + at[D] * element_,
                               kind.inputs[A].copied ? 1 : kind.inputs[A].step,
                               kind.inputs[B].copied ? 1 : kind.inputs[B].step,
                               1,
                               rows.stride[A],
                               rows.stride[B],
                               rows.stride[D],
                               {from.alpha.real(), from.alpha.imag()},
                               {from.beta.real(), from.beta.imag()},
                               /*conjugate_a=*/false,
                               /*conjugate_b=*/false,
                               past_caches_});
            std::size_t k = 1;
            for (; k < kind.loops.size(); ++k) {
                const box_loop &loop = kind.loops[k];
                const bool goes_on = ++counter[k] < loop.extent;
                for (std::size_t t = 0; t < at.size(); ++t)
                    at[t] += goes_on ? loop.stride[t] : -loop.stride[t] * (loop.extent - 1);
                if (goes_on)
                    break;
                counter[k] = 0;
            }
            if (k >= kind.loops.size())
                return;
        }
    }

    box_modes boxes_;
    index_t element_; ///< bytes
    bool past_caches_;
    box_walk walk_;
    std::vector<box_kind> kinds_;
    const vector_kernels &kernels_;
    box_kernel copy_;
    double seconds_;
    int threads_;
};

} // namespace

candidate_ptr make_box_nest(const matrix_problem &problem, box_modes boxes, const cost_model &model,
                            const plan_environment &environment, double most_seconds) {
    if (boxes.modes.empty())
        return nullptr;
    const index_t element = size_of(problem.type);
    std::vector<box_kind> kinds{make_box_kind(boxes, boxes.extents_of(0), element)};
    if (!kinds.front().inputs[A].copied && !kinds.front().inputs[B].copied)
        return nullptr;
    const int threads = static_cast<int>(std::min(boxes.count(), real(environment.threads)));
    const bool past_caches = real(extent_of(boxes.modes)) * real(element) >=
                             real(base::least_past_caches(base::machine_of(*environment.ctx)));
    const double seconds =
        model.boxes_seconds(work_of(boxes, kinds.front(), model, element, past_caches), threads);
    if (seconds >= most_seconds)
        return nullptr;
    for (unsigned kind = 1; kind < boxes.kinds(); ++kind)
        kinds.push_back(make_box_kind(boxes, boxes.extents_of(kind), element));
    for (unsigned kind = 0; kind < boxes.kinds(); ++kind)
        list_lines(boxes, boxes.extents_of(kind), element, kinds[kind]);
    return std::make_shared<box_nest>(problem, std::move(boxes), std::move(kinds), past_caches,
                                      seconds, threads, *environment.ctx);
}

} // namespace tenfold::contract_impl
