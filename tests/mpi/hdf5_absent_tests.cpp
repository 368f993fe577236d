// Tests the error of a build without HDF5.
#include "mpi/files.hpp"

namespace tenfold::testing {
namespace {

TEST(Hdf5Files, AreRefusedWithoutTheLibrary) {
    const shared_folder folder;
    const std::string file = folder.file("a.h5");
    dist_tensor<double> a(ranks(), {2, 3});
    for (const auto &call : {std::function<void()>([&] { save_hdf5(file, "a", a); }),
                             std::function<void()>([&] { load_hdf5(file, "a", a); }),
                             std::function<void()>([&] { stored_hdf5(ranks(), file, "a"); })})
        expect_part(expect_failure(errc::unsupported, call), "cannot read or write HDF5 files");
    EXPECT_FALSE(exists(file));
}

} // namespace
} // namespace tenfold::testing
