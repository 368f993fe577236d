// From requests to jobs: what is computed and what memory it takes, before anything is told to
// other ranks. Pure functions of requests and of what is known of the tensors, without MPI.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/dist_sequence.hpp>

#include "apps/server/chunks.hpp"
#include "apps/server/fields.hpp"
#include "apps/server/job.hpp"
#include "apps/server/manifest.hpp"

namespace tenfold::server {

/// Uploads and downloads move boxes of so many bytes.
inline constexpr index_t chunk_bytes = index_t{8} << 20;
/// Files of tensors have blocks of so many bytes.
inline constexpr byte_count saved_block = mib(1);

/// What plans depend on beside the request.
struct planning_scene {
    std::string user;
    int ranks = 1;
    int threads = 1;        ///< of a rank
    int ranks_per_node = 0; ///< 0: all are on one
    /// memory_ledger::headroom().
    std::function<byte_count(const per_rank &own)> headroom;
};

/// The address of a tensor that does not exist yet. Throws refusal for what is no name.
tensor_address new_address(const std::string &name, const std::string &user);

/// A tensor that does not exist yet, in the default distribution. `name` is a tensor_address: of a
/// tensor of another user's, the service decides whether the job may write it.
tensor_pointer new_record(const planning_scene &scene, const std::string &name, data_type type,
                          extents_t extents);

/// Throws errc::type_mismatch for a complex number that a real tensor would lose half of.
void check_number(scalar value, const std::string &what, const std::string &name, data_type type);

/// {"name", "type", "extents", "fill"}
planned_job plan_create(const planning_scene &scene, const nlohmann::json &request);
/// {"fill"}: a tensor like `former` takes its name.
planned_job plan_fill(const planning_scene &scene, const nlohmann::json &request,
                      const tensor_record &former);

/// Where an uploaded array's elements are in the body, and what they are.
struct upload_format {
    std::optional<data_type> type = std::nullopt; ///< empty: the body's own
    std::optional<extents_t> raw = std::nullopt;  ///< of a raw body, with a type; empty: .npy
    memory_order order = memory_order::c;         ///< of a raw body
};
planned_job plan_upload(const planning_scene &scene, const std::string &name,
                        const upload_format &format, std::shared_ptr<std::string> body);
/// A box as requests name it: "0:4,2:,:" has a range for each mode, of which either end may be left
/// out. Throws refusal, errc::order_mismatch, errc::extent_mismatch.
slice parse_slice(const std::string &text, const tensor_record &of);
/// The body is the tensor's new content in `box`.
planned_job plan_overwrite(const planning_scene &scene, const tensor_record &former,
                           const slice &box, const upload_format &format,
                           std::shared_ptr<std::string> body);
/// What a rank takes, beside the elements for the box, while they move to where they belong.
per_rank part_memory(const tensor_record &former, const slice &box);
/// What a rank takes to write or read a file of a tensor.
per_rank file_memory(int ranks, index_t tensor_bytes);
/// {"file", "type"}: an .npy file below `root` becomes a tensor; {"file"}: a tensor is written into
/// one. Throws refusal, errc::io.
planned_job plan_import(const planning_scene &scene, const std::string &name,
                        const nlohmann::json &request, const std::string &root);
planned_job plan_export(const tensor_record &what, const nlohmann::json &request,
                        const std::string &root);
/// {"file", "dataset", "type", "extents"}: a dataset of an HDF5 file below `root` becomes a tensor.
/// It is not looked into: the HDF5 library is for one thread, the ranks' own.
planned_job plan_import_hdf5(const planning_scene &scene, const std::string &name,
                             const nlohmann::json &request, const std::string &root);
/// {"file", "dataset"}: type and extents of what a file has.
planned_job plan_describe(const planning_scene &scene, const nlohmann::json &request,
                          const std::string &root);
/// The field "dataset", which HDF5 files need and others do not have.
std::optional<std::string> find_dataset(fields &request, const std::vector<std::string> &parts);
/// A tensor comes back from a checkpoint in `folder`.
planned_job plan_restore(const planning_scene &scene, const saved_tensor &what,
                         const std::string &folder);
planned_job plan_download(const tensor_record &what, const slice &box, bool npy,
                          memory_order order);

/// The body of /v1/contract and /v1/explain.
struct contract_request {
    std::string expression;
    std::vector<operand> inputs;
    std::string output;
    dist_options options;

    /// `names_output`: whether the field "output" must be there. Throws refusal.
    static contract_request parse(const nlohmann::json &request, bool names_output);
};
/// A contraction of tensors that are known.
struct resolved_contract {
    const contract_request &request;
    const std::vector<tensor_pointer> &inputs;
    const tensor_pointer &former; ///< has the output's name; may be null
};
/// How it will run.
struct contraction_outline {
    dist_sequence plan;
    tensor_pointer output;
    per_rank own;                    ///< the inputs
    std::optional<byte_count> limit; ///< dist_options::memory_per_rank of the plan
    bool updates;
};
/// A job does not fit into the memory that is left: so much is missing on a rank.
struct memory_shortage {
    byte_count missing;
};
/// Throws refusal, tenfold::error, memory_shortage.
contraction_outline outline_contract(const planning_scene &scene, const resolved_contract &what);
planned_job plan_contract(const planning_scene &scene, const resolved_contract &what);

/// The bodies of /v1/map and /v1/reduce.
struct element_request {
    std::string function;
    std::vector<operand> inputs;
    std::string output; ///< of map
    nlohmann::json parameters;

    static element_request parse_map(const nlohmann::json &request);
    static element_request parse_reduce(const nlohmann::json &request);
};
planned_job plan_map(const planning_scene &scene, const element_request &request,
                     const std::vector<tensor_pointer> &inputs);
planned_job plan_reduce(const planning_scene &scene, const element_request &request,
                        const std::vector<tensor_pointer> &inputs);

} // namespace tenfold::server
