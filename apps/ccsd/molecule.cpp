#include "apps/ccsd/molecule.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "apps/ccsd/reference.hpp"
#include "apps/common/mpi_session.hpp"

namespace tenfold::ccsd {
namespace {

/// Computes elements of the tensors that make_blocks() makes, by name and position.
class block_values {
public:
    block_values(const integral_list &list, const std::vector<index_t> &active,
                 const molecule &system)
        : list_(list), system_(system), count_(active.size()), virtual_pairs_(pairs_of(system.v())),
          occupied_pairs_(pairs_of(system.o())) {
        pairs_.resize(count_ * count_);
        for (std::size_t q = 0; q < count_; ++q)
            for (std::size_t p = 0; p < count_; ++p)
                pairs_[p + q * count_] = pair_index(active[p], active[q]);
    }

    /// Writes a part of the tensor, dense.
    void write(const std::string &name, const slice &part, double *to) const {
        if (part.empty())
            return;
        if (name.front() == 'V')
            write_ladder(name.back() == 'p' ? 1 : -1, part, to);
        else if (name.front() == 'G')
            write_hole_ladder(name.back() == 'p' ? 1 : -1, part, to);
        else if (name.front() == 'f')
            write_fock(name.substr(1), part, to);
        else
            write_integrals(name, part, to);
    }

private:
    struct orbital_pair {
        index_t p;
        index_t q;
    };
    /// p >= q
    static std::vector<orbital_pair> pairs_of(index_t n) {
        std::vector<orbital_pair> table;
        for (index_t p = 0; p < n; ++p)
            for (index_t q = 0; q <= p; ++q)
                table.push_back({p, q});
        return table;
    }
    static const orbital_pair &at(const std::vector<orbital_pair> &table, index_t place) {
        return table[static_cast<std::size_t>(place)];
    }

    /// The places of the pairs (p, q) for all p.
    const index_t *pairs_with(index_t q) const noexcept {
        return pairs_.data() + static_cast<std::size_t>(q) * count_;
    }
    double integral(index_t pq, index_t rs) const noexcept {
        const index_t high = std::max(pq, rs);
        return list_
            .two_electron[static_cast<std::size_t>(high * (high + 1) / 2 + std::min(pq, rs))];
    }
    /// The first orbital of the class that a letter denotes.
    index_t first(char letter) const noexcept { return letter == 'v' ? system_.o() : 0; }

    void write_fock(const std::string &classes, const slice &part, double *to) const {
        for (index_t q = 0; q < part.extents[1]; ++q)
            for (index_t p = 0; p < part.extents[0]; ++p)
                *to++ = system_.f(first(classes[0]) + part.offsets[0] + p,
                                  first(classes[1]) + part.offsets[1] + q);
    }

    void write_integrals(const std::string &classes, const slice &part, double *to) const {
        std::array<index_t, 4> begin{};
        for (std::size_t mode = 0; mode < 4; ++mode)
            begin[mode] = first(classes[mode]) + part.offsets[mode];
        for (index_t s = 0; s < part.extents[3]; ++s)
            for (index_t r = 0; r < part.extents[2]; ++r) {
                const index_t rs = pairs_with(begin[3] + s)[begin[2] + r];
                for (index_t q = 0; q < part.extents[1]; ++q) {
                    const index_t *pairs = pairs_with(begin[1] + q) + begin[0];
                    for (index_t p = 0; p < part.extents[0]; ++p)
                        *to++ = integral(pairs[p], rs);
                }
            }
    }

    void write_ladder(double sign, const slice &part, double *to) const {
        const index_t o = system_.o();
        for (index_t column = 0; column < part.extents[1]; ++column) {
            const auto [c, d] = at(virtual_pairs_, part.offsets[1] + column);
            const double factor = c == d ? 0.5 : 1.0;
            const index_t *with_c = pairs_with(o + c) + o;
            const index_t *with_d = pairs_with(o + d) + o;
            for (index_t row = 0; row < part.extents[0]; ++row) {
                const auto [a, b] = at(virtual_pairs_, part.offsets[0] + row);
                *to++ = factor *
                        (integral(with_c[a], with_d[b]) + sign * integral(with_d[a], with_c[b]));
            }
        }
    }

    void write_hole_ladder(double sign, const slice &part, double *to) const {
        const index_t o = system_.o();
        for (index_t column = 0; column < part.extents[1]; ++column) {
            const auto [k, l] = at(occupied_pairs_, part.offsets[1] + column);
            const index_t *with_k = pairs_with(k) + o;
            const index_t *with_l = pairs_with(l) + o;
            for (index_t row = 0; row < part.extents[0]; ++row) {
                const auto [c, d] = at(virtual_pairs_, part.offsets[0] + row);
                const double factor = (c == d ? 0.5 : 1.0) * (k == l ? 0.5 : 1.0);
                *to++ = factor *
                        (integral(with_k[c], with_l[d]) + sign * integral(with_k[d], with_l[c]));
            }
        }
    }

    const integral_list &list_;
    const molecule &system_;
    std::size_t count_;
    std::vector<index_t> pairs_; ///< of active orbitals
    std::vector<orbital_pair> virtual_pairs_;
    std::vector<orbital_pair> occupied_pairs_;
};

/// A step fills `step` indices of the last mode, and for each of them all `row` elements of the
/// other modes: about 2^20 elements together.
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

/// Fills a tensor from the root, which alone has the values, in slices of the last mode.
/// Collective.
void fill_from_root(tensor_set &tensors, const block_values &values, const std::string &name,
                    dist_tensor<double> &to) {
    const extents_t &extents = to.extents();
    const std::size_t last = extents.size() - 1;
    const auto [row, step] = fill_step(extents);
    const auto held = tensors.hold(fill_buffer_elements(extents) * word);
    const world &ranks = tensors.ranks();
    const bool reads = ranks.rank() == root;
    const bool whole = to.owner().size() < ranks.size(); // whole on each rank
    std::vector<double> buffer;
    apps_impl::agree(ranks.comm(), [&] {
        if (reads || whole)
            buffer.resize(static_cast<std::size_t>(fill_buffer_elements(extents)));
    });

    slice where{extents_t(extents.size(), 0), extents};
    for (index_t begin = 0; begin < extents[last]; begin += step) {
        where.offsets[last] = begin;
        where.extents[last] = std::min(step, extents[last] - begin);
        where.none = !reads && !whole;
        if (reads)
            values.write(name, where, buffer.data());
        if (whole)
            MPI_Bcast(buffer.data(), static_cast<int>(row * where.extents[last]), MPI_DOUBLE, root,
                      ranks.comm());
        to.write(where, tensor_view<const double>(buffer.data(), where.extents));
    }
}

/// FNV-1a over the bits of the numbers, eight bytes at a time. Products carry upwards only, so that
/// the high bits are folded into the low ones.
std::uint64_t hash_of(const integral_list &list) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto add = [&](double x) {
        hash ^= std::bit_cast<std::uint64_t>(x + 0.0); // maps -0 to 0
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
    // At most 4096 orbitals, so that the count is at most 2^24.
    MPI_Bcast(shared.fock.data(), static_cast<int>(size), MPI_DOUBLE, root, ranks.comm());
}

} // namespace

molecule_source::molecule_source(const world &ranks, const reading &how)
    : everywhere_(how.everywhere || ranks.size() == 1),
      list_(read_fcidump(ranks, how.path, everywhere_)) {
    apps_impl::agree(ranks.comm(), [&] {
        shared_.places.resize(static_cast<std::size_t>(list_.orbitals - how.frozen));
        if (ranks.rank() != root)
            return;
        const reference_state reference = find_reference(list_);
        shared_.orbitals = list_.orbitals;
        shared_.occupied = reference.occupied;
        shared_.frozen = how.frozen;
        if (how.hashes)
            shared_.integrals_hash = hash_of(list_);
        shared_.constant = list_.constant;
        shared_.hf_energy = reference.energy;
        shared_.largest_coupling = reference.largest_coupling;
        shared_.places.assign(reference.order.begin() + how.frozen, reference.order.end());
        for (index_t q = how.frozen; q < list_.orbitals; ++q)
            for (index_t p = how.frozen; p < list_.orbitals; ++p)
                shared_.fock.push_back(reference.f(p, q));
    });
    broadcast(ranks, shared_);
    MPI_Bcast(shared_.places.data(), static_cast<int>(shared_.places.size()), MPI_INT64_T, root,
              ranks.comm());
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
    const block_values values(list_, shared_.places, shared_);
    for (const auto &[name, extents] : block_extents(shared_.o(), shared_.v(), choice)) {
        dist_tensor<double> &block = tensors.create(name, extents);
        if (everywhere_)
            values.write(name, block.local_slice(), block.data());
        else
            fill_from_root(tensors, values, name, block);
    }
}

} // namespace tenfold::ccsd
