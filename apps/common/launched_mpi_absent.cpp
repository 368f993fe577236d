#include "apps/common/launcher.hpp"

namespace tenfold::apps_impl {

class mpi_session {};

launched_mpi::launched_mpi() = default;

launched_mpi::~launched_mpi() = default;

std::string launched_mpi::name_and_version() { return {}; }

} // namespace tenfold::apps_impl
