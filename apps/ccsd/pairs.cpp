#include "apps/ccsd/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <vector>

#include <tenfold/error.hpp>

#include "apps/ccsd/amplitudes.hpp"
#include "apps/ccsd/fcidump.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

/// Computes p >= q from the index of a pair.
struct pair {
    index_t p = 0;
    index_t q = 0;

    explicit pair(index_t at)
        : p(static_cast<index_t>((std::sqrt(8.0 * static_cast<double>(at) + 1) - 1) / 2)) {
        while (p * (p + 1) / 2 > at)
            --p;
        while ((p + 1) * (p + 2) / 2 <= at)
            ++p;
        q = at - p * (p + 1) / 2;
    }
    void next() noexcept {
        if (++q > p) {
            ++p;
            q = 0;
        }
    }
};

/// A part of a tensor on this rank: a view if the rank has all of it, else a copy. Collective.
class part {
public:
    part(tensor_set &tensors, const dist_tensor<double> &from, slice wanted)
        : box_(std::move(wanted)) {
        if (from.owner().size() > 1) {
            copy_.emplace(from.read(box_));
            held_ = tensors.hold(copy_->size() * word);
            data_ = copy_->data();
        } else {
            data_ = from.data();
            box_ = from.local_slice();
        }
        set_strides();
    }
    /// Gathers `from` into `whole`, which is whole on this rank.
    part(const dist_tensor<double> &from, dist_tensor<double> &whole, dist_tensor<double> &scratch)
        : box_(whole.local_slice()), data_(whole.data()) {
        gather_blocks(from, whole.data(), scratch.data());
        set_strides();
    }
    const double *at(std::initializer_list<index_t> position) const noexcept {
        index_t offset = 0;
        std::size_t mode = 0;
        for (const index_t one : position) {
            offset += (one - box_.offsets[mode]) * strides_[mode];
            ++mode;
        }
        return data_ + offset;
    }
    index_t stride(std::size_t mode) const noexcept { return strides_[mode]; }

private:
    void set_strides() {
        index_t stride = 1;
        for (const index_t extent : box_.extents) {
            strides_.push_back(stride);
            stride *= extent;
        }
    }

    slice box_;
    std::optional<tensor<double>> copy_;
    tensor_set::held held_;
    const double *data_ = nullptr;
    extents_t strides_;
};

/// The slice that a rank without elements reads.
slice nothing(std::size_t order) { return {extents_t(order, 0), extents_t(order, 0), true}; }

/// The smallest upper bound so that pairs [begin, begin + count) have p < upper.
index_t upper_end(index_t begin, index_t count) { return pair(begin + count - 1).p + 1; }

double total_bytes(const dist_tensor<double> &tensor) {
    return static_cast<double>(layout(tensor.extents()).size()) * sizeof(double);
}

} // namespace

slice packed_from(const slice &own) {
    if (own.empty())
        return nothing(4);
    const index_t p_end = upper_end(own.offsets[0], own.extents[0]);
    const index_t r_begin = pair(own.offsets[1]).p;
    const index_t r_end = upper_end(own.offsets[1], own.extents[1]);
    return {{0, 0, r_begin, 0}, {p_end, p_end, r_end - r_begin, r_end}};
}

slice unpacked_from(const slice &own) {
    if (own.empty())
        return nothing(2);
    slice result;
    for (const std::size_t mode : {std::size_t{0}, std::size_t{2}}) {
        // The pairs with one label in each of two ranges.
        const index_t first = own.offsets[mode];
        const index_t second = own.offsets[mode + 1];
        const index_t end = std::max(first + own.extents[mode], second + own.extents[mode + 1]);
        result.offsets.push_back(pair_index(first, second));
        result.extents.push_back(pair_count(end) - result.offsets.back());
    }
    return result;
}

void pack_pairs(tensor_set &tensors, const std::string &from, const std::string &plus,
                const std::string &minus, bool half_diagonal) {
    const dist_tensor<double> &source = tensors[from];
    const extents_t extents{pair_count(source.extents().at(0)), pair_count(source.extents().at(2))};
    dist_tensor<double> &symmetric = tensors.create(plus, extents);
    dist_tensor<double> &antisymmetric = tensors.create(minus, extents);

    const slice own = symmetric.local_slice(); // that of the other tensor is the same
    const part x(tensors, source, packed_from(own));
    if (own.empty())
        return;

    double *to_plus = symmetric.data();
    double *to_minus = antisymmetric.data();
    const index_t across = x.stride(1);
    const double diagonal = half_diagonal ? 0.5 : 1.0;
    pair column(own.offsets[1]);
    for (index_t j = 0; j < own.extents[1]; ++j, column.next()) {
        pair row(own.offsets[0]);
        for (index_t left = own.extents[0]; left > 0;) {
            // A row p of the triangle, or this rank's part: x[p,q] is strided, x[q,p] contiguous.
            const index_t run = std::min(left, row.p - row.q + 1);
            const double *far = x.at({row.p, row.q, column.p, column.q});
            const double *dense = x.at({row.q, row.p, column.p, column.q});
            for (index_t i = 0; i < run; ++i) {
                to_plus[i] = far[i * across] + dense[i];
                to_minus[i] = far[i * across] - dense[i];
            }
            if (row.q + run == row.p + 1)
                to_plus[run - 1] *= diagonal; // minus is 0 on the diagonal
            to_plus += run;
            to_minus += run;
            left -= run;
            row.q += run - 1;
            row.next();
        }
    }
}

void unpack_pairs(tensor_set &tensors, const std::string &to, const std::string &plus,
                  const std::string &minus, const std::vector<std::string> &buffers) {
    dist_tensor<double> &target = tensors[to];
    const slice own = target.local_slice();
    const bool gathers = tensors.ranks().size() > 1 && buffers.size() == 3 &&
                         tensors[buffers[0]].owner().size() == 1;
    const auto read = [&](const std::string &pairs, std::size_t buffer) {
        return gathers ? part(tensors[pairs], tensors[buffers[buffer]], tensors[buffers[2]])
                       : part(tensors, tensors[pairs], unpacked_from(own));
    };
    const part x = read(plus, 0);
    const part y = read(minus, 1);

    double *out = target.data();
    const auto end = [&](std::size_t mode) { return own.offsets[mode] + own.extents[mode]; };
    for (index_t s = own.offsets[3]; s < end(3); ++s)
        for (index_t r = own.offsets[2]; r < end(2); ++r) {
            const index_t column = pair_index(r, s);
            const double flipped = r >= s ? 0.5 : -0.5;
            for (index_t q = own.offsets[1]; q < end(1); ++q) {
                index_t p = own.offsets[0];
                const index_t middle = std::min(std::max(p, q), end(0));
                if (p < middle) { // p < q: the pairs (q, p) are contiguous
                    const double *u = x.at({pair_index(q, p), column});
                    const double *w = y.at({pair_index(q, p), column});
                    for (; p < middle; ++p)
                        *out++ += 0.5 * *u++ - flipped * *w++;
                }
                for (; p < end(0); ++p) {
                    const index_t row = pair_index(p, q);
                    *out++ += 0.5 * *x.at({row, column}) + flipped * *y.at({row, column});
                }
            }
        }
}

pair_line parse_pair_line(const std::string &line) {
    pair_line result;
    std::string spaced = line;
    for (char &c : spaced)
        if (c == ',')
            c = ' ';
    const std::string through = " through ";
    if (const std::size_t at = spaced.find(through); at != std::string::npos) {
        std::istringstream names(spaced.substr(at + through.size()));
        for (std::string name; names >> name;)
            result.buffers.push_back(name);
        spaced.resize(at);
    }
    std::istringstream words(spaced);
    std::string sign;
    words >> result.command;
    if (result.command == "pack")
        words >> result.plus >> result.minus >> sign >> result.whole;
    else if (result.command == "unpack")
        words >> result.whole >> sign >> result.plus >> result.minus;
    else if (result.command == "gather" || result.command == "flip")
        words >> result.plus >> sign >> result.whole;
    else if (result.command == "send")
        words >> result.whole;
    else if (result.command != "combine")
        return {};
    result.half_diagonal = line.ends_with("half the diagonal");
    return result;
}

void run_line(tensor_set &tensors, const std::string &line) {
    const pair_line parts = parse_pair_line(line);
    if (parts.command.empty()) {
        tensors.run(line);
        return;
    }
    if (parts.command == "gather") {
        tensors.gather(parts.plus, parts.whole, parts.buffers.empty() ? "" : parts.buffers[0]);
        return;
    }
    if (parts.command == "send") {
        tensors.send_flipped(parts.whole, parts.buffers.at(0), parts.buffers.at(1));
        return;
    }
    if (parts.command == "flip") {
        tensors.add_flipped(parts.plus, parts.whole);
        return;
    }
    const apps_impl::stopwatch watch;
    if (parts.command == "combine") {
        combine_amplitudes(tensors);
        if (combines_at_once(tensors.where())) // else its lines have been counted
            tensors.charge(line, watch.seconds(), 3 * total_bytes(tensors["T2_all"]));
        return;
    }
    double whole_passes = 1;
    if (parts.command == "pack") {
        pack_pairs(tensors, parts.whole, parts.plus, parts.minus, parts.half_diagonal);
    } else {
        unpack_pairs(tensors, parts.whole, parts.plus, parts.minus, parts.buffers);
        whole_passes = 2; // read and written
    }
    tensors.charge(line, watch.seconds(),
                   whole_passes * total_bytes(tensors[parts.whole]) +
                       2 * total_bytes(tensors[parts.plus]));
}

} // namespace tenfold::ccsd
