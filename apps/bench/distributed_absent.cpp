#include "apps/bench/suites.hpp"
#include "apps/common/program.hpp"

namespace tenfold::apps_impl {

bench_report run_distributed_cases(const bench_options &) {
    throw failure("this build has no MPI: it runs on one process only");
}

} // namespace tenfold::apps_impl
