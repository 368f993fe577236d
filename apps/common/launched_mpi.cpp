#include "apps/common/launcher.hpp"

#include <tenfold/dist_process.hpp>

#include "apps/common/mpi_session.hpp"

namespace tenfold::apps_impl {

launched_mpi::launched_mpi() {
    if (!under_launcher())
        return;
    session_ = std::make_unique<mpi_session>();
    const process_place here = place_in_mpi();
    set_launched(here.rank, here.ranks);
}

launched_mpi::~launched_mpi() = default;

std::string launched_mpi::name_and_version() { return mpi_library(); }

} // namespace tenfold::apps_impl
