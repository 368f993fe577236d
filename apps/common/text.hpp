// Text for people, under the names that the programs use.
#pragma once

#include "base/text.hpp"

namespace tenfold::apps_impl {

using base::describe_seconds;
using base::format;

} // namespace tenfold::apps_impl
