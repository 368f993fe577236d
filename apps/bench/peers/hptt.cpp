#include "apps/bench/peers/hptt.hpp"

#include <algorithm>

#include "apps/bench/peers/peer.hpp"
#include "apps/bench/peers/type_letter.hpp"
#include "apps/common/host_array.hpp"
#include "apps/common/program.hpp"
#include "base/with_type.hpp"

namespace tenfold::apps_impl {

hptt_functions::hptt_functions(const library &from, data_type type)
    : type_(type), address_(reinterpret_cast<void *>(from.require<void()>(
                       std::string(1, type_letter(type)) + "TensorTranspose"))) {}

std::function<void()> hptt_functions::call(std::vector<int> perm, std::vector<int> size_a,
                                           const void *a, double beta, void *b, int threads) const {
    const auto order = static_cast<int>(perm.size());
    const auto make = [&]<class T>(T) -> std::function<void()> {
        if constexpr (data_type_of<T> == data_type::f32 || data_type_of<T> == data_type::f64) {
            auto *function = reinterpret_cast<hptt_real_function<T> *>(address_);
            return [=] {
                function(perm.data(), order, T(1), static_cast<const T *>(a), size_a.data(),
                         nullptr, static_cast<T>(beta), static_cast<T *>(b), nullptr, threads, 0);
            };
        } else if constexpr (is_complex(data_type_of<T>)) {
            using real = typename T::value_type;
            auto *function = reinterpret_cast<hptt_complex_function<T> *>(address_);
            return [=] {
                function(perm.data(), order, T(1), false, static_cast<const T *>(a), size_a.data(),
                         nullptr, T(static_cast<real>(beta)), static_cast<T *>(b), nullptr, threads,
                         0);
            };
        } else {
            throw failure("HPTT has no transposition of " + std::string(name(type_)));
        }
    };
    return base::with_type(type_, make);
}

namespace {

class hptt_peer : public peer {
public:
    hptt_peer(const peer_name &which, const bench_options &options)
        : library_(which.name, which.file), functions_(library_, options.type) {}

    std::function<void()> prepare(workload &work) override {
        std::vector<int> size;
        for (const index_t extent : work.input_array(0).shape().extents())
            size.push_back(to_int("hptt", extent));
        return functions_.call(work.definition().permutation(), size, work.input_array(0).data(),
                               work.beta(), work.output_array().data(), work.threads());
    }

private:
    library library_;
    hptt_functions functions_;
};

} // namespace

std::unique_ptr<peer> load_hptt(const peer_name &which, const bench_options &options) {
    return std::make_unique<hptt_peer>(which, options);
}

} // namespace tenfold::apps_impl
