// Checkpoints: all ranks write and read the tensors' files, rank 0 the manifest. Files of clients.
#include <tenfold/dist_files.hpp>
#include <tenfold/dist_operations.hpp>

#include "apps/server/checkpoint_folder.hpp"
#include "apps/server/confined_file.hpp"
#include "apps/server/execute.hpp"
#include "apps/server/manifest.hpp"
#include "apps/server/planning.hpp"
#include "base/with_type.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

template <class T> dist_tensor<T> load_tensor(const world &where, const std::string &file,
                                              const extents_t &extents,
                                              const execution_control *control) {
    dist_tensor<T> tensor(where, extents);
    load(file, tensor, control);
    return tensor;
}

} // namespace

json execute_save(const execution &now) {
    const std::string folder = now.work.at("folder");
    for (const json &one : now.work.at("tensors")) {
        const auto type = parse_data_type(one.at("type").get<std::string>());
        base::with_arithmetic_type(type.value(), [&]<class T>(T) {
            save(folder + "/" + one.at("file").get<std::string>(),
                 now.store.get<T>(one.at("storage")),
                 {.block = saved_block, .control = &now.control});
        });
    }
    agree(now.where, [&] {
        if (!now.is_root())
            return;
        const std::string &text = *now.root.upload;
        std::set<std::string> kept;
        for (const saved_tensor &one : manifest::parse(text).tensors)
            kept.insert(one.file());
        try {
            now.root.folder->write_manifest(text);
        } catch (const std::runtime_error &problem) {
            throw error(errc::io, problem.what());
        }
        now.root.folder->remove_others(kept);
    });
    return {{"tensors", now.work.at("all")}, {"written", now.work.at("tensors").size()}};
}

json execute_load(const execution &now) {
    base::with_arithmetic_type(now.type("type"), [&]<class T>(T) {
        now.store.keep(now.output(),
                       load_tensor<T>(now.where, now.work.at("file"), now.extents(), &now.control));
    });
    return json::object();
}

namespace {

/// Every rank looks by itself. Collective.
std::string path_below_root(const execution &now) {
    std::string path;
    agree(now.where, [&] {
        path =
            confined_file(now.work.at("root"), now.work.at("parts").get<std::vector<std::string>>())
                .path();
    });
    return path;
}

} // namespace

json execute_import(const execution &now) {
    const std::string path = path_below_root(now);
    base::with_arithmetic_type(now.type("type"), [&]<class T>(T) {
        dist_tensor<T> tensor(now.where, now.extents());
        const file_options options{.block = saved_block, .control = &now.control};
        if (now.work.contains("dataset"))
            load_hdf5(path, now.work.at("dataset"), tensor, options);
        else
            load_npy(path, tensor, options);
        now.store.keep(now.output(), std::move(tensor));
    });
    return json::object();
}

json execute_describe(const execution &now) {
    const std::string path = path_below_root(now);
    const stored_tensor found = now.work.contains("dataset")
                                    ? stored_hdf5(now.where, path, now.work.at("dataset"))
                                    : stored_npy(now.where, path);
    return {{"type", tenfold::name(found.type)}, {"extents", found.extents}};
}

json execute_export(const execution &now) {
    const std::string path = path_below_root(now);
    base::with_arithmetic_type(now.type("input_type"), [&]<class T>(T) {
        const file_options options{.block = saved_block, .control = &now.control};
        const dist_tensor<T> &tensor = now.store.get<T>(now.input(0));
        if (now.work.contains("dataset"))
            save_hdf5(path, now.work.at("dataset"), tensor, options);
        else
            save_npy(path, tensor, options);
    });
    return json::object();
}

void load_checkpoint(const world &where, tensor_store &store, const std::string &folder,
                     const manifest &what) {
    for (const saved_tensor &one : what.tensors)
        base::with_arithmetic_type(one.type, [&]<class T>(T) {
            store.keep(one.id,
                       load_tensor<T>(where, folder + "/" + one.file(), one.extents, nullptr));
        });
}

} // namespace tenfold::server
