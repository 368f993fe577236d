// Short names for the library's functions that format text.
#pragma once

#include "base/text.hpp"

namespace tenfold::apps_impl {

using base::describe_seconds;
using base::format;

} // namespace tenfold::apps_impl
