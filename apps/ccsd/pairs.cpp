#include "apps/ccsd/pairs.hpp"

#include <optional>
#include <sstream>
#include <vector>

#include <tenfold/chem_pairs.hpp>

#include "apps/ccsd/amplitudes.hpp"
#include "apps/ccsd/moves.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

/// A part of a tensor on this rank: a view if the rank has all of it, else a copy. Collective.
class part {
public:
    part(const dist_tensor<double> &from, slice wanted) : box_(std::move(wanted)) {
        if (from.owner().size() > 1) {
            copy_.emplace(from.read(box_));
            data_ = copy_->data();
        } else {
            data_ = from.data();
            box_ = from.local_slice();
        }
    }
    /// Gathers `from` into `whole`, which is whole on this rank.
    part(const dist_tensor<double> &from, dist_tensor<double> &whole)
        : box_(whole.local_slice()), data_(whole.data()) {
        gather_whole(from, whole.data());
    }
    chem::placed_block<const double> block() const { return {box_.offsets, {data_, box_.extents}}; }

private:
    slice box_;
    std::optional<tensor<double>> copy_;
    const double *data_ = nullptr;
};

/// The slice that a rank without elements reads.
slice nothing(std::size_t order) { return {extents_t(order, 0), extents_t(order, 0), true}; }

double total_bytes(const dist_tensor<double> &tensor) {
    return static_cast<double>(layout(tensor.extents()).size()) * sizeof(double);
}

/// packed_from(): the slice of X that pack_pairs() reads to make the slice `own` of the pairs.
/// unpacked_from(): the slice of each of the pairs' tensors that unpack_pairs() reads to make `own`
/// of X.
slice packed_from(const slice &own) {
    if (own.empty())
        return nothing(4);
    const chem::pair_box from = chem::packed_from({own.offsets, own.extents});
    return {from.offsets, from.extents};
}

slice unpacked_from(const slice &own) {
    if (own.empty())
        return nothing(2);
    const chem::pair_box from = chem::unpacked_from({own.offsets, own.extents});
    return {from.offsets, from.extents};
}

} // namespace

void pack_pairs(tensor_set &tensors, const std::string &from, const std::string &plus,
                const std::string &minus, bool half_diagonal) {
    const extents_t whole = tensors.extents_of(from);
    for (const std::string &pairs : {plus, minus})
        tensors.make(pairs, {chem::pair_count(whole.at(0)), chem::pair_count(whole.at(2))});
    if (!tensors.is_whole(from))
        tensors.note(word * tensors.of_block(
                                plus, [](const slice &own) { return packed_from(own).size(); }));
    if (tensors.is_dry())
        return;

    dist_tensor<double> &symmetric = tensors[plus];
    dist_tensor<double> &antisymmetric = tensors[minus];
    const slice own = symmetric.local_slice(); // that of the other tensor is the same
    const part x(tensors[from], packed_from(own));
    if (!own.empty())
        chem::pack_pair_matrices(x.block(), {own.offsets, symmetric.local()},
                                 {own.offsets, antisymmetric.local()}, half_diagonal);
}

void unpack_pairs(tensor_set &tensors, const std::string &to, const std::string &plus,
                  const std::string &minus, const std::vector<std::string> &buffers) {
    const bool gathers = buffers.size() == 2 && tensors.is_replicated(buffers[0]);
    if (gathers)
        for (const std::string &pairs : {plus, minus})
            tensors.note(gather_bytes(tensors.spread_of(pairs)));
    else if (!tensors.is_whole(plus))
        tensors.note(2 * word * tensors.of_block(to, [](const slice &own) {
            return unpacked_from(own).size();
        }));
    if (tensors.is_dry())
        return;

    dist_tensor<double> &target = tensors[to];
    const slice own = target.local_slice();
    const auto read = [&](const std::string &pairs, std::size_t buffer) {
        return gathers ? part(tensors[pairs], tensors[buffers[buffer]])
                       : part(tensors[pairs], unpacked_from(own));
    };
    const part x = read(plus, 0);
    const part y = read(minus, 1);
    if (!own.empty())
        chem::unpack_pair_matrices(x.block(), y.block(), {own.offsets, target.local()});
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
    else if (result.command != "combine")
        return {};
    result.half_diagonal = line.ends_with("half the diagonal");
    return result;
}

std::vector<std::string> written_by(const std::string &line) {
    const pair_line parts = parse_pair_line(line);
    if (parts.command.empty())
        return {parse(line).operand_names.back()};
    if (parts.command == "combine")
        return {"tau", "u"};
    if (parts.command == "pack")
        return {parts.plus, parts.minus};
    return {parts.command == "unpack" ? parts.whole : parts.plus};
}

void run_line(tensor_set &tensors, const std::string &line) {
    const pair_line parts = parse_pair_line(line);
    if (parts.command.empty()) {
        tensors.run(line);
        return;
    }
    if (parts.command == "gather") {
        tensors.gather(parts.plus, parts.whole);
        return;
    }
    if (parts.command == "flip") {
        tensors.add_flipped(parts.plus, parts.whole);
        return;
    }
    const apps_impl::stopwatch watch;
    if (parts.command == "combine") {
        combine_amplitudes(tensors);
        if (combines_at_once(tensors.where()) && !tensors.is_dry()) // else its lines are counted
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
    if (tensors.is_dry())
        return;
    tensors.charge(line, watch.seconds(),
                   whole_passes * total_bytes(tensors[parts.whole]) +
                       2 * total_bytes(tensors[parts.plus]));
}

} // namespace tenfold::ccsd
