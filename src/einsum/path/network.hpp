// An expression of any number of inputs as a tensor network: the set of labels of each tensor.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/operand.hpp>

namespace tenfold::einsum_impl {

/// A set of labels as a bit set of any size, since tensor networks may have more than 64 labels.
class label_set {
public:
    /// An empty set that can hold labels below `labels`.
    explicit label_set(std::size_t labels = 0) : words_((labels + 63) / 64) {}
    label_set(std::size_t labels, const std::vector<label_t> &members) : label_set(labels) {
        for (const label_t label : members)
            insert(label);
    }

    void insert(label_t label) { words_[word_of(label)] |= bit_of(label); }
    void erase(label_t label) { words_[word_of(label)] &= ~bit_of(label); }
    bool contains(label_t label) const { return (words_[word_of(label)] & bit_of(label)) != 0; }

    label_set &operator|=(const label_set &other) {
        for (std::size_t w = 0; w < words_.size(); ++w)
            words_[w] |= other.words_[w];
        return *this;
    }
    label_set &operator&=(const label_set &other) {
        for (std::size_t w = 0; w < words_.size(); ++w)
            words_[w] &= other.words_[w];
        return *this;
    }
    friend label_set operator|(label_set one, const label_set &other) { return one |= other; }

    /// Calls body(label) for every member, in ascending order.
    template <class Body> void for_each(Body &&body) const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for_each_bit(words_[w], w, body);
    }
    /// The same for every member of either set, without forming their union.
    template <class Body>
    static void for_each_of_either(const label_set &one, const label_set &other, Body &&body) {
        for (std::size_t w = 0; w < one.words_.size(); ++w)
            for_each_bit(one.words_[w] | other.words_[w], w, body);
    }

private:
    static std::size_t word_of(label_t label) { return static_cast<std::size_t>(label) / 64; }
    static std::uint64_t bit_of(label_t label) {
        return std::uint64_t{1} << (static_cast<unsigned>(label) % 64);
    }
    template <class Body> static void for_each_bit(std::uint64_t word, std::size_t w, Body &body) {
        for (; word != 0; word &= word - 1)
            body(static_cast<label_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
    }

    std::vector<std::uint64_t> words_;
};

/// Labels may occur in any number of operands (hyperedges). A label of one operand only that the
/// output lacks is summed within that operand.
struct network {
    std::vector<label_set> operands;
    label_set output;
    std::vector<index_t> extents; ///< by label
    path_steps path = {};         ///< the order that the caller wants; empty: the cheapest one

    std::size_t label_count() const noexcept { return extents.size(); }
    /// True if some label has extent 0, so that there is nothing to multiply.
    bool empty() const;
};

/// Checks the tensors of a contraction of many inputs, and collects their labels. Throws
/// errc::invalid_argument (the number of tensors differs from that of inputs, a label without a
/// name, a wrong path), unsupported, order_mismatch, extent_mismatch, unknown_label, type_mismatch,
/// overflow (bytes of one tensor). Messages name inputs as name_of_input() does. Pointers are
/// ignored, and repeated labels in the output are allowed. `computed`: empty for type_of_sums(D).
network make_network(const contraction_spec &spec, std::span<const input> inputs, const input &c,
                     const output &d, std::optional<data_type> computed = std::nullopt);

} // namespace tenfold::einsum_impl
