#include "transpose/explain.hpp"

#include <algorithm>
#include <cstdio>

#include "base/size_text.hpp"

namespace tenfold::transpose_impl {
namespace {

/// "mode 3" or "modes 1,2", counted in B.
std::string modes_text(const std::vector<int> &members) {
    if (members.empty())
        return "no mode";
    std::string text = members.size() == 1 ? "mode" : "modes";
    char separator = ' ';
    for (const int member : members) {
        text += separator + std::to_string(member);
        separator = ',';
    }
    return text;
}

std::string side_text(const tile_side &side, const schedule &plan) {
    return modes_text(side.members) + " (extent " + std::to_string(side.extent) + ", stride " +
           std::to_string(side.stride_a / plan.size_a) + " in A, " +
           std::to_string(side.stride_b / plan.size_b) + " in B), " + std::to_string(side.step) +
           " at a time";
}

std::string loop_text(const tile_loop &loop) {
    switch (loop.what) {
    case tile_loop::walk::along:
        return "tiles along";
    case tile_loop::walk::across:
        return "tiles across";
    case tile_loop::walk::mode:
        break;
    }
    return modes_text(loop.members) + " x " + std::to_string(loop.extent);
}

const char *method_text(method how) noexcept {
    switch (how) {
    case method::rows:
        return "rows: the stride-1 mode keeps its place and is copied whole";
    case method::tiles:
        return "tiles: blocks of two stride-1 modes are transposed in registers";
    case method::elements:
        return "elements: A or B has no stride-1 mode that registers could load";
    }
    return "";
}

} // namespace

std::string explain(const transpose_plan::state &plan) {
    const schedule &s = plan.schedule;
    std::string text = "transpose " + std::string(name(plan.type_a)) + " -> " +
                       std::string(name(plan.type_b)) + (plan.conjugate ? ", conjugated" : "") +
                       ", " + std::to_string(s.elements) + " elements\n";
    if (s.elements == 0)
        return text + "method   nothing to do\n";
    text += std::string("method   ") + method_text(s.how) + "\n";
    text += "along    " + side_text(s.along, s) + "\n";
    text += "across   " + side_text(s.across, s) + "\n";
    text += "loops    ";
    for (std::size_t k = 0; k < s.loops.size(); ++k)
        text += (k == 0 ? "" : " > ") + loop_text(s.loops[k]);
    text += s.loops.empty() ? "none: one tile\n" : "\n";
    text += "kernels  " +
            (s.how == method::elements ? std::string("elements_generic") : plan.kernels.name) +
            "\n";
    text += std::string("stores   ") +
            (s.stream ? "past the cache where beta is 0, regular otherwise" : "regular") + "\n";
    text += "threads  " + std::to_string(s.threads) + "\n";
    char seconds[64];
    std::snprintf(seconds, sizeof seconds, "%.3g s", plan.seconds);
    text += "traffic  " + base::describe(bytes(s.elements * (s.size_a + s.size_b))) + ", about " +
            seconds + "\n";
    return text;
}

double predict_seconds(const schedule &plan, const base::machine &machine) noexcept {
    constexpr double call = 0.3e-6;
    constexpr double fork = 5e-6;
    constexpr double cache_rate = 40e9;         // bytes per second and core
    constexpr double memory_rate = 12e9;        // likewise
    constexpr double elements_per_second = 3e8; // one by one
    const auto moved = static_cast<double>(plan.elements * (plan.size_a + plan.size_b));
    const bool cached = moved <= static_cast<double>(machine.l2.size);
    // A line that is written through the cache is read first.
    const auto filled =
        cached || plan.stream ? 0.0 : static_cast<double>(plan.elements * plan.size_b);
    double work = (moved + filled) / (cached ? cache_rate : memory_rate);
    if (plan.how == method::elements)
        work = std::max(work, static_cast<double>(plan.elements) / elements_per_second);
    return call + (plan.threads > 1 ? fork : 0.0) + work / plan.threads;
}

} // namespace tenfold::transpose_impl
