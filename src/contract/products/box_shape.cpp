#include "contract/products/box_shape.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/checked.hpp"
#include "base/traffic.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using einsum_impl::tensor_id;

constexpr index_t line = 64; // bytes
/// Kinds are two to this power.
constexpr int most_ragged = 4;

/// What boxes should have, in bytes. On a Zen 4 of 24 choices (boxes of 4 to 16 KiB, runs of 64 to
/// 512) this one was the best for 21 products in f32 and f64: 1.04 times the seconds of the best
/// choice for each of them, in the geometric mean.
constexpr index_t wanted_box = most_box_bytes / 4;
constexpr index_t wanted_run_of_d = 256; ///< lines that runs cut are written in parts
constexpr index_t wanted_run_of_input = line;

class box_chooser {
public:
    box_chooser(const mode_group &modes, index_t element)
        : modes_(modes), element_(element), blocks_(modes.size(), 1) {
        for (const tensor_id t : einsum_impl::all_but_c) {
            for (std::size_t k = 0; k < modes.size(); ++k)
                if (modes[k].stride[t] > 0)
                    order_[t].push_back(k);
            std::sort(order_[t].begin(), order_[t].end(), [&](std::size_t x, std::size_t y) {
                return modes[x].stride[t] < modes[y].stride[t];
            });
        }
    }

    extents_t blocks() {
        lengthen(D, wanted_run_of_d);
        lengthen(A, wanted_run_of_input);
        lengthen(B, wanted_run_of_input);
        bool more = true;
        while (more) {
            more = false;
            for (const tensor_id t : einsum_impl::all_but_c)
                more = fill(t) || more;
        }
        return blocks_;
    }

private:
    /// Makes a box's runs of a tensor as long as that.
    void lengthen(tensor_id t, index_t bytes) {
        index_t run = element_;
        for (const std::size_t k : order_[t]) {
            if (run >= bytes || modes_[k].stride[t] * element_ != run)
                return;
            const index_t extent = modes_[k].extent;
            const index_t enough = std::min(base::divide_up(bytes, run), extent);
            // Most of a short mode is better taken whole: the next one may continue its run.
            blocks_[k] = std::max(blocks_[k], 2 * enough > extent ? extent : enough);
            if (blocks_[k] < extent)
                return;
            run *= extent;
        }
    }

    /// Doubles the extent of the first mode of a tensor that is not complete, if there is room.
    bool fill(tensor_id t) {
        index_t elements = 1;
        for (const index_t block : blocks_)
            elements *= block;
        for (const std::size_t k : order_[t])
            if (blocks_[k] < modes_[k].extent) {
                const index_t more = std::min(2 * blocks_[k], modes_[k].extent);
                if (elements / blocks_[k] * more * element_ > wanted_box)
                    return false;
                blocks_[k] = more;
                return true;
            }
        return false;
    }

    const mode_group &modes_;
    index_t element_;
    extents_t blocks_;
    std::array<std::vector<std::size_t>, 3> order_; ///< closest first
};

/// Boxes of about equal extents, as far as lines allow.
void even_out(box_modes &boxes, index_t element) {
    for (std::size_t k = 0; k < boxes.modes.size(); ++k) {
        const problem_mode &mode = boxes.modes[k];
        index_t &block = boxes.blocks[k];
        block = base::divide_up(mode.extent, base::divide_up(mode.extent, block));
        const bool on_lines = mode.stride[A] == 1 || mode.stride[B] == 1 || mode.stride[D] == 1;
        const index_t grain = on_lines ? line / element : 1;
        block = std::min(mode.extent, base::divide_up(block, grain) * grain);
    }
}

/// The part of a box's modes that has more than one element.
struct part {
    index_t extent;
    std::array<index_t, 3> stride;
};

/// The modes along which a box has more than one element, D's closest first.
std::vector<part> parts_of(const box_modes &boxes, const extents_t &extents) {
    std::vector<part> parts;
    for (std::size_t k = 0; k < extents.size(); ++k)
        if (extents[k] > 1) {
            const problem_mode &mode = boxes.modes[k];
            parts.push_back({extents[k], {mode.stride[A], mode.stride[B], mode.stride[D]}});
        }
    return parts;
}

/// The strides of the copy of an input, in elements: D's order of what the input has. Modes of the
/// runs of D are copied even if the input has not got them, so that its runs are as long.
std::vector<index_t> strides_in_copy(const std::vector<part> &parts, std::size_t in_run,
                                     tensor_id t) {
    std::vector<index_t> strides;
    index_t elements = 1;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const bool is_copied = k < in_run || parts[k].stride[t] != 0;
        strides.push_back(is_copied ? elements : 0);
        elements *= is_copied ? parts[k].extent : 1;
    }
    return strides;
}

void add_lines(const std::vector<part> &parts, tensor_id t, index_t element,
               std::vector<index_t> &lines) {
    constexpr std::size_t most = 2048;
    std::vector<part> own;
    for (const part &one : parts)
        if (one.stride[t] != 0)
            own.push_back(one);
    std::sort(own.begin(), own.end(), [t](const part &x, const part &y) {
        return std::abs(x.stride[t]) < std::abs(y.stride[t]);
    });
    index_t run = element;
    std::size_t next = 0;
    while (next < own.size() && own[next].stride[t] * element == run)
        run *= own[next++].extent;
    for (index_t at = 0; at < run; at += line)
        lines.push_back(at);
    if (run > element)
        lines.push_back(run - 1); // may lie on one more
    for (; next < own.size(); ++next) {
        const std::size_t before = lines.size();
        for (index_t i = 1; i < own[next].extent && lines.size() + before <= most; ++i)
            for (std::size_t k = 0; k < before; ++k)
                lines.push_back(lines[k] + i * own[next].stride[t] * element);
    }
}

/// Offsets of all positions of some modes, in bytes.
void add_offsets(std::vector<index_t> &offsets, index_t extent, index_t stride) {
    const std::size_t before = offsets.size();
    for (index_t i = 1; i < extent; ++i)
        for (std::size_t k = 0; k < before; ++k)
            offsets.push_back(offsets[k] + i * stride);
}

box_input copied_input(const std::vector<part> &parts, const std::vector<index_t> &in_copy,
                       tensor_id t, index_t element) {
    constexpr index_t most_p = 256;
    box_input input;
    input.copied = true;
    std::vector<bool> used(parts.size(), false);
    for (std::size_t k = 0; k < parts.size(); ++k)
        used[k] = in_copy[k] == 0;
    if (parts.front().stride[t] == 1) {
        input.adjacent = true;
        for (std::size_t k = 0; k < parts.size() && parts[k].stride[t] == input.p; ++k) {
            input.p *= parts[k].extent;
            used[k] = true;
        }
    } else {
        input.p_from.push_back(0);
        for (std::size_t k = 0; k < parts.size() && parts[k].stride[t] != 1; ++k) {
            if (used[k])
                continue;
            if (k > 0 && input.p * parts[k].extent > most_p)
                break;
            add_offsets(input.p_from, parts[k].extent, parts[k].stride[t] * element);
            input.p *= parts[k].extent;
            used[k] = true;
        }
        input.q_to.push_back(0);
        for (std::size_t k = 0; k < parts.size(); ++k)
            if (!used[k] && parts[k].stride[t] == input.q) {
                add_offsets(input.q_to, parts[k].extent, in_copy[k] * element);
                input.q *= parts[k].extent;
                used[k] = true;
                k = static_cast<std::size_t>(-1); // another mode may continue the run
            }
    }
    for (std::size_t k = 0; k < parts.size(); ++k)
        if (!used[k])
            input.dimensions.push_back(
                {parts[k].extent, parts[k].stride[t] * element, in_copy[k] * element});
    return input;
}

/// A mode of one tensor, and the block of it that is in a box. The stride is in elements.
struct part_of_mode {
    index_t extent, block, stride;
};

/// The modes that a tensor has, closest first.
std::vector<part_of_mode> parts_of_tensor(const box_modes &boxes, tensor_id t) {
    std::vector<part_of_mode> parts;
    for (std::size_t k = 0; k < boxes.modes.size(); ++k)
        if (const index_t stride = std::abs(boxes.modes[k].stride[t]); stride != 0)
            parts.push_back({boxes.modes[k].extent, boxes.blocks[k], stride});
    std::sort(parts.begin(), parts.end(),
              [](const part_of_mode &x, const part_of_mode &y) { return x.stride < y.stride; });
    return parts;
}

} // namespace

index_t box_modes::count_along(std::size_t mode) const noexcept {
    return base::divide_up(modes[mode].extent, blocks[mode]);
}

double box_modes::count() const noexcept {
    double count = 1;
    for (std::size_t k = 0; k < modes.size(); ++k)
        count *= real(count_along(k));
    return count;
}

unsigned box_modes::kinds() const noexcept {
    return 1U << std::count(ragged.begin(), ragged.end(), true);
}

extents_t box_modes::extents_of(unsigned kind) const {
    extents_t extents = blocks;
    for (std::size_t k = 0; k < modes.size(); ++k)
        if (ragged[k]) {
            if (kind & 1U)
                extents[k] = modes[k].extent % blocks[k];
            kind /= 2;
        }
    return extents;
}

void box_modes::fit_buffers(index_t element) {
    double bytes = real(element);
    for (const index_t block : blocks)
        bytes *= real(block);
    while (bytes > real(most_box_bytes)) {
        // The first mode is D's run, which is written worse in pieces than inputs are read.
        const auto others = std::max_element(blocks.begin() + 1, blocks.end());
        index_t &largest = others == blocks.end() || *others == 1 ? blocks.front() : *others;
        bytes /= real(largest);
        largest = base::divide_up(largest, index_t{2});
        bytes *= real(largest);
    }
    int count = 0;
    for (std::size_t k = 0; k < modes.size(); ++k) {
        const index_t extent = modes[k].extent;
        if (extent % blocks[k] != 0 && ++count > most_ragged)
            while (extent % blocks[k] != 0)
                --blocks[k];
        ragged[k] = extent % blocks[k] != 0;
    }
}

box_modes modes_of_boxes(const matrix_problem &problem) {
    box_modes boxes;
    for (const mode_group *group : {&problem.batch, &problem.m, &problem.n})
        boxes.modes.insert(boxes.modes.end(), group->begin(), group->end());
    std::sort(boxes.modes.begin(), boxes.modes.end(),
              [](const problem_mode &x, const problem_mode &y) {
                  return std::abs(x.stride[D]) < std::abs(y.stride[D]);
              });
    if (!problem.k.empty() || boxes.modes.empty() || boxes.modes.size() > most_box_modes ||
        boxes.modes.front().stride[D] != 1 || is_complex(problem.type))
        boxes.modes.clear();
    return boxes;
}

box_modes choose_boxes(const matrix_problem &problem) {
    box_modes boxes = modes_of_boxes(problem);
    if (boxes.modes.empty())
        return boxes;
    const index_t element = size_of(problem.type);
    boxes.blocks = box_chooser(boxes.modes, element).blocks();
    even_out(boxes, element);
    boxes.fit_buffers(element);
    return boxes;
}

double bytes_of_lines(const box_modes &boxes, tensor_id t, index_t element) {
    index_t run = element;
    bool on_lines = true;
    double runs = 1;
    for (const part_of_mode &one : parts_of_tensor(boxes, t)) {
        const index_t stride = one.stride * element;
        if (one.block > 1 && stride > std::max(run, line)) {
            runs *= real(one.block);
            on_lines = on_lines && stride % line == 0;
        } else {
            run += stride * (one.block - 1); // pieces that are closer than lines lie on the same
        }
        on_lines = on_lines && (one.block == one.extent || stride * one.block % line == 0);
    }
    on_lines = on_lines && run % line == 0;
    const base::lines_of_run of_run(real(run), real(element), real(line), on_lines);
    const double lines = t == D ? of_run.moved_by_writing() : of_run.touched;
    double count = 1; // boxes
    for (std::size_t k = 0; k < boxes.modes.size(); ++k)
        count *= real(boxes.modes[k].extent) / real(boxes.blocks[k]);
    return count * runs * lines * real(line);
}

double far_runs_of(const box_modes &boxes, tensor_id t, const cost_model &model) {
    double runs = 1;
    index_t adjacent = 1; // elements of a run
    for (const part_of_mode &one : parts_of_tensor(boxes, t)) {
        runs *= real(base::divide_up(one.extent, one.block));
        if (one.stride == adjacent)
            adjacent *= one.block;
        else if (model.is_far(one.stride))
            runs *= real(one.block);
    }
    return runs;
}

box_kind make_box_kind(const box_modes &boxes, const extents_t &extents, index_t element) {
    const std::vector<part> parts = parts_of(boxes, extents);
    box_kind kind;
    std::size_t in_run = 0;
    while (in_run < parts.size() && parts[in_run].stride[D] == kind.run)
        kind.run *= parts[in_run++].extent;
    for (std::size_t k = in_run; k < parts.size(); ++k)
        kind.loops.push_back({parts[k].extent, parts[k].stride});
    for (const tensor_id t : {A, B}) {
        box_input &input = kind.inputs[t];
        const auto is_walked_by = [&](index_t step) {
            for (std::size_t k = 0; k < in_run; ++k)
                if (parts[k].stride[t] != step * parts[k].stride[D])
                    return false;
            return true;
        };
        if (is_walked_by(1))
            input.step = 1;
        else if (is_walked_by(0))
            input.step = 0;
        else {
            const std::vector<index_t> in_copy = strides_in_copy(parts, in_run, t);
            input = copied_input(parts, in_copy, t, element);
            for (std::size_t k = in_run; k < parts.size(); ++k)
                kind.loops[k - in_run].stride[t] = in_copy[k];
        }
    }
    // The kernel takes the runs along the first loop in one call.
    if (!kind.loops.empty())
        std::iter_swap(kind.loops.begin(),
                       std::max_element(kind.loops.begin(), kind.loops.end(),
                                        [](const box_loop &x, const box_loop &y) {
                                            return x.extent < y.extent;
                                        }));
    return kind;
}

void list_lines(const box_modes &boxes, const extents_t &extents, index_t element, box_kind &kind) {
    const std::vector<part> parts = parts_of(boxes, extents);
    for (const tensor_id t : {A, B})
        add_lines(parts, t, element, kind.inputs[t].lines);
    add_lines(parts, D, element, kind.lines);
}

} // namespace tenfold::contract_impl
