#include "triples_tasks.hpp"

#include <algorithm>

namespace tenfold::ccsd {

std::vector<orbital_block> cut_into_blocks(index_t o, index_t count) {
    std::vector<orbital_block> blocks;
    for (index_t i = 0; i < count; ++i)
        blocks.push_back({i * o / count, (i + 1) * o / count});
    return blocks;
}

index_t triples_in(const triples_task &task, const std::vector<orbital_block> &blocks) {
    const auto [one, two, three] = task;
    const index_t i = blocks[one].size();
    const index_t j = blocks[two].size();
    const index_t k = blocks[three].size();
    if (one == two && two == three)
        return i * (i + 1) * (i + 2) / 6;
    if (one == two)
        return i * (i + 1) / 2 * k;
    if (two == three)
        return i * j * (j + 1) / 2;
    return i * j * k;
}

std::vector<std::vector<triples_task>> share_tasks(const std::vector<orbital_block> &blocks,
                                                   int ranks) {
    std::vector<triples_task> all;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j)
            for (std::size_t k = 0; k <= j; ++k)
                all.push_back({i, j, k});
    std::stable_sort(all.begin(), all.end(), [&](const triples_task &a, const triples_task &b) {
        return triples_in(a, blocks) > triples_in(b, blocks);
    });
    std::vector<std::vector<triples_task>> shares(static_cast<std::size_t>(ranks));
    std::vector<index_t> work(shares.size(), 0);
    for (const triples_task &task : all) {
        const auto least =
            static_cast<std::size_t>(std::min_element(work.begin(), work.end()) - work.begin());
        work[least] += triples_in(task, blocks);
        shares[least].push_back(task);
    }
    for (std::vector<triples_task> &share : shares)
        std::sort(share.begin(), share.end());
    return shares;
}

index_t blocks_wanted(index_t o, int ranks) {
    // Eight tasks for each rank leave a few percent of imbalance; four blocks at least, so that
    // there is progress to tell of.
    index_t count = 4;
    while (count * (count + 1) * (count + 2) / 6 < 8 * index_t{ranks})
        ++count;
    return std::min(o, ranks == 1 ? index_t{4} : count);
}

} // namespace tenfold::ccsd
