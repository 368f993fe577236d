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
    }
    /// Gathers `from` into `whole`, which is whole on this rank.
    part(tensor_set &tensors, const dist_tensor<double> &from, dist_tensor<double> &whole)
        : box_(whole.local_slice()), data_(whole.data()) {
        const auto messages = tensors.hold(gather_bytes(from.distribution()));
        gather_whole(from, whole.data());
    }
    chem::placed_block<const double> block() const { return {box_.offsets, {data_, box_.extents}}; }

private:
    slice box_;
    std::optional<tensor<double>> copy_;
    tensor_set::held held_;
    const double *data_ = nullptr;
};

/// The slice that a rank without elements reads.
slice nothing(std::size_t order) { return {extents_t(order, 0), extents_t(order, 0), true}; }

double total_bytes(const dist_tensor<double> &tensor) {
    return static_cast<double>(layout(tensor.extents()).size()) * sizeof(double);
}

} // namespace

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

void pack_pairs(tensor_set &tensors, const std::string &from, const std::string &plus,
                const std::string &minus, bool half_diagonal) {
    const dist_tensor<double> &source = tensors[from];
    const extents_t extents{chem::pair_count(source.extents().at(0)),
                            chem::pair_count(source.extents().at(2))};
    dist_tensor<double> &symmetric = tensors.create(plus, extents);
    dist_tensor<double> &antisymmetric = tensors.create(minus, extents);

    const slice own = symmetric.local_slice(); // that of the other tensor is the same
    const part x(tensors, source, packed_from(own));
    if (!own.empty())
        chem::pack_pair_matrices(x.block(), {own.offsets, symmetric.local()},
                                 {own.offsets, antisymmetric.local()}, half_diagonal);
}

void unpack_pairs(tensor_set &tensors, const std::string &to, const std::string &plus,
                  const std::string &minus, const std::vector<std::string> &buffers) {
    dist_tensor<double> &target = tensors[to];
    const slice own = target.local_slice();
    const bool gathers = tensors.ranks().size() > 1 && buffers.size() == 2 &&
                         tensors[buffers[0]].owner().size() == 1;
    const auto read = [&](const std::string &pairs, std::size_t buffer) {
        return gathers ? part(tensors, tensors[pairs], tensors[buffers[buffer]])
                       : part(tensors, tensors[pairs], unpacked_from(own));
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
