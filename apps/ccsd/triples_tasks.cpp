#include "apps/ccsd/triples_tasks.hpp"

#include <algorithm>

namespace tenfold::ccsd {

std::vector<orbital_block> cut_into_blocks(index_t o, index_t count) {
    std::vector<orbital_block> blocks;
    for (index_t i = 0; i < count; ++i)
        blocks.push_back({i * o / count, (i + 1) * o / count});
    return blocks;
}

index_t triple_count(index_t o) { return o * (o + 1) * (o + 2) / 6; }

std::size_t index_of(const triple &one) {
    const auto [i, j, k] = one;
    return static_cast<std::size_t>(i * (i + 1) * (i + 2) / 6 + j * (j + 1) / 2 + k);
}

std::vector<triple> triples_of(const triples_task &task, const std::vector<orbital_block> &blocks,
                               const std::vector<std::uint8_t> &done) {
    std::vector<triple> all;
    const auto [one, two, three] = task;
    for (index_t i = blocks[one].begin; i < blocks[one].end; ++i)
        for (index_t j = blocks[two].begin; j < std::min(i + 1, blocks[two].end); ++j)
            for (index_t k = blocks[three].begin; k < std::min(j + 1, blocks[three].end); ++k)
                if (done[index_of({i, j, k})] == 0)
                    all.push_back({i, j, k});
    return all;
}

namespace {

std::size_t blocks_in_common(const triples_task &one, const std::optional<triples_task> &other) {
    if (!other)
        return 0;
    return static_cast<std::size_t>(std::count_if(one.begin(), one.end(), [&](std::size_t block) {
        return std::find(other->begin(), other->end(), block) != other->end();
    }));
}

} // namespace

std::vector<triples_round> share_tasks(const std::vector<orbital_block> &blocks,
                                       const std::vector<std::uint8_t> &done, int ranks) {
    struct sized_task {
        triples_task task;
        std::size_t size;
    };
    std::vector<sized_task> all;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j)
            for (std::size_t k = 0; k <= j; ++k)
                if (const triples_task task{i, j, k}; !triples_of(task, blocks, done).empty())
                    all.push_back({task, triples_of(task, blocks, done).size()});
    std::stable_sort(all.begin(), all.end(),
                     [](const sized_task &a, const sized_task &b) { return a.size > b.size; });

    const auto at_once = static_cast<std::size_t>(ranks);
    std::vector<triples_round> rounds;
    std::vector<std::optional<triples_task>> last(at_once);
    for (std::size_t begin = 0; begin < all.size(); begin += at_once) {
        std::vector<triples_task> open;
        for (std::size_t i = begin; i < std::min(begin + at_once, all.size()); ++i)
            open.push_back(all[i].task);
        triples_round round(at_once);
        for (std::size_t rank = 0; rank < at_once && !open.empty(); ++rank) {
            const auto best = std::max_element(
                open.begin(), open.end(), [&](const triples_task &a, const triples_task &b) {
                    return blocks_in_common(a, last[rank]) < blocks_in_common(b, last[rank]);
                });
            round[rank] = *best;
            last[rank] = *best;
            open.erase(best);
        }
        rounds.push_back(std::move(round));
    }
    return rounds;
}

index_t blocks_wanted(index_t o, int ranks) {
    // Ten tasks per rank leave a few percent of imbalance, and give as many points to save at. At
    // least four blocks, so that there is progress to report.
    index_t count = 4;
    while (triple_count(count) < 10 * index_t{ranks})
        ++count;
    return std::min(o, ranks == 1 ? index_t{4} : count);
}

} // namespace tenfold::ccsd
