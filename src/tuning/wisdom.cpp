#include "tuning/wisdom.hpp"

#include <atomic>

#include "base/text.hpp"

namespace tenfold::tuning_impl {
namespace {

std::atomic<std::uint64_t> times_learned = 0;

} // namespace

std::string effort_text(const search_record &search) {
    return base::format("%d candidates, %.2g s", search.candidates, search.seconds);
}

std::string damaged(const std::string &member) { return "an entry's '" + member + "' is damaged"; }

std::uint64_t wisdom_learned() noexcept { return times_learned; }
void note_wisdom_learned() noexcept { ++times_learned; }

} // namespace tenfold::tuning_impl
