#include "apps/ccsd/diis.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <tenfold/context.hpp>
#include <tenfold/dist_tasks.hpp>

namespace tenfold::ccsd {
namespace {

constexpr const char *extrapolated[] = {"T1", "T2"};
constexpr const char *error_names[] = {"R1", "R2"};
static_assert(std::size(diis::kept_names) == diis::tensors_per_vector);

void copy(const dist_tensor<double> &from, dist_tensor<double> &to) {
    std::copy_n(from.data(), from.local_slice().size(), to.data());
}

} // namespace

diis::~diis() {
    // Freeing tensors needs no communication.
    for (const int place : subspace_.places())
        erase(place);
}

void diis::erase(int place) {
    for (const char *name : kept_names)
        tensors_.erase(stored_name(name, place));
}

/// Elements on this rank of a tensor of each vector that is kept, oldest first.
std::vector<const double *> diis::kept_data(const char *name) const {
    std::vector<const double *> all;
    for (const int place : subspace_.places())
        all.push_back(std::as_const(tensors_)[stored_name(name, place)].data());
    return all;
}

void diis::remember() {
    const int place = subspace_.make_room();
    for (const char *name : kept_names) { // they are made again here or by the next residual
        tensors_.create(stored_name(name, place), tensors_[name].extents());
        tensors_.swap(name, stored_name(name, place));
    }
    const auto newest = [&](const char *name) -> const dist_tensor<double> & {
        return tensors_[stored_name(name, place)];
    };
    std::vector<int> places = subspace_.places();
    places.push_back(place);
    std::vector<double> products(places.size(), 0.0);
    if (context::global().settings().reproducible) {
        for (std::size_t k = 0; k < places.size(); ++k)
            for (const char *name : error_names)
                products[k] += dot(tensors_[stored_name(name, places[k])], newest(name));
    } else {
        for (const char *name : error_names) {
            std::vector<const double *> others = kept_data(name);
            others.push_back(newest(name).data());
            chem::add_inner_products(others.back(), others, newest(name).local_slice().size(),
                                     products);
        }
        all_reduce(tensors_.ranks(), std::span(products), reduction::sum);
    }
    subspace_.add(place, std::move(products));
}

std::vector<std::string> diis::names() const {
    std::vector<std::string> all;
    for (const int place : subspace_.places())
        for (const char *name : kept_names)
            all.push_back(stored_name(name, place));
    return all;
}

std::string diis::stored_name(const std::string &kept, int place) {
    return "diis_" + kept + "_" + std::to_string(place);
}

std::string diis::name_of(int i) {
    return stored_name(kept_names[i % tensors_per_vector], i / tensors_per_vector);
}

void diis::extrapolate() {
    if (most_ < 2)
        return;
    remember();
    std::vector<double> c = subspace_.coefficients();
    while (c.empty() && subspace_.size() > 1) { // linearly dependent: drop the oldest
        erase(subspace_.forget_oldest());
        c = subspace_.coefficients();
    }
    if (c.empty()) {
        for (const char *name : extrapolated)
            copy(tensors_[stored_name(name, subspace_.places().back())], tensors_[name]);
        return;
    }
    for (const char *name : extrapolated) {
        dist_tensor<double> &t = tensors_[name];
        chem::combine(c, kept_data(name), t.local_slice().size(), t.data());
    }
}

} // namespace tenfold::ccsd
