#include "ways.hpp"

#include <tenfold/error.hpp>

#include "contract/algorithms.hpp"

namespace tenfold::testing {

double integer_at(const extents_t &position, int seed) {
    // SplitMix64: neighbouring positions have unrelated values.
    std::uint64_t x = static_cast<std::uint64_t>(seed);
    for (const index_t i : position) {
        x += 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(i);
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        x ^= x >> 31;
    }
    const int value = static_cast<int>(x % 18) - 9;
    return value < 0 ? value : value + 1;
}

std::set<algorithm> every_way(const std::function<void(const contract_options &)> &body) {
    std::vector<algorithm> algorithms = all_algorithms();
    algorithms.insert(algorithms.begin(), algorithm::automatic);
    std::set<algorithm> ran;
    for (const algorithm one : algorithms)
        for (const int threads : {1, 2}) {
            SCOPED_TRACE(std::string(name(one)) + ", threads: " + std::to_string(threads));
            contract_options options;
            options.algorithm = one;
            options.threads = threads;
            try {
                body(options);
                ran.insert(one);
            } catch (const error &e) {
                const bool impossible = e.code() == errc::unsupported &&
                                        std::string_view(e.what()).starts_with(
                                            std::string("algorithm '").append(name(one)));
                if (!impossible || one == algorithm::automatic || one == algorithm::reference)
                    ADD_FAILURE() << name(e.code()) << ": " << e.what();
            }
        }
    return ran;
}

} // namespace tenfold::testing
