// What is told of a search for the fastest plan: by explain(), and by wisdom.
#pragma once

#include <string>

#include <tenfold/types.hpp>

namespace tenfold::base {

struct search_record {
    double gain = 1;    ///< the estimate's seconds over those of the best; 1: the estimate stands
    int candidates = 0; ///< that were measured, the estimate among them
    double seconds = 0; ///< that the search took
};

/// The same of a search that is remembered.
struct kept_search : search_record {
    tuning level = tuning::measure;
};

/// "9 candidates, 0.4 s".
std::string effort_text(const search_record &search);

} // namespace tenfold::base
