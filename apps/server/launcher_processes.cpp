#include "apps/server/launcher_processes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tenfold::server {
namespace {

std::string process_folder(pid_t process) { return "/proc/" + std::to_string(process) + "/"; }

std::string read_whole(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// False for one that has ended, also if nobody has asked how.
bool is_alive(pid_t process) {
    const std::string line = read_whole(process_folder(process) + "stat");
    const std::size_t name_end = line.rfind(')'); // a name may have any characters
    return name_end != std::string::npos && name_end + 2 < line.size() &&
           line[name_end + 2] != 'Z' && line[name_end + 2] != 'X';
}

std::vector<pid_t> children_of(pid_t process) {
    std::vector<pid_t> children;
    std::error_code failure; // it may end meanwhile
    for (std::filesystem::directory_iterator task(process_folder(process) + "task", failure), end;
         !failure && task != end; task.increment(failure)) {
        std::ifstream list(task->path() / "children");
        children.insert(children.end(), std::istream_iterator<pid_t>(list), {});
    }
    return children;
}

/// The value of a variable in an environment as /proc shows it, where each ends with a zero.
std::optional<std::string> variable_of(const std::string &environment, const std::string &name) {
    const std::string all = '\0' + environment;
    const std::size_t found = all.find('\0' + name + '=');
    if (found == std::string::npos)
        return std::nullopt;
    const std::size_t begin = found + name.size() + 2;
    return all.substr(begin, all.find('\0', begin) - begin);
}

/// Whether the rank's launcher told it that all ranks run on this machine.
bool tells_that_all_are_here(pid_t rank) {
    const std::string known = read_whole(process_folder(rank) + "environ");
    if (known.empty())
        return false;
    for (const auto &[all, here] : {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"),
                                    std::pair("PMI_SIZE", "MPI_LOCALNRANKS")})
        if (const auto size = variable_of(known, all))
            return size == variable_of(known, here);
    return !variable_of(known, "PMIX_RANK");
}

} // namespace

void launcher_processes::look(time_point now) {
    alive_.clear();
    if (visit(launcher_) || !all_are_here_ ||
        !std::all_of(alive_.begin(), alive_.end(),
                     [this](pid_t process) { return above_.count(process) != 0; }))
        gone_since_.reset();
    else if (!gone_since_)
        gone_since_ = now;
}

/// Whether `process` or one below it is a rank.
bool launcher_processes::visit(pid_t process) {
    if (!is_alive(process))
        return false;
    alive_.push_back(process);
    bool leads_to_rank = is_rank(process);
    for (const pid_t child : children_of(process))
        leads_to_rank = visit(child) || leads_to_rank;
    if (leads_to_rank)
        above_.insert(process);
    return leads_to_rank;
}

bool launcher_processes::is_rank(pid_t process) {
    if (process == launcher_)
        return false; // for a moment, before it is the launcher, it runs this program
    std::error_code failure;
    const auto runs = std::filesystem::read_symlink(process_folder(process) + "exe", failure);
    // Once a rank, always a rank, also if its program was moved and another took its path.
    if (ranks_.count(process) == 0 && (failure || runs != program_))
        return false;
    ranks_.insert(process);
    // Asked again because a process that has just begun its program has no environment yet.
    all_are_here_ = all_are_here_ || tells_that_all_are_here(process);
    return true;
}

} // namespace tenfold::server
