// Wisdom in a build without nlohmann_json: contexts refuse a file of wisdom, so there is none.
#include "tuning/wisdom.hpp"

namespace tenfold::tuning_impl {

struct wisdom_file::state {
    std::string file;
};

wisdom_file::wisdom_file(std::string file, std::string, std::string, std::string)
    : state_(new state{std::move(file)}) {}
wisdom_file::~wisdom_file() = default;

const std::string &wisdom_file::file() const noexcept { return state_->file; }

wisdom_file::answer wisdom_file::look_up(const std::string &) const { return {}; }

std::string wisdom_file::remember(const std::string &, const wisdom_entry &) {
    return "this build of Tenfold keeps no wisdom";
}

} // namespace tenfold::tuning_impl
