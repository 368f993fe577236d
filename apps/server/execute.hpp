// Carries out the work of a job on all ranks.
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include <tenfold/control.hpp>

#include "apps/server/chunks.hpp"
#include "apps/server/tensor_store.hpp"

namespace tenfold::server {

class bulk_desk;
class checkpoint_folder;
struct manifest;

/// What only rank 0 has, but for the desk.
struct bodies {
    const std::string *upload = nullptr;             ///< to "save": the manifest
    std::shared_ptr<std::string> download = nullptr; ///< is filled
    const checkpoint_folder *folder = nullptr;
    bulk_desk *desk = nullptr; ///< of this rank, on all of them
};

/// Collective. `work` is the same on all ranks; planned_job::work says what is in it, to which the
/// ids of tensors are added: "inputs", and "output", which is kept in the store if the work
/// succeeds. Returns the result, on rank 0. Whatever fails, on however few ranks: throws the same
/// tenfold::error on all ranks; then the store is unchanged. A stop of `control`, of which each
/// rank passes its own, ends the work. After errc::communication no collective call is possible.
nlohmann::json execute(const world &where, tensor_store &store, const nlohmann::json &work,
                       const bodies &root, const execution_control &control);

/// Collective. Loads all tensors of a checkpoint into the store. Throws as load() does.
void load_checkpoint(const world &where, tensor_store &store, const std::string &folder,
                     const manifest &what);

// The parts of execute(), by kind of work.

/// What is common to them.
struct execution {
    const world &where;
    tensor_store &store;
    const nlohmann::json &work;
    const bodies &root;
    const execution_control &control;

    bool is_root() const noexcept { return where.rank() == 0; }
    std::uint64_t input(std::size_t number) const { return work.at("inputs").at(number); }
    std::uint64_t output() const { return work.at("output"); }
    extents_t extents() const { return work.at("extents").get<extents_t>(); }
    slice box() const {
        const nlohmann::json &box = work.at("box");
        return {box.at("offsets").get<extents_t>(), box.at("extents").get<extents_t>()};
    }
    /// Of the field `name`: whether mode 0 is the fastest.
    memory_order order(const char *name) const {
        return work.at(name).get<bool>() ? memory_order::fortran : memory_order::c;
    }
    /// The output has the memory of the input, which is changed.
    bool is_in_place() const { return work.value("in_place", false); }
    /// Of the field `name`.
    data_type type(const char *name) const;
    /// Throws errc::stopped on all ranks if rank 0 was asked to stop. Collective.
    void check_stop() const;
};
/// Collective. Writes the elements of `part`, a tensor of the box's extents, where the work says:
/// into the input, or into a copy, which is kept as the output.
template <class T> void write_part(const execution &now, const dist_tensor<T> &part);

nlohmann::json execute_create(const execution &now);
nlohmann::json execute_upload(const execution &now);
nlohmann::json execute_overwrite(const execution &now);
nlohmann::json execute_download(const execution &now);
nlohmann::json execute_contract(const execution &now);
nlohmann::json execute_map(const execution &now);
nlohmann::json execute_save(const execution &now);
nlohmann::json execute_load(const execution &now);
nlohmann::json execute_import(const execution &now);
nlohmann::json execute_describe(const execution &now);
nlohmann::json execute_export(const execution &now);
nlohmann::json execute_program(const execution &now);
nlohmann::json execute_open(const execution &now);
nlohmann::json execute_commit(const execution &now);
nlohmann::json execute_reduce(const execution &now);

} // namespace tenfold::server
