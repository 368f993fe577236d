// Copies and redistributions in the background.
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenfold/dist_async.hpp>
#include <tenfold/dist_types.hpp>

#include "distributed/comm/agreement.hpp"
#include "distributed/comm/background.hpp"
#include "distributed/exchange/exchange.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/same_extents.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// Y = X; with a result, Y is that.
template <class T, class Result> class copy_in_background final : public pending_result<Result>,
                                                                  public background_work {
public:
    /// Finds the memory.
    copy_in_background(const char *operation, const dist_tensor<T> &x, dist_tensor<T> &y)
        : background_work(y.owner(), operation, y.number()) {
        prepare(x, y);
    }
    /// `y`: the result.
    copy_in_background(const char *operation, const dist_tensor<T> &x, dist_tensor<T> &&y)
        : background_work(y.owner(), operation, y.number()), result_(std::move(y)) {
        prepare(x, *result_);
    }
    ~copy_in_background() override { leave(); }
    copy_in_background(const copy_in_background &) = delete;
    copy_in_background &operator=(const copy_in_background &) = delete;

    void begin() {
        enter();
        if (movement_)
            movement_->start(std::move(*from_), std::move(*to_), tag());
    }

    bool test() override {
        const exclusive_use one_thread(comm());
        comm().advance_background();
        return is_through();
    }
    Result wait() override {
        {
            const exclusive_use one_thread(comm());
            finish();
        }
        if constexpr (!std::is_void_v<Result>)
            return std::move(*result_);
    }

    bool advance() override { return movement_ && movement_->advance(); }
    bool is_through() const noexcept override { return !movement_ || movement_->is_through(); }
    std::vector<int> peers() const override {
        return movement_ ? movement_->peers() : std::vector<int>();
    }
    void take_back() noexcept override {
        if (movement_)
            movement_->take_back();
    }

private:
    void prepare(const dist_tensor<T> &x, dist_tensor<T> &y) {
        comm().prepare_background();
        if (&x == &y)
            return;
        from_.emplace(x.data(), x.local_slice());
        to_.emplace(tensor_access::elements(y), y.local_slice());
        movement_.emplace(
            comm(), [&](int rank) { return x.distribution().block_of(rank); },
            [&](int rank) { return y.distribution().block_of(rank); }, &x.distribution());
        movement_->send_in_place(*from_);
        movement_->allocate();
    }

    std::optional<dist_tensor<T>> result_; ///< which outlives the movement
    std::optional<placement<const T>> from_;
    std::optional<placement<T>> to_;
    std::optional<exchange<T>> movement_;
};

} // namespace

template <class T> dist_future<void> copy_async(const dist_tensor<T> &x, dist_tensor<T> &y) {
    communicator &comm = communicator_of(y.owner());
    const traced_call traced(comm, "copy_async");
    const auto describe = [&](call_description &call) {
        call.add("type", name(data_type_of<T>)).add("X", x).add("Y", y);
    };
    std::unique_ptr<copy_in_background<T, void>> begun;
    collectively(comm, "copy_async", describe, [&] {
        check_same_extents({x, "X"}, {y, "Y"});
        tensor_access::check_copies(x, "X");
        begun = std::make_unique<copy_in_background<T, void>>("copy_async", x, y);
    });
    begun->begin();
    tensor_access::copies_are_equal(y); // as soon as it may be read again
    return dist_future<void>(std::move(begun));
}

template <class T>
dist_future<dist_tensor<T>> redistribute_async(const dist_tensor<T> &x, distribution spread) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "redistribute_async");
    auto result =
        tensor_access::make<T>("redistribute_async (result)", x.owner(), x.extents(), spread);
    std::unique_ptr<copy_in_background<T, dist_tensor<T>>> begun;
    collectively(comm, "redistribute_async", on_tensor(x), [&] {
        tensor_access::check_copies(x, "the tensor");
        begun = std::make_unique<copy_in_background<T, dist_tensor<T>>>("redistribute_async", x,
                                                                        std::move(result));
    });
    begun->begin();
    return dist_future<dist_tensor<T>>(std::move(begun));
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template dist_future<void> copy_async(const dist_tensor<T> &, dist_tensor<T> &);               \
    template dist_future<dist_tensor<T>> redistribute_async(const dist_tensor<T> &, distribution);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
