// The peers blas, openblas, blis and mkl: sgemm_, dgemm_, cgemm_ and zgemm_. The peer xsmm:
// libxsmm_sgemm and libxsmm_dgemm, which take the same arguments.
#include "apps/bench/peers/blas.hpp"

#include "apps/bench/peers/library.hpp"
#include "apps/bench/peers/peer.hpp"
#include "apps/bench/peers/type_letter.hpp"
#include "apps/common/program.hpp"

namespace tenfold::apps_impl {
namespace {

class blas_peer : public peer {
public:
    blas_peer(const peer_name &which, const bench_options &options)
        : name_(which.name), library_(which.name, which.file) {
        const std::string symbol =
            name_ == "xsmm" ? std::string("libxsmm_") + type_letter(options.type) + "gemm"
                            : std::string(1, type_letter(options.type)) + "gemm_";
        gemm_ = library_.require<gemm_function>(symbol);
        library_.set_threads(options.threads, "openblas_set_num_threads",
                             "bli_thread_set_num_threads", "MKL_Set_Num_Threads");
    }

    std::function<void()> prepare(workload &work) override {
        const extents_t &sizes = work.definition().extents; // m, k, n
        const int m = to_int(name_, sizes[0]);
        const int k = to_int(name_, sizes[1]);
        const int n = to_int(name_, sizes[2]);
        const scalar_value alpha(work.type(), 1);
        const scalar_value beta(work.type(), work.beta());
        const void *a = work.input_array(0).data();
        const void *b = work.input_array(1).data();
        void *c = work.output_array().data();
        return [=, gemm = gemm_] {
            gemm("N", "N", &m, &n, &k, alpha.address(), a, &m, b, &k, beta.address(), c, &m);
        };
    }

private:
    std::string name_;
    library library_;
    gemm_function *gemm_;
};

} // namespace

std::unique_ptr<peer> load_blas(const peer_name &which, const bench_options &options) {
    if (which.name == "xsmm" && (is_complex(options.type) || options.threads > 1))
        throw usage_error("peer 'xsmm' multiplies real matrices on one thread: use --type f32 or "
                          "f64 and --threads 1");
    return std::make_unique<blas_peer>(which, options);
}

} // namespace tenfold::apps_impl
