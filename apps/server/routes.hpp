// The one table of what the server answers; apps/server/openapi.json describes it for others.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenfold::server {

enum class operation {
    health,
    metrics,
    about,
    list_tensors,
    create_tensor,
    show_tensor,
    rename_tensor,
    delete_tensor,
    share_tensor,
    unshare_tensor,
    fill_tensor,
    upload,
    download,
    contract,
    explain,
    map,
    reduce,
    list_jobs,
    show_job,
    cancel_job,
    show_checkpoint,
    save_checkpoint,
    restore_tensor,
    import_tensor,
    export_tensor,
    events,
    job_events,
    show_memory,
    run_program,
    explain_program,
    describe_file,
    open_session,
    close_session,
    page,
    page_file,
    open_upload,
    open_download,
    show_transfer,
    commit_transfer,
    close_transfer
};

enum class body_kind {
    none,
    json, ///< at most most_json_bytes
    data  ///< as much as memory allows
};

/// The largest JSON body.
inline constexpr std::size_t most_json_bytes = std::size_t{1} << 20;

/// What a request takes before it is answered or queued, and so which thread does it
/// (planning_desk).
enum class effort {
    none,            ///< it is answered from what is known
    little_planning, ///< of a job, in order
    contraction,     ///< little or more planning, in order
    planning,        ///< of a job, in order, with large bodies, files, or boxes on all ranks
    long_planning    ///< for seconds, perhaps: others do not wait for it
};

struct route {
    std::string_view method;
    std::string_view pattern; ///< "/v1/tensors/{name}"; at most one part is in braces
    operation what;
    std::string_view name; ///< of the operation: for the audit log, metrics and OpenAPI
    body_kind body = body_kind::none;
    bool needs_token = true;
    effort takes = effort::planning;
};

std::span<const route> all_routes() noexcept;

struct routed {
    const route *found;
    std::string parameter; ///< what is in the place of the braces
};

/// Throws refusal: 404 for a path that is not there, and 405 for another method, with those that
/// are allowed.
routed find_route(const std::string &method, const std::vector<std::string> &path);

} // namespace tenfold::server
