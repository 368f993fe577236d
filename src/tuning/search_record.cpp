#include "tuning/search_record.hpp"

#include "base/text.hpp"

namespace tenfold::base {

std::string effort_text(const search_record &search) {
    return format("%d candidates, %.2g s", search.candidates, search.seconds);
}

} // namespace tenfold::base
