#include "apps/ccsd/molecule.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include <tenfold/chem_reference.hpp>
#include <tenfold/dist_operations.hpp>

#include "apps/ccsd/shared_reading.hpp"

namespace tenfold::ccsd {
namespace {

/// Computes elements of the tensors that make_blocks() makes, by name and position.
class block_values {
public:
    block_values(const chem::integrals &list, const molecule &system)
        : integrals_(list, system.places), system_(system) {}

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
    /// The first orbital of the class that a letter denotes.
    index_t first(char letter) const noexcept { return letter == 'v' ? system_.o() : 0; }

    void write_fock(const std::string &classes, const slice &part, double *to) const {
        for (index_t q = 0; q < part.extents[1]; ++q)
            for (index_t p = 0; p < part.extents[0]; ++p)
                *to++ = system_.f(first(classes[0]) + part.offsets[0] + p,
                                  first(classes[1]) + part.offsets[1] + q);
    }

    void write_integrals(const std::string &classes, const slice &part, double *to) const {
        extents_t begin = part.offsets;
        for (std::size_t mode = 0; mode < begin.size(); ++mode)
            begin[mode] += first(classes[mode]);
        integrals_.write(begin, tensor_view<double>(to, part.extents));
    }

    void write_ladder(double sign, const slice &part, double *to) const {
        const index_t o = system_.o();
        chem::orbital_pair column = chem::pair_at(part.offsets[1]);
        for (index_t j = 0; j < part.extents[1]; ++j, chem::advance(column)) {
            const double factor = column.p == column.q ? 0.5 : 1.0;
            const index_t *with_c = integrals_.pairs_with(o + column.p) + o;
            const index_t *with_d = integrals_.pairs_with(o + column.q) + o;
            chem::orbital_pair row = chem::pair_at(part.offsets[0]);
            for (index_t i = 0; i < part.extents[0]; ++i, chem::advance(row)) {
                const auto [a, b] = row;
                *to++ = factor * (integrals_.of_pairs(with_c[a], with_d[b]) +
                                  sign * integrals_.of_pairs(with_d[a], with_c[b]));
            }
        }
    }

    void write_hole_ladder(double sign, const slice &part, double *to) const {
        const index_t o = system_.o();
        chem::orbital_pair column = chem::pair_at(part.offsets[1]);
        for (index_t j = 0; j < part.extents[1]; ++j, chem::advance(column)) {
            const index_t *with_k = integrals_.pairs_with(column.p) + o;
            const index_t *with_l = integrals_.pairs_with(column.q) + o;
            chem::orbital_pair row = chem::pair_at(part.offsets[0]);
            for (index_t i = 0; i < part.extents[0]; ++i, chem::advance(row)) {
                const auto [c, d] = row;
                const double factor = (c == d ? 0.5 : 1.0) * (column.p == column.q ? 0.5 : 1.0);
                *to++ = factor * (integrals_.of_pairs(with_k[c], with_l[d]) +
                                  sign * integrals_.of_pairs(with_k[d], with_l[c]));
            }
        }
    }

    chem::ordered_integrals integrals_; ///< over active orbitals
    const molecule &system_;
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
    apps_impl::run_agreed(ranks, [&] {
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
            tenfold::broadcast(
                ranks, std::span(buffer).first(static_cast<std::size_t>(row * where.extents[last])),
                root);
        to.write(where, tensor_view<const double>(buffer.data(), where.extents));
    }
}

/// FNV-1a over the bits of the numbers, eight bytes at a time. Products carry upwards only, so that
/// the high bits are folded into the low ones.
std::uint64_t hash_of(const chem::integrals &list) {
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
    tenfold::broadcast(ranks, counts, root);
    tenfold::broadcast(ranks, energies, root);
    tenfold::broadcast(ranks, shared.integrals_hash, root);
    shared.orbitals = counts[0];
    shared.occupied = counts[1];
    shared.frozen = counts[2];
    shared.constant = energies[0];
    shared.hf_energy = energies[1];
    shared.largest_coupling = energies[2];
    tenfold::broadcast(ranks, shared.fock, root);
}

} // namespace

molecule_source::molecule_source(const world &ranks, const reading &how)
    : everywhere_(how.everywhere || ranks.size() == 1),
      list_(ccsd::read_fcidump(ranks, how.path, everywhere_)) {
    apps_impl::run_agreed(ranks, [&] {
        shared_.places.resize(static_cast<std::size_t>(list_.orbitals - how.frozen));
        if (ranks.rank() != root)
            return;
        const chem::closed_shell reference = chem::find_closed_shell(list_);
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
    tenfold::broadcast(ranks, shared_.places, root);
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
        all.emplace_back(std::string("V") + suffix,
                         extents_t{chem::pair_count(v), chem::pair_count(v)});
        all.emplace_back(std::string("G") + suffix,
                         extents_t{chem::pair_count(v), chem::pair_count(o)});
    }
    return all;
}

index_t fill_buffer_elements(const extents_t &extents) {
    const fill_step size(extents);
    return size.row * size.step;
}

void molecule_source::make_blocks(tensor_set &tensors, block_choice choice) const {
    const block_values values(list_, shared_);
    for (const auto &[name, extents] : block_extents(shared_.o(), shared_.v(), choice)) {
        dist_tensor<double> &block = tensors.create(name, extents);
        if (everywhere_)
            values.write(name, block.local_slice(), block.data());
        else
            fill_from_root(tensors, values, name, block);
    }
}

} // namespace tenfold::ccsd
