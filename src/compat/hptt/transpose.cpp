// hptt::Transpose: a plan of Tenfold's beside the pointers and factors that HPTT's plans keep.
#include <tenfold/tenfold.hpp>

#include <cstdio>
#include <mutex>
#include <optional>
#include <span>

#include <omp.h>

#include "compat/hptt/layouts.hpp"
#include "tenfold-compat/hptt.h"

namespace hptt {
inline namespace tenfold_1 {
namespace {

tenfold::tuning tuning_of(SelectionMethod method, int candidates) {
    if (candidates == 0 || candidates == 1)
        return tenfold::tuning::estimate;
    switch (method) {
    case ESTIMATE:
        return tenfold::tuning::estimate;
    case MEASURE:
        return tenfold::tuning::measure;
    case PATIENT:
    case CRAZY:
        return tenfold::tuning::patient;
    }
    throw tenfold::error(tenfold::errc::invalid_argument,
                         "selectionMethod is " + std::to_string(static_cast<int>(method)) +
                             "; it is ESTIMATE, MEASURE, PATIENT or CRAZY");
}

using tenfold::hptt_impl::layouts;

/// A part of a transposition: layouts of the parts of A and B, and where they begin.
struct part : layouts {
    tenfold::index_t offset_a, offset_b;
};

/// Share number `share` of `shares`: cut along B's longest mode, so that no two threads write to
/// one element. Empty if there is nothing left for it.
std::optional<part> share_of(const layouts &whole, std::span<const int> permutation, int share,
                             int shares) {
    using tenfold::index_t;
    int cut = 0; // of B's modes
    for (int mode = 1; mode < whole.b.order(); ++mode)
        if (whole.b.extent(mode) > whole.b.extent(cut))
            cut = mode;
    const index_t extent = whole.b.extent(cut);
    const index_t each = (extent + shares - 1) / shares;
    const index_t first = std::min(extent, share * each);
    const index_t count = std::min(extent - first, each);
    if (count <= 0 || whole.b.empty())
        return std::nullopt;
    const auto cut_b = static_cast<std::size_t>(cut);
    const auto cut_a = static_cast<std::size_t>(permutation[cut_b]);
    tenfold::extents_t extents_a = whole.a.extents(), extents_b = whole.b.extents();
    tenfold::extents_t offsets(extents_a.size());
    extents_a[cut_a] = extents_b[cut_b] = count;
    offsets[cut_a] = first;
    part mine{{whole.a.block(offsets, extents_a), {}}, whole.a.offset_of(offsets), 0};
    offsets[cut_a] = 0;
    offsets[cut_b] = first;
    mine.b = whole.b.block(offsets, extents_b);
    mine.offset_b = whole.b.offset_of(offsets);
    return mine;
}

} // namespace

template <class T> struct Transpose<T>::state {
    layouts shapes;
    std::vector<int> permutation;
    const T *a;
    T *b;
    T alpha, beta;
    SelectionMethod method;
    int threads;
    int candidates = -1;
    bool conjugate = false;
    std::vector<int> thread_ids = {}; ///< ascending
    std::optional<tenfold::transpose_plan> plan = std::nullopt;

    void make_plan() {
        plan = plan_for(shapes, {.beta = tenfold::scalar(beta),
                                 .tuning = tuning_of(method, candidates),
                                 .threads = threads});
    }

    tenfold::transpose_plan plan_for(const layouts &of,
                                     const tenfold::transpose_options &options) const {
        constexpr tenfold::data_type type = tenfold::data_type_of<T>;
        return {permutation, type, of.a, type, of.b, conjugate, options};
    }
};

namespace {

/// Threads of a parallel region may add their numbers at the same time.
std::mutex &thread_ids_mutex() {
    static std::mutex one;
    return one;
}

} // namespace

template <class T>
Transpose<T>::Transpose(const int *sizeA, const int *perm, const int *outerSizeA,
                        const int *outerSizeB, const int dim, const T *A, const T alpha, T *B,
                        const T beta, const SelectionMethod selectionMethod, const int numThreads,
                        const int *threadIds, const bool useRowMajor)
    : state_(std::make_unique<state>(state{
          tenfold::hptt_impl::make_layouts({perm, dim, sizeA, outerSizeA, outerSizeB, useRowMajor}),
          {perm, perm + dim},
          A,
          B,
          alpha,
          beta,
          selectionMethod,
          numThreads})) {
    for (int thread = 0; thread < numThreads; ++thread)
        state_->thread_ids.push_back(threadIds != nullptr ? threadIds[thread] : thread);
    std::sort(state_->thread_ids.begin(), state_->thread_ids.end());
    createPlan();
}

template <class T> Transpose<T>::Transpose(const Transpose &other)
    : state_(std::make_unique<state>(*other.state_)) {}

template <class T> Transpose<T> &Transpose<T>::operator=(const Transpose &other) {
    *state_ = state(*other.state_); // a self-assignment changes nothing
    return *this;
}

template <class T> Transpose<T>::~Transpose() = default;

template <class T> bool Transpose<T>::getConjA() const noexcept { return state_->conjugate; }

template <class T> void Transpose<T>::setConjA(bool conjA) {
    if (conjA == state_->conjugate)
        return;
    state_->conjugate = conjA;
    if (tenfold::element_traits<T>::is_complex)
        createPlan();
}

template <class T> int Transpose<T>::getNumThreads() const noexcept { return state_->threads; }

template <class T> void Transpose<T>::setNumThreads(int numThreads) {
    if (numThreads == state_->threads)
        return;
    state_->threads = numThreads;
    createPlan();
}

template <class T> T Transpose<T>::getAlpha() const noexcept { return state_->alpha; }
template <class T> T Transpose<T>::getBeta() const noexcept { return state_->beta; }
template <class T> void Transpose<T>::setAlpha(T alpha) noexcept { state_->alpha = alpha; }
template <class T> void Transpose<T>::setBeta(T beta) noexcept { state_->beta = beta; }
template <class T> void Transpose<T>::setInputPtr(const T *A) noexcept { state_->a = A; }
template <class T> void Transpose<T>::setOutputPtr(T *B) noexcept { state_->b = B; }
template <class T> const T *Transpose<T>::getInputPtr() const noexcept { return state_->a; }
template <class T> T *Transpose<T>::getOutputPtr() const noexcept { return state_->b; }

template <class T> void Transpose<T>::resetThreadIds() noexcept { state_->thread_ids.clear(); }

template <class T> void Transpose<T>::addThreadId(int threadId) {
    const std::lock_guard lock(thread_ids_mutex());
    auto &ids = state_->thread_ids;
    ids.insert(std::upper_bound(ids.begin(), ids.end(), threadId), threadId);
}

template <class T> void Transpose<T>::printThreadIds() const noexcept {
    for (const int id : state_->thread_ids)
        std::printf("%d, ", id);
    std::printf("\n");
}

template <class T> int Transpose<T>::getMasterThreadId() const noexcept {
    return state_->thread_ids.empty() ? -1 : state_->thread_ids.front();
}

template <class T> void Transpose<T>::setMaxAutotuningCandidates(int num) noexcept {
    state_->candidates = num;
}

template <class T> void Transpose<T>::createPlan() { state_->make_plan(); }

template <class T> void Transpose<T>::execute() const { execute_all(false); }

template <class T> void Transpose<T>::execute_all(bool beta_is_zero) const {
    const T beta = beta_is_zero ? T(0) : state_->beta;
    state_->plan->execute(state_->alpha, state_->a, beta, state_->b).throw_if_failed();
}

template <class T> void Transpose<T>::execute_share(bool beta_is_zero) const {
    const auto &ids = state_->thread_ids;
    const auto mine = std::find(ids.begin(), ids.end(), omp_get_thread_num());
    if (mine == ids.end()) // other threads of the region do not take part
        return;
    if (ids.size() == 1)
        return execute_all(beta_is_zero);
    const auto share = share_of(state_->shapes, state_->permutation,
                                static_cast<int>(mine - ids.begin()), static_cast<int>(ids.size()));
    if (!share)
        return;
    const T beta = beta_is_zero ? T(0) : state_->beta;
    // Null pointers stay null, and are refused.
    const T *const a = state_->a == nullptr ? nullptr : state_->a + share->offset_a;
    T *const b = state_->b == nullptr ? nullptr : state_->b + share->offset_b;
    state_->plan_for(*share, {.threads = 1}).execute(state_->alpha, a, beta, b).throw_if_failed();
}

template <class T> void Transpose<T>::print() const noexcept {
    try {
        std::printf("%s\n", state_->plan->explain().c_str());
    } catch (const std::exception &) { // no memory for the text
    }
}

template class Transpose<float>;
template class Transpose<double>;
template class Transpose<FloatComplex>;
template class Transpose<DoubleComplex>;

} // namespace tenfold_1
} // namespace hptt
