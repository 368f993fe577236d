#include "apps/bench/peers/peer.hpp"

#include <algorithm>
#include <cstdlib>

#include "apps/common/program.hpp"

namespace tenfold::apps_impl {
namespace {

struct known_peer {
    const char *name;
    std::vector<std::string> suites;
    std::unique_ptr<peer> (*load)(const peer_name &, const bench_options &);
};

const std::vector<known_peer> &known_peers() {
    static const std::vector<known_peer> list = {
        {"blas", {"gemm", "small"}, load_blas},
        {"openblas", {"gemm", "small"}, load_blas},
        {"blis", {"gemm", "small"}, load_blas},
        {"mkl", {"gemm", "small"}, load_blas},
        {"xsmm", {"gemm", "small"}, load_blas},
        {"hptt", {"ttc"}, load_hptt},
        {"tapp", {"tccg", "small --contract", "interfaces"}, load_tapp},
        {"tblis", {"tccg", "small --contract", "interfaces"}, load_tblis},
        {"ttgt", {"tccg", "small --contract"}, load_ttgt},
    };
    return list;
}

/// Libraries read these variables once, when they are loaded.
void set_thread_variables(int threads) {
    const std::string value = std::to_string(threads);
    for (const char *variable : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                                 "BLIS_NUM_THREADS", "MKL_NUM_THREADS", "TBLIS_NUM_THREADS"})
        setenv(variable, value.c_str(), /*overwrite=*/1);
}

} // namespace

bool takes_part(const std::string &peer, const std::string &list) {
    for (const known_peer &known : known_peers())
        if (peer == known.name)
            return std::find(known.suites.begin(), known.suites.end(), list) != known.suites.end();
    return true;
}

std::unique_ptr<peer> load_peer(const peer_name &which, const bench_options &options) {
    std::vector<std::string> names;
    for (const known_peer &known : known_peers()) {
        names.emplace_back(known.name);
        if (which.name != known.name)
            continue;
        if (!takes_part(which.name, options.list()))
            throw usage_error("peer '" + which.name + "' takes part in " +
                              join_choices(known.suites) + ", not in " + options.list());
        set_thread_variables(options.threads);
        return known.load(which, options);
    }
    throw usage_error("unknown peer '" + which.name + "': expected " + join_choices(names));
}

int to_int(const std::string &peer, index_t extent) {
    if (extent > INT32_MAX)
        throw failure("peer '" + peer + "' takes extents of 32 bits only, not " +
                      std::to_string(extent));
    return static_cast<int>(extent);
}

} // namespace tenfold::apps_impl
