#include "apps/server/routes.hpp"

#include <optional>

#include "apps/server/refusal.hpp"

namespace tenfold::server {
namespace {

/// A request without a body that needs no plan.
constexpr route at_once(std::string_view method, std::string_view pattern, operation what,
                        std::string_view name, bool needs_token = true) {
    return {method, pattern, what, name, body_kind::none, needs_token, effort::none};
}

constexpr route table[] = {
    at_once("GET", "/healthz", operation::health, "health", false),
    at_once("GET", "/metrics", operation::metrics, "metrics"),
    at_once("GET", "/v1", operation::about, "about"),
    at_once("GET", "/v1/tensors", operation::list_tensors, "list_tensors"),
    {"POST", "/v1/tensors", operation::create_tensor, "create_tensor", body_kind::json, true,
     effort::little_planning},
    at_once("GET", "/v1/tensors/{name}", operation::show_tensor, "show_tensor"),
    {"PATCH", "/v1/tensors/{name}", operation::rename_tensor, "rename_tensor", body_kind::json,
     true, effort::little_planning},
    at_once("DELETE", "/v1/tensors/{name}", operation::delete_tensor, "delete_tensor"),
    {"POST", "/v1/tensors/{name}/shares", operation::share_tensor, "share_tensor", body_kind::json,
     true, effort::little_planning},
    at_once("DELETE", "/v1/tensors/{name}/shares", operation::unshare_tensor, "unshare_tensor"),
    {"POST", "/v1/tensors/{name}/fill", operation::fill_tensor, "fill_tensor", body_kind::json,
     true, effort::little_planning},
    {"PUT", "/v1/tensors/{name}/data", operation::upload, "upload", body_kind::data},
    {"GET", "/v1/tensors/{name}/data", operation::download, "download", body_kind::none, true,
     effort::little_planning},
    {"POST", "/v1/contract", operation::contract, "contract", body_kind::json, true,
     effort::contraction},
    {"POST", "/v1/explain", operation::explain, "explain", body_kind::json, true,
     effort::contraction},
    {"POST", "/v1/map", operation::map, "map", body_kind::json, true, effort::little_planning},
    {"POST", "/v1/reduce", operation::reduce, "reduce", body_kind::json, true,
     effort::little_planning},
    at_once("GET", "/v1/jobs", operation::list_jobs, "list_jobs"),
    at_once("GET", "/v1/jobs/{id}", operation::show_job, "show_job"),
    at_once("DELETE", "/v1/jobs/{id}", operation::cancel_job, "cancel_job"),
    at_once("GET", "/v1/checkpoint", operation::show_checkpoint, "show_checkpoint"),
    {"POST", "/v1/checkpoint", operation::save_checkpoint, "save_checkpoint"},
    {"POST", "/v1/tensors/{name}/restore", operation::restore_tensor, "restore_tensor"},
    {"POST", "/v1/tensors/{name}/import", operation::import_tensor, "import_tensor",
     body_kind::json},
    {"POST", "/v1/tensors/{name}/export", operation::export_tensor, "export_tensor",
     body_kind::json},
    at_once("GET", "/v1/events", operation::events, "events"),
    at_once("GET", "/v1/jobs/{id}/events", operation::job_events, "job_events"),
    at_once("GET", "/v1/memory", operation::show_memory, "show_memory"),
    {"POST", "/v1/programs", operation::run_program, "run_program", body_kind::json, true,
     effort::long_planning},
    {"POST", "/v1/programs/explain", operation::explain_program, "explain_program", body_kind::json,
     true, effort::long_planning},
    {"POST", "/v1/files/describe", operation::describe_file, "describe_file", body_kind::json},
    {"POST", "/v1/session", operation::open_session, "open_session", body_kind::json, false,
     effort::none},
    at_once("DELETE", "/v1/session", operation::close_session, "close_session"),
    at_once("GET", "/", operation::page, "page", false),
    at_once("GET", "/page/{file}", operation::page_file, "page_file", false),
    {"POST", "/v1/tensors/{name}/upload", operation::open_upload, "open_upload", body_kind::json},
    {"POST", "/v1/tensors/{name}/download", operation::open_download, "open_download",
     body_kind::json},
    at_once("GET", "/v1/transfers/{id}", operation::show_transfer, "show_transfer"),
    {"POST", "/v1/transfers/{id}/commit", operation::commit_transfer, "commit_transfer"},
    at_once("DELETE", "/v1/transfers/{id}", operation::close_transfer, "close_transfer"),
};

/// The parameter if the path fits the pattern, empty if there is none.
std::optional<std::string> fit(std::string_view pattern, const std::vector<std::string> &path) {
    std::string parameter;
    pattern.remove_prefix(1);
    for (const std::string &part : path) {
        if (pattern.empty())
            return std::nullopt;
        const std::size_t end = pattern.find('/');
        const std::string_view expected = pattern.substr(0, end);
        if (expected.front() == '{')
            parameter = part;
        else if (part != expected)
            return std::nullopt;
        pattern.remove_prefix(end == std::string_view::npos ? pattern.size() : end + 1);
    }
    if (!pattern.empty())
        return std::nullopt;
    return parameter;
}

} // namespace

std::span<const route> all_routes() noexcept { return table; }

routed find_route(const std::string &method, const std::vector<std::string> &path) {
    std::string allowed;
    for (const route &one : table) {
        const auto parameter = fit(one.pattern, path);
        if (!parameter)
            continue;
        if (method == one.method)
            return {&one, *parameter};
        allowed += (allowed.empty() ? "" : ", ") + std::string(one.method);
    }
    if (!allowed.empty())
        throw refusal(405, "method_not_allowed", "this path allows " + allowed,
                      {{"allowed", allowed}});
    throw refusal(404, "not_found", "there is no such path");
}

} // namespace tenfold::server
