#include "molecule.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "apps/mpi_session.hpp"

namespace tenfold::ccsd {
namespace {

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

/// How many elements of the last mode are filled at a time, and of the others.
struct fill_step {
    index_t row = 1;
    index_t step = 1;

    explicit fill_step(const extents_t &extents) {
        constexpr index_t most_elements = index_t{1} << 20;
        for (std::size_t mode = 0; mode + 1 < extents.size(); ++mode)
            row *= extents[mode];
        step = std::min(extents.back(),
                        std::max<index_t>(1, most_elements / std::max<index_t>(1, row)));
    }
};

/// Fills a tensor from the root, in slices of the last mode: value(position) is called there only.
/// Collective.
template <class Value> void fill_from_root(tensor_set &tensors, const std::string &name,
                                           const extents_t &extents, Value &&value) {
    dist_tensor<double> &to = tensors.create(name, extents);
    const std::size_t last = extents.size() - 1;
    const auto [row, step] = fill_step(extents);
    const auto held =
        tensors.hold(fill_buffer_elements(extents) * static_cast<index_t>(sizeof(double)));
    const bool reads = to.owner().rank() == root;
    std::vector<double> buffer;
    apps_impl::agree(to.owner().comm(), [&] {
        if (reads)
            buffer.resize(static_cast<std::size_t>(fill_buffer_elements(extents)));
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

/// FNV-1a over the numbers' bits, eight bytes at a time and folded, since its products carry
/// upwards only.
std::uint64_t hash_of(const integral_list &list) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto add = [&](double x) {
        hash ^= std::bit_cast<std::uint64_t>(x + 0.0); // -0 is 0
        hash *= 0x100000001b3U;
        hash ^= hash >> 32;
    };
    add(static_cast<double>(list.electrons));
    add(list.constant);
    for (const std::vector<double> *part : {&list.one_electron, &list.two_electron})
        for (const double x : *part)
            add(x);
    return hash;
}

void broadcast(const world &ranks, molecule &shared) {
    std::array<index_t, 3> counts{shared.orbitals, shared.occupied, shared.frozen};
    std::array<double, 3> energies{shared.constant, shared.hf_energy, shared.largest_coupling};
    MPI_Bcast(counts.data(), 3, MPI_INT64_T, root, ranks.comm());
    MPI_Bcast(energies.data(), 3, MPI_DOUBLE, root, ranks.comm());
    MPI_Bcast(&shared.integrals_hash, 1, MPI_UINT64_T, root, ranks.comm());
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
        shared_.orbitals = list_.orbitals;
        shared_.occupied = reference.occupied;
        shared_.frozen = frozen;
        shared_.integrals_hash = hash_of(list_);
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

std::vector<std::pair<std::string, extents_t>> block_extents(index_t o, index_t v,
                                                             block_choice choice) {
    std::vector<std::pair<std::string, extents_t>> all{
        {"foo", {o, o}}, {"fvo", {v, o}}, {"fvv", {v, v}}, {"vovo", {v, o, v, o}}};
    if (choice == block_choice::pair_energies)
        return all;
    for (const char *name : {"oooo", "vooo", "vvoo", "vvvo"}) {
        extents_t extents;
        for (const char *c = name; *c != '\0'; ++c)
            extents.push_back(*c == 'o' ? o : v);
        all.emplace_back(name, extents);
    }
    for (const char *suffix : {"p", "m"}) {
        all.emplace_back(std::string("V") + suffix, extents_t{pair_count(v), pair_count(v)});
        all.emplace_back(std::string("G") + suffix, extents_t{pair_count(v), pair_count(o)});
    }
    return all;
}

index_t fill_buffer_elements(const extents_t &extents) {
    const fill_step size(extents);
    return size.row * size.step;
}

void molecule_source::make_blocks(tensor_set &tensors, block_choice choice) const {
    const index_t o = shared_.o();
    const lookup g(list_, active_);
    const auto virtual_pairs = pair_table(shared_.v());
    const auto occupied_pairs = pair_table(o);
    for (const auto &[block, extents] : block_extents(o, shared_.v(), choice)) {
        const std::string &name = block;
        const double sign = name.back() == 'p' ? 1 : -1;
        // Where the classes of the orbitals begin that a lower-case name consists of.
        position first{};
        for (std::size_t mode = 0; mode < extents.size(); ++mode)
            first[mode] = name[name.size() - extents.size() + mode] == 'v' ? o : 0;
        if (name.front() == 'f')
            fill_from_root(tensors, name, extents, [&](const position &at) {
                return shared_.f(first[0] + at[0], first[1] + at[1]);
            });
        else if (name.front() == 'V')
            fill_from_root(tensors, name, extents, [&](const position &at) {
                const auto [a, b] = virtual_pairs[static_cast<std::size_t>(at[0])];
                const auto [c, d] = virtual_pairs[static_cast<std::size_t>(at[1])];
                const double half = c == d ? 0.5 : 1.0;
                return half *
                       (g(o + a, o + c, o + b, o + d) + sign * g(o + a, o + d, o + b, o + c));
            });
        else if (name.front() == 'G')
            fill_from_root(tensors, name, extents, [&](const position &at) {
                const auto [c, d] = virtual_pairs[static_cast<std::size_t>(at[0])];
                const auto [k, l] = occupied_pairs[static_cast<std::size_t>(at[1])];
                const double half = (c == d ? 0.5 : 1.0) * (k == l ? 0.5 : 1.0);
                return half * (g(k, o + c, l, o + d) + sign * g(k, o + d, l, o + c));
            });
        else
            fill_from_root(tensors, name, extents, [&](const position &at) {
                return g(first[0] + at[0], first[1] + at[1], first[2] + at[2], first[3] + at[3]);
            });
    }
}

} // namespace tenfold::ccsd
