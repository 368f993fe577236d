#include "apps/ccsd/checkpoint.hpp"

#include <algorithm>
#include <deque>

#include <tenfold/dist_files.hpp>

#include "apps/common/program.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

constexpr double format_version = 1;
/// Names of tensors in the file besides T1, T2 and those of diis::stored_names().
constexpr const char *identity_name = "tenfold-ccsd";
constexpr const char *iterations_name = "iterations";
constexpr const char *products_name = "diis_products";
constexpr const char *energies_name = "triples_energies";
constexpr const char *done_name = "triples_done";

/// The properties that must agree for amplitudes to be usable, as numbers that doubles hold
/// exactly.
struct identity {
    double version = format_version;
    double orbitals = 0;
    double occupied = 0;
    double frozen = 0;
    double integrals_high = 0; ///< 32 bits of the hash
    double integrals_low = 0;

    static constexpr index_t size = 6;
    static identity of(const molecule &system) {
        return {format_version,
                static_cast<double>(system.orbitals),
                static_cast<double>(system.occupied),
                static_cast<double>(system.frozen),
                static_cast<double>(system.integrals_hash >> 32),
                static_cast<double>(system.integrals_hash & 0xffffffffU)};
    }
    std::vector<double> numbers() const {
        return {version, orbitals, occupied, frozen, integrals_high, integrals_low};
    }
    std::string counts() const {
        const auto whole = [](double x) { return std::to_string(static_cast<index_t>(x)); };
        return whole(orbitals) + " orbitals, " + whole(occupied) + " occupied, " + whole(frozen) +
               " frozen";
    }
};

/// Stores numbers that all ranks have as a tensor on the root. Collective.
dist_tensor<double> as_tensor(const world &ranks, const extents_t &extents,
                              const std::vector<double> &numbers) {
    dist_tensor<double> made(ranks, extents, distribution::on_rank(extents, ranks.size(), root));
    made.fill([&](const extents_t &, tensor_view<double> own) {
        std::copy_n(numbers.begin(), own.size(), own.data());
    });
    return made;
}

/// Loads such numbers on all ranks. Collective.
std::vector<double> load_numbers(const world &ranks, const std::string &path,
                                 const std::string &name, const extents_t &extents) {
    dist_tensor<double> loaded(ranks, extents, distribution::on_rank(extents, ranks.size(), root));
    load(ranks, path, {{name, loaded}});
    const tensor<double> all = loaded.gather_all();
    return {all.data(), all.data() + all.size()};
}

std::vector<double> numbers_of(const std::vector<iteration> &iterations) {
    std::vector<double> numbers;
    for (const iteration &one : iterations)
        numbers.insert(numbers.end(),
                       {one.energy, one.change, one.residual, one.seconds, one.gflops});
    return numbers;
}

constexpr index_t numbers_per_iteration = 5;

/// Collects the tensors for one file.
class file_content {
public:
    file_content(tensor_set &tensors, const molecule &system, const ccsd_result &result)
        : tensors_(tensors) {
        add(identity_name, {identity::size}, identity::of(system).numbers());
        const auto count = static_cast<index_t>(result.iterations.size());
        add(iterations_name, {numbers_per_iteration, count}, numbers_of(result.iterations));
    }
    void add(const std::string &name, const extents_t &extents,
             const std::vector<double> &numbers) {
        numbers_.push_back(as_tensor(tensors_.ranks(), extents, numbers));
        parts_.emplace_back(name, numbers_.back());
    }
    void add(const std::string &name, const dist_tensor<double> &tensor) {
        parts_.emplace_back(name, tensor);
    }
    void save_to(const std::string &path) {
        const apps_impl::stopwatch watch;
        const auto held = tensors_.hold(
            checkpoint_bytes(tensors_["T1"].extents()[1], tensors_["T1"].extents()[0]));
        save(tensors_.ranks(), path, parts_);
        double elements = 0;
        for (const tensor_to_save &part : parts_)
            elements += static_cast<double>(
                layout(std::get<const dist_tensor<double> *>(part.tensor)->extents()).size());
        tensors_.charge("checkpoint", watch.seconds(), elements * sizeof(double));
    }

private:
    tensor_set &tensors_;
    std::deque<dist_tensor<double>> numbers_; // a deque keeps addresses valid, which `parts_` holds
    std::vector<tensor_to_save> parts_;
};

void check_identity(const std::vector<double> &found, const molecule &system,
                    const std::string &path) {
    const auto refuse = [&](const std::string &why) {
        throw apps_impl::usage_error("--restart '" + path + "': " + why);
    };
    const identity there{found[0], found[1], found[2], found[3], found[4], found[5]};
    const identity here = identity::of(system);
    if (there.version != here.version)
        refuse("written by another version of tenfold-ccsd");
    if (there.counts() != here.counts())
        refuse("of another calculation, with " + there.counts() + "; here are " + here.counts());
    if (there.numbers() != here.numbers())
        refuse("of a calculation with other integrals: another molecule, geometry or basis set");
}

} // namespace

index_t checkpoint_bytes(index_t o, index_t v) {
    // Counts three blocks: one that is read or written, and one message in each direction.
    const index_t largest = v * v * o * o * word;
    return 3 * std::min(file_options().block.value, largest);
}

void save_iterations(tensor_set &tensors, const molecule &system, const std::string &path,
                     const ccsd_result &result, const diis &history) {
    file_content content(tensors, system, result);
    for (const char *name : {"T1", "T2"})
        content.add(name, tensors[name]);
    const auto vectors = static_cast<index_t>(history.products().size());
    std::vector<double> products(static_cast<std::size_t>(vectors * vectors), 0.0);
    index_t at = 0;
    for (const std::vector<double> &row : history.products())
        std::copy(row.begin(), row.end(), products.begin() + vectors * at++);
    content.add(products_name, {vectors, vectors}, products);
    const auto names = history.names();
    for (std::size_t i = 0; i < names.size(); ++i)
        content.add(diis::name_of(static_cast<int>(i)), tensors[names[i]]);
    content.save_to(path);
}

void save_triples(tensor_set &tensors, const molecule &system, const std::string &path,
                  const ccsd_result &result, const triples_progress &progress,
                  const amplitude_names &amplitudes) {
    file_content content(tensors, system, result);
    content.add("T1", tensors[amplitudes.t1]);
    content.add("T2", tensors[amplitudes.t2]);
    const extents_t extents{static_cast<index_t>(progress.energies.size())};
    content.add(energies_name, extents, progress.energies);
    content.add(done_name, extents, {progress.done.begin(), progress.done.end()});
    content.save_to(path);
}

restart_state load_checkpoint(tensor_set &tensors, const molecule &system, const std::string &path,
                              int diis_vectors) {
    const world &ranks = tensors.ranks();
    const std::vector<stored_tensor> stored = stored_tensors(ranks, path);
    const auto extents_of = [&](const std::string &name) {
        const auto found = std::find_if(stored.begin(), stored.end(), [&](const stored_tensor &x) {
            return x.name == name && x.type == data_type::f64;
        });
        return found == stored.end() ? extents_t() : found->extents;
    };
    const extents_t iterations = extents_of(iterations_name);
    if (extents_of(identity_name) != extents_t{identity::size} || iterations.size() != 2 ||
        iterations[0] != numbers_per_iteration || iterations[1] < 1)
        throw apps_impl::usage_error("--restart '" + path + "': no checkpoint of tenfold-ccsd");
    check_identity(load_numbers(ranks, path, identity_name, {identity::size}), system, path);

    restart_state state;
    const std::vector<double> numbers = load_numbers(ranks, path, iterations_name, iterations);
    for (std::size_t at = 0; at < numbers.size(); at += numbers_per_iteration)
        state.ccsd.iterations.push_back(
            {numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3], numbers[at + 4]});

    const extents_t t1{system.v(), system.o()};
    const extents_t t2{system.v(), system.v(), system.o(), system.o()};
    std::vector<tensor_to_load> wanted;
    for (const auto &[name, extents] : {std::pair("T1", t1), std::pair("T2", t2)})
        wanted.emplace_back(name, tensors.create(name, extents));
    if (const extents_t square = extents_of(products_name); square.size() == 2) {
        const index_t all = square[0];
        const index_t skipped = all - std::min<index_t>(all, diis_vectors);
        const std::vector<double> products = load_numbers(ranks, path, products_name, square);
        for (index_t row = skipped; row < all; ++row)
            state.ccsd.diis_products.emplace_back(products.begin() + row * all + skipped,
                                                  products.begin() + row * all + row + 1);
        for (index_t i = diis::tensors_per_vector * skipped; i < diis::tensors_per_vector * all;
             ++i) {
            const std::string there = diis::name_of(static_cast<int>(i));
            const extents_t extents = extents_of(there).size() == 2 ? t1 : t2;
            const index_t place = i - diis::tensors_per_vector * skipped;
            wanted.emplace_back(there,
                                tensors.create(diis::name_of(static_cast<int>(place)), extents));
        }
    }
    load(ranks, path, wanted);

    const extents_t triples{triple_count(system.o())};
    if (extents_of(energies_name) == triples && extents_of(done_name) == triples) {
        state.triples.energies = load_numbers(ranks, path, energies_name, triples);
        for (const double one : load_numbers(ranks, path, done_name, triples))
            state.triples.done.push_back(one != 0);
    }
    return state;
}

} // namespace tenfold::ccsd
