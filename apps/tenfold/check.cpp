// The command `tenfold check`: reads a file from end to end and says what it holds.
#include <csignal>
#include <cstdio>
#include <new>
#include <optional>

#include <nlohmann/json.hpp>

#include <tenfold/error.hpp>

#include "apps/common/launcher.hpp"
#include "apps/common/option_groups.hpp"
#include "apps/common/program.hpp"
#include "apps/tenfold/checked_file.hpp"
#include "apps/tenfold/commands.hpp"
#include "apps/tenfold/own_child.hpp"

namespace tenfold::apps_impl {
namespace {

struct check_request {
    std::string name; ///< FILE, or FILE.h5:DATASET
    bool json = false;
    bool in_process = false;
};

/// JSON is UTF-8, but names in a damaged file may not be: replaces invalid bytes.
std::string dump(const nlohmann::ordered_json &object) {
    return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string json_of(const check_request &request, std::optional<file_format> format,
                    const std::vector<checked_tensor> &tensors, const std::string &problem) {
    nlohmann::ordered_json object = {{"file", request.name},
                                     {"format", nullptr},
                                     {"valid", problem.empty()},
                                     {"error", nullptr},
                                     {"tensors", nlohmann::ordered_json::array()}};
    if (format)
        object["format"] = name(*format);
    if (!problem.empty())
        object["error"] = problem;
    for (const checked_tensor &one : tensors) {
        nlohmann::ordered_json item = {{"name", one.name}, {"type", nullptr}};
        if (!one.element.empty())
            item.update({{"type", one.element},
                         {"extents", one.extents},
                         {"order", one.fortran_order ? "Fortran" : "C"},
                         {"bytes", one.bytes}});
        object["tensors"].push_back(std::move(item));
    }
    return dump(object);
}

std::string to_text(const check_request &request, file_format format,
                    const std::vector<checked_tensor> &tensors) {
    std::string text;
    for (const checked_tensor &one : tensors) {
        std::string extents;
        for (const index_t extent : one.extents)
            extents += (extents.empty() ? "" : " x ") + std::to_string(extent);
        text += "'" + request.name + "': " + name(format) +
                (one.name.empty() ? "" : ", '" + one.name + "'");
        text += one.element.empty()
                    ? ", elements of another type: not read\n"
                    : ", " + one.element + ", extents " + (extents.empty() ? "none" : extents) +
                          ", " + (one.fortran_order ? "Fortran" : "C") + " order, " +
                          std::to_string(one.bytes) + " bytes\n";
    }
    if (tensors.empty())
        text = "'" + request.name + "': " + name(format) + ", no tensors\n";
    return text;
}

/// Prints one line about the problem on stderr and, with --json, the same text in the object.
[[noreturn]] void refuse(const check_request &request, std::optional<file_format> format,
                         const std::string &problem) {
    if (request.json)
        std::fputs(json_of(request, format, {}, problem).c_str(), stdout);
    throw failure(problem);
}

int check_here(const check_request &request) {
    std::optional<file_format> format;
    std::vector<checked_tensor> tensors;
    try {
        const array_name name = parse_file_name(request.name);
        format = format_of(name.file);
        tensors = check_file(name);
    } catch (const error &problem) {
        refuse(request, format, problem.what());
    } catch (const std::bad_alloc &) {
        refuse(request, format,
               "'" + request.name + "': there is not enough memory to read it; it may be damaged");
    }
    std::fputs(
        (request.json ? json_of(request, format, tensors, "") : to_text(request, *format, tensors))
            .c_str(),
        stdout);
    return exit_success;
}

std::string crash_message(const check_request &request, file_format format, int signal) {
    const std::string which = "'" + request.name + "': ";
    if (signal == SIGKILL || signal == SIGTERM || signal == SIGINT)
        return which + "the process that read it was ended by somebody, or for lack of memory";
    if (format == file_format::hdf5)
        return which + "the HDF5 library crashed (" + signal_name(signal) +
               ") while reading it: the file is damaged";
    return which + "Tenfold crashed (" + signal_name(signal) +
           ") while reading it: that is an error of Tenfold's, please report it (SECURITY.md)";
}

int check_in_child(const check_request &request) {
    file_format format{};
    try {
        format = format_of(parse_file_name(request.name).file);
    } catch (const error &problem) {
        refuse(request, std::nullopt, problem.what());
    }
    std::vector<std::string> arguments = {"check", "--in-process"};
    if (request.json)
        arguments.emplace_back("--json");
    arguments.insert(arguments.end(), {"--", request.name});
    const child_result child = run_own_child(arguments);
    if (child.signal != 0)
        refuse(request, format, crash_message(request, format, child.signal));
    std::fputs(child.out.c_str(), stdout);
    std::fputs(child.err.c_str(), stderr);
    return child.status;
}

} // namespace

int check_command(const std::vector<std::string> &arguments) {
    check_request request;
    command_line line("tenfold check", "FILE [options]",
                      "Reads a file of tensors from end to end, in a process of its own, and says "
                      "what it\nholds or what is wrong with it: .npy, HDF5 (all datasets, or "
                      "FILE.h5:DATASET), or a\ncheckpoint, whose checksums are verified. Exit "
                      "status 0 for a good file, 1 for a bad one.");
    line.set_positional("FILE", &request.name);
    add_json_option(line.group("Output"), request.json);
    add_flag(line.group("Reading"), "in-process", &request.in_process,
             "read in this process, which a crash of the HDF5 library then ends: for debuggers");
    if (!line.parse(arguments))
        return exit_success;
    if (launched_ranks() > 1)
        throw usage_error("check runs on one process only");
    return request.in_process ? check_here(request) : check_in_child(request);
}

} // namespace tenfold::apps_impl
