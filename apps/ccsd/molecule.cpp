#include "molecule.hpp"

#include <algorithm>
#include <array>

#include "apps/mpi_session.hpp"

namespace tenfold::ccsd {
namespace {

using apps_impl::usage_error;

/// Looks integrals over active orbitals up.
class lookup {
public:
    lookup(const integral_list &list, const std::vector<index_t> &active)
        : list_(list), count_(active.size()) {
        pairs_.resize(count_ * count_);
        for (std::size_t q = 0; q < count_; ++q)
            for (std::size_t p = 0; p < count_; ++p)
                pairs_[p + q * count_] = pair_index(active[p], active[q]);
    }
    /// (pq|rs)
    double operator()(index_t p, index_t q, index_t r, index_t s) const noexcept {
        const index_t at = pair_index(pair(p, q), pair(r, s));
        return list_.two_electron[static_cast<std::size_t>(at)];
    }

private:
    index_t pair(index_t p, index_t q) const noexcept {
        return pairs_[static_cast<std::size_t>(p) + static_cast<std::size_t>(q) * count_];
    }
    const integral_list &list_;
    std::size_t count_;
    std::vector<index_t> pairs_;
};

/// Fills a tensor from the root, in slices of the last mode: value(position) is called there only.
/// Collective.
template <class Value> void fill_from_root(dist_tensor<double> &to, Value &&value) {
    constexpr index_t most_elements = index_t{1} << 23;
    const extents_t &extents = to.extents();
    const std::size_t last = extents.size() - 1;
    index_t row = 1;
    for (std::size_t mode = 0; mode < last; ++mode)
        row *= extents[mode];
    const index_t step = std::max<index_t>(1, most_elements / std::max<index_t>(1, row));
    const bool reads = to.owner().rank() == root;
    std::vector<double> buffer;
    apps_impl::agree(to.owner().comm(), [&] {
        if (reads)
            buffer.resize(static_cast<std::size_t>(row * std::min(step, extents[last])));
    });

    slice where{extents_t(extents.size(), 0), extents};
    for (index_t begin = 0; begin < extents[last]; begin += step) {
        where.offsets[last] = begin;
        where.extents[last] = std::min(step, extents[last] - begin);
        where.none = !reads;
        if (reads) {
            std::array<index_t, 4> at{};
            at[last] = begin;
            const index_t count = row * where.extents[last];
            for (index_t i = 0; i < count; ++i) {
                buffer[static_cast<std::size_t>(i)] = value(at);
                for (std::size_t mode = 0;
                     mode <= last && ++at[mode] == extents[mode] && mode < last; ++mode)
                    at[mode] = 0;
            }
        }
        to.write(where, tensor_view<const double>(buffer.data(), where.extents));
    }
}

using position = std::array<index_t, 4>;

/// c >= d of each pair.
std::vector<std::array<index_t, 2>> pair_table(index_t n) {
    std::vector<std::array<index_t, 2>> table;
    for (index_t c = 0; c < n; ++c)
        for (index_t d = 0; d <= c; ++d)
            table.push_back({c, d});
    return table;
}

void broadcast(const world &ranks, molecule &shared) {
    std::array<index_t, 3> counts{shared.orbitals, shared.occupied, shared.frozen};
    std::array<double, 3> energies{shared.constant, shared.hf_energy, shared.largest_coupling};
    MPI_Bcast(counts.data(), 3, MPI_INT64_T, root, ranks.comm());
    MPI_Bcast(energies.data(), 3, MPI_DOUBLE, root, ranks.comm());
    shared.orbitals = counts[0];
    shared.occupied = counts[1];
    shared.frozen = counts[2];
    shared.constant = energies[0];
    shared.hf_energy = energies[1];
    shared.largest_coupling = energies[2];
    const index_t size = shared.active() * shared.active();
    shared.fock.resize(static_cast<std::size_t>(size));
    // At most 4096 orbitals: 2^24 elements.
    MPI_Bcast(shared.fock.data(), static_cast<int>(size), MPI_DOUBLE, root, ranks.comm());
}

} // namespace

molecule_source::molecule_source(const world &ranks, const std::string &path, index_t frozen) {
    apps_impl::agree(ranks.comm(), [&] {
        if (ranks.rank() != root)
            return;
        list_ = read_fcidump(path);
        const reference_state reference = find_reference(list_);
        if (frozen > reference.occupied)
            throw usage_error("--frozen-core " + std::to_string(frozen) + ": '" + path + "' has " +
                              std::to_string(reference.occupied) + " occupied orbitals");
        shared_.orbitals = list_.orbitals;
        shared_.occupied = reference.occupied;
        shared_.frozen = frozen;
        shared_.constant = list_.constant;
        shared_.hf_energy = reference.energy;
        shared_.largest_coupling = reference.largest_coupling;
        active_.assign(reference.order.begin() + frozen, reference.order.end());
        for (index_t q = frozen; q < list_.orbitals; ++q)
            for (index_t p = frozen; p < list_.orbitals; ++p)
                shared_.fock.push_back(reference.f(p, q));
    });
    broadcast(ranks, shared_);
}

void molecule_source::make_blocks(tensor_set &tensors, block_choice choice) const {
    const index_t o = shared_.o();
    const index_t v = shared_.v();
    const lookup g(list_, active_);
    const auto fock = [&](const char *name, index_t rows, index_t columns, index_t p, index_t q) {
        fill_from_root(tensors.create(name, {rows, columns}),
                       [&](const position &at) { return shared_.f(p + at[0], q + at[1]); });
    };
    fock("foo", o, o, 0, 0);
    fock("fvo", v, o, o, 0);
    fock("fvv", v, v, o, o);

    // Classes of the four orbitals, as the name has them.
    const auto block = [&](const std::string &name) {
        extents_t extents;
        position first{};
        for (std::size_t mode = 0; mode < 4; ++mode) {
            extents.push_back(name[mode] == 'o' ? o : v);
            first[mode] = name[mode] == 'o' ? 0 : o;
        }
        fill_from_root(tensors.create(name, extents), [&](const position &at) {
            return g(first[0] + at[0], first[1] + at[1], first[2] + at[2], first[3] + at[3]);
        });
    };
    block("vovo");
    if (choice == block_choice::pair_energies)
        return;
    for (const char *name : {"oooo", "vooo", "vvoo", "vvvo"})
        block(name);

    const auto virtual_pairs = pair_table(v);
    const auto occupied_pairs = pair_table(o);
    const auto nv = static_cast<index_t>(virtual_pairs.size());
    const auto no = static_cast<index_t>(occupied_pairs.size());
    for (const double sign : {1.0, -1.0}) {
        const std::string suffix = sign > 0 ? "p" : "m";
        fill_from_root(tensors.create("V" + suffix, {nv, nv}), [&](const position &at) {
            const auto [a, b] = virtual_pairs[static_cast<std::size_t>(at[0])];
            const auto [c, d] = virtual_pairs[static_cast<std::size_t>(at[1])];
            const double half = c == d ? 0.5 : 1.0;
            return half * (g(o + a, o + c, o + b, o + d) + sign * g(o + a, o + d, o + b, o + c));
        });
        fill_from_root(tensors.create("G" + suffix, {no, nv}), [&](const position &at) {
            const auto [k, l] = occupied_pairs[static_cast<std::size_t>(at[0])];
            const auto [c, d] = virtual_pairs[static_cast<std::size_t>(at[1])];
            const double half = (c == d ? 0.5 : 1.0) * (k == l ? 0.5 : 1.0);
            return half * (g(k, o + c, l, o + d) + sign * g(k, o + d, l, o + c));
        });
    }
}

} // namespace tenfold::ccsd
