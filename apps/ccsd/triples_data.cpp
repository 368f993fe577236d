#include "apps/ccsd/triples_data.hpp"

#include <algorithm>

#include <tenfold/dist_gather.hpp>
#include <tenfold/transpose.hpp>

#include "apps/ccsd/kernels/triple_energy_kernels.hpp"
#include "apps/ccsd/placement.hpp"
#include "apps/common/mpi_session.hpp"

namespace tenfold::ccsd {
namespace {

slice nothing() { return {extents_t(4, 0), extents_t(4, 0), true}; }

/// Removes from `wanted` the blocks that are there already, and returns the places of blocks that
/// are not wanted.
template <class Key, class Blocks, class KeyOf>
auto keep_wanted(std::vector<Key> &wanted, Blocks &there, const KeyOf &key_of) {
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<typename Blocks::value_type *> unused;
    for (auto &one : there) {
        const auto found = std::find(wanted.begin(), wanted.end(), key_of(one));
        if (found == wanted.end())
            unused.push_back(&one);
        else
            wanted.erase(found);
    }
    return unused;
}

} // namespace

triples_data::triples_data(tensor_set &tensors, const molecule &system,
                           std::vector<orbital_block> blocks)
    : tensors_(tensors), blocks_(std::move(blocks)), no_(system.o()), nv_(system.v()),
      nx_(no_ + nv_) {
    const tensor<double> t1 = tensors["T1"].gather_all();
    apps_impl::run_agreed(tensors.ranks(), [&] {
        t1_.assign(t1.data(), t1.data() + t1.size());
        t1_.resize(t1_.size() + static_cast<std::size_t>(slack_behind_vector(nv_)), 0.0);
        for (std::size_t block = 0; block < blocks_.size(); ++block)
            block_of_orbital_.insert(block_of_orbital_.end(),
                                     static_cast<std::size_t>(blocks_[block].size()), block);
    });
}

index_t triples_data::bytes_needed(index_t o, index_t v, index_t block) {
    const index_t x = o + v;
    const index_t blocks = (o + block - 1) / block;
    const index_t singles = std::min<index_t>(3, blocks) * 2 * v * v * x * block;
    const index_t pairs = std::min<index_t>(6, blocks * blocks) * (x * v + v * v) * block * block;
    // The largest part that is read at a time, twice if it is gathered, and T1.
    const index_t read =
        std::max(v * v * v * block,
                 (blocks == 1 ? 2 : 1) *
                     std::max({v * v * o * block, v * v * block * block, v * o * block * block}));
    const index_t slack = 6 * slack_behind_matrix(v) + slack_behind_vector(v);
    return (singles + pairs + read + o * v + slack) * word;
}

void triples_data::buffer::reserve(index_t count) {
    if (count <= (elements_ ? elements_->size() : 0))
        return;
    elements_.reset(); // before there is more
    elements_.emplace(extents_t{count}, uninitialized);
}

void triples_data::prepare(const std::optional<triples_task> &task) {
    prepare_singles(task);
    prepare_pairs(task);
    apps_impl::run_agreed(tensors_.ranks(), [&] {
        if (problem_)
            std::rethrow_exception(problem_);
    });
}

template <class Work> void triples_data::attempt(const Work &work) noexcept {
    try {
        if (!problem_)
            work();
    } catch (...) {
        problem_ = std::current_exception();
    }
}

tensor<double> triples_data::fetch(const char *name, const slice &wanted) const {
    const dist_tensor<double> &from = tensors_[name];
    return whole() ? from.gather_all() : from.read(wanted);
}

void triples_data::prepare_singles(const std::optional<triples_task> &task) {
    std::vector<single_block *> unused;
    std::vector<std::size_t> missing;
    if (task) {
        missing.assign(task->begin(), task->end());
        unused = keep_wanted(missing, singles_, [](const single_block &one) { return one.block; });
    }
    single_block idle;
    for (std::size_t turn = 0; turn < (whole() ? 1 : singles_.size()); ++turn)
        if (turn < missing.size())
            fill_single(*unused[turn], missing[turn]);
        else
            fill_single(idle, none); // takes part while other ranks read
}

void triples_data::fill_single(single_block &to, std::size_t block) {
    slice integrals = nothing();
    slice amplitudes = nothing();
    index_t count = 0;
    if (block != none) {
        const orbital_block orbitals = blocks_[block];
        count = orbitals.size();
        integrals = {{0, 0, 0, orbitals.begin}, {nv_, nv_, nv_, count}};
        amplitudes = {{0, 0, orbitals.begin, 0}, {nv_, nv_, count, no_}};
        to.block = block;
    }
    apps_impl::run_agreed(tensors_.ranks(), [&] {
        for (std::vector<buffer> *all : {&to.a, &to.transposed}) {
            all->resize(std::max(all->size(), static_cast<std::size_t>(count)));
            for (buffer &one : *all)
                one.reserve(nv_ * nv_ * nx_);
        }
    });
    fill_integrals(to, integrals);
    const tensor<double> t = fetch("T2", amplitudes);
    attempt([&] {
        for (index_t i = 0; i < count; ++i) {
            const tensor_view<const double> own(t.data() + nv_ * nv_ * i, {nv_, nv_, no_},
                                                {1, nv_, nv_ * nv_ * count});
            const auto part = [&](std::vector<buffer> &all) {
                return tensor_view<double>(all[static_cast<std::size_t>(i)].get() + nv_ * nv_ * nv_,
                                           {nv_, nv_, no_});
            };
            transpose("abl=abl", own, part(to.a), {.threads = tensors_.ranks().threads()});
            transpose("abl=bal", own, part(to.transposed), {.threads = tensors_.ranks().threads()});
        }
    });
}

void triples_data::fill_integrals(single_block &to, const slice &integrals) {
    const index_t cube = nv_ * nv_ * nv_;
    const auto fill = [&](index_t i, const double *g) {
        const tensor_view<const double> own(g, {nv_, nv_, nv_});
        const auto part = [&](std::vector<buffer> &all) {
            return tensor_view<double>(all[static_cast<std::size_t>(i)].get(), {nv_, nv_, nv_});
        };
        transpose("abd=bda", own, part(to.a), {.threads = tensors_.ranks().threads()});
        transpose("abd=adb", own, part(to.transposed), {.threads = tensors_.ranks().threads()});
    };
    const dist_tensor<double> &from = tensors_["vvvo"];
    if (whole() && from.owner().size() > 1 && from.distribution().grid().back() == 1) {
        // Works on one orbital at a time, whose data stays in a cache.
        std::optional<tensor<double>> g;
        apps_impl::run_agreed(tensors_.ranks(), [&] {
            g.emplace(extents_t{nv_, nv_, nv_, 1}, uninitialized);
        });
        for (index_t i = 0; i < no_; ++i) {
            gather_slice(from, {{0, 0, 0, i}, {nv_, nv_, nv_, 1}}, g->view());
            attempt([&] { fill(i, g->data()); });
        }
        return;
    }
    const tensor<double> g = from.read(integrals);
    for (index_t i = 0; i < integrals.extents[3]; ++i)
        attempt([&] { fill(i, g.data() + cube * i); });
}

void triples_data::prepare_pairs(const std::optional<triples_task> &task) {
    using block_pair = std::array<std::size_t, 2>;
    std::vector<block_pair> missing;
    std::vector<pair_block *> unused;
    if (task) {
        for (std::size_t one = 0; one < 3; ++one)
            for (std::size_t other = 0; other < 3; ++other)
                if (one != other)
                    missing.push_back({(*task)[one], (*task)[other]});
        unused = keep_wanted(missing, pairs_, [](const pair_block &one) {
            return block_pair{one.first, one.second};
        });
    }
    pair_block idle;
    for (std::size_t turn = 0; turn < (whole() ? 1 : pairs_.size()); ++turn)
        if (turn < missing.size())
            fill_pair(*unused[turn], missing[turn][0], missing[turn][1]);
        else
            fill_pair(idle, none, none);
}

void triples_data::fill_pair(pair_block &to, std::size_t first, std::size_t second) {
    slice t2 = nothing();
    slice vooo = nothing();
    slice vovo = nothing();
    index_t nj = 0;
    index_t nk = 0;
    if (first != none) {
        const orbital_block j = blocks_[first];
        const orbital_block k = blocks_[second];
        nj = j.size();
        nk = k.size();
        t2 = {{0, 0, k.begin, j.begin}, {nv_, nv_, nk, nj}};
        vooo = {{0, k.begin, 0, j.begin}, {nv_, nk, no_, nj}};
        vovo = {{0, j.begin, 0, k.begin}, {nv_, nj, nv_, nk}};
        to.first = first;
        to.second = second;
    }
    apps_impl::run_agreed(tensors_.ranks(), [&] {
        to.b.reserve(nx_ * nv_ * nj * nk);
        to.v.resize(static_cast<std::size_t>(nv_ * nv_ * nj * nk + slack_behind_matrix(nv_)));
    });
    const auto part = [&](index_t offset, index_t rows) {
        return tensor_view<double>(to.b.get() + offset, {rows, nv_, nj, nk},
                                   {1, nx_, nx_ * nv_, nx_ * nv_ * nj});
    };
    const int threads = tensors_.ranks().threads();
    const tensor<double> amplitudes = fetch("T2", t2);
    if (first != none)
        attempt([&] { transpose("dcjk=cdkj", amplitudes, part(0, nv_), {.threads = threads}); });
    const tensor<double> oo = fetch("vooo", vooo);
    if (first != none)
        attempt([&] {
            transpose("lcjk=cklj", oo, part(nv_, no_), {.alpha = -1.0, .threads = threads});
        });
    const tensor<double> vv = fetch("vovo", vovo);
    if (first != none)
        attempt([&] {
            transpose("bcjk=bjck", vv, tensor_view<double>(to.v.data(), {nv_, nv_, nj, nk}),
                      {.threads = threads});
        });
}

const triples_data::single_block &triples_data::single(index_t i) const noexcept {
    const std::size_t wanted = block_of(i);
    return *std::find_if(singles_.begin(), singles_.end(),
                         [&](const single_block &one) { return one.block == wanted; });
}

const triples_data::pair_block &triples_data::pair_of(index_t j, index_t k) const noexcept {
    const std::size_t first = block_of(j);
    const std::size_t second = block_of(k);
    return *std::find_if(pairs_.begin(), pairs_.end(), [&](const pair_block &one) {
        return one.first == first && one.second == second;
    });
}

namespace {

index_t place(const orbital_block &first, const orbital_block &second, index_t j, index_t k) {
    return j - first.begin + first.size() * (k - second.begin);
}

} // namespace

const double *triples_data::b(index_t j, index_t k) const noexcept {
    const index_t at = place(blocks_[block_of(j)], blocks_[block_of(k)], j, k);
    return pair_of(j, k).b.get() + at * nx_ * nv_;
}

const double *triples_data::v(index_t j, index_t k) const noexcept {
    const index_t at = place(blocks_[block_of(j)], blocks_[block_of(k)], j, k);
    return pair_of(j, k).v.data() + at * nv_ * nv_;
}

} // namespace tenfold::ccsd
