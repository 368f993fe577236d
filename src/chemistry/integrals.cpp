#include <array>
#include <string>

#include <tenfold/chem_integrals.hpp>
#include <tenfold/error.hpp>

namespace tenfold::chem {
namespace {

std::string text_of(const extents_t &values) {
    std::string text;
    for (const index_t one : values)
        text += (text.empty() ? "" : ", ") + std::to_string(one);
    return "(" + text + ")";
}

void check_block(const extents_t &first, const tensor_view<double> &block, index_t orbitals) {
    if (block.order() != 2 && block.order() != 4)
        throw error(errc::order_mismatch, "ordered_integrals::write: the block has " +
                                              std::to_string(block.order()) +
                                              " modes: expected 2 or 4");
    if (first.size() != block.shape().extents().size())
        throw error(errc::order_mismatch,
                    "ordered_integrals::write: the block has " + std::to_string(block.order()) +
                        " modes, and there are " + std::to_string(first.size()) +
                        " first orbitals: expected one for each mode");
    for (std::size_t mode = 0; mode < first.size(); ++mode) {
        const index_t extent = block.shape().extents()[mode];
        if (first[mode] < 0 || first[mode] > orbitals || extent > orbitals - first[mode])
            throw error(errc::extent_mismatch,
                        "ordered_integrals::write: block mode " + std::to_string(mode) +
                            " has extent " + std::to_string(extent) + " from orbital " +
                            std::to_string(first[mode]) + " of " + text_of(first) +
                            ", and there are " + std::to_string(orbitals) + " orbitals");
    }
    if (block.data() == nullptr && block.size() > 0)
        throw error(errc::null_pointer, "ordered_integrals::write: the block is null");
}

} // namespace

ordered_integrals::ordered_integrals(const integrals &all, std::vector<index_t> order)
    : all_(&all), order_(std::move(order)) {
    for (std::size_t p = 0; p < order_.size(); ++p)
        if (order_[p] < 0 || order_[p] >= all.orbitals)
            throw error(errc::invalid_argument, "ordered_integrals: orbital " + std::to_string(p) +
                                                    " is " + std::to_string(order_[p]) + " of " +
                                                    std::to_string(all.orbitals) +
                                                    ", which count from 0");
    pairs_.reserve(order_.size() * order_.size());
    for (const index_t q : order_)
        for (const index_t p : order_)
            pairs_.push_back(pair_index(p, q));
}

void ordered_integrals::write(const extents_t &first, const tensor_view<double> &block) const {
    check_block(first, block, orbitals());
    const extents_t &extents = block.shape().extents();
    const extents_t &strides = block.shape().strides();
    if (block.order() == 2) {
        for (index_t q = 0; q < extents[1]; ++q)
            for (index_t p = 0; p < extents[0]; ++p)
                block.data()[p * strides[0] + q * strides[1]] = h(first[0] + p, first[1] + q);
        return;
    }
    for (index_t s = 0; s < extents[3]; ++s)
        for (index_t r = 0; r < extents[2]; ++r) {
            const index_t rs = pairs_with(first[3] + s)[first[2] + r];
            for (index_t q = 0; q < extents[1]; ++q) {
                const index_t *pq = pairs_with(first[1] + q) + first[0];
                double *to = block.data() + q * strides[1] + r * strides[2] + s * strides[3];
                for (index_t p = 0; p < extents[0]; ++p)
                    to[p * strides[0]] = of_pairs(pq[p], rs);
            }
        }
}

} // namespace tenfold::chem
