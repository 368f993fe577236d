#include <tenfold/error.hpp>

#include "apps/tenfold/checked_file.hpp"

namespace tenfold::apps_impl {

std::vector<checked_tensor> check_checkpoint(const std::string &file) {
    throw error(errc::unsupported,
                "'" + file + "': is a checkpoint, which this build, without MPI, does not read");
}

} // namespace tenfold::apps_impl
