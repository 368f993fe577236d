// The text of a plan.
#include <cstdio>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold::transpose_impl {
namespace {

/// Returns "mode 3" or "modes 1,2", numbered as in B.
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

std::string mode_text(const walked_mode &one, const schedule &plan) {
    return modes_text(one.members) + " (extent " + std::to_string(one.extent) + ", stride " +
           std::to_string(one.stride_a / plan.size_a) + " in A, " +
           std::to_string(one.stride_b / plan.size_b) + " in B)";
}

std::string pieces_text(index_t piece, index_t extent) {
    return piece < extent ? ", " + std::to_string(piece) + " at a time" : "";
}

std::string run_text(const schedule &plan) {
    std::string text;
    for (const walked_mode &one : plan.run)
        text += (text.empty() ? "" : ", then ") + mode_text(one, plan);
    return text + "; " + std::to_string(plan.strip) + " elements at a time" +
           (plan.block > 0 ? ", by way of a buffer" : "");
}

std::string panel_text(const schedule &plan) {
    std::string text;
    if (plan.how != method::rows)
        for (const walked_mode &one : plan.rows)
            text += (text.empty() ? "" : " with ") + mode_text(one, plan);
    text += pieces_text(plan.row_piece, plan.row_extent);
    for (const walked_mode &one : plan.panel) {
        text += (text.empty() ? "" : ", then ") + mode_text(one, plan);
        if (&one == &plan.panel.back())
            text += pieces_text(plan.panel_piece, one.extent);
    }
    return text.empty() ? "one place" : text;
}

std::string loop_text(const panel_loop &loop) {
    const std::string count = " x " + std::to_string(loop.count);
    switch (loop.what) {
    case panel_loop::over::rows:
    case panel_loop::over::panel:
        return "pieces of " + modes_text(loop.mode.members) + count;
    case panel_loop::over::run:
        return "pieces of the run" + count;
    case panel_loop::over::mode:
        break;
    }
    return modes_text(loop.mode.members) + count;
}

std::string prefetching_text(const schedule &plan) {
    if (plan.ahead == 0)
        return "nothing";
    const bool rows = plan.how == method::rows;
    return std::to_string(plan.ahead) + (rows ? " places" : " tiles") + " ahead" +
           (plan.reads_in_order ? " in B" : "") + ", into the L" +
           std::to_string(plan.prefetch_level) + " cache";
}

/// Several lines: the order in which a schedule reads and writes.
std::string order_text(const schedule &plan) {
    std::string loops;
    for (const panel_loop &loop : plan.loops)
        loops += (loops.empty() ? "" : " > ") + loop_text(loop);
    return "run      " + run_text(plan) + "\npanel    " + panel_text(plan) + "\nloops    " +
           (loops.empty() ? "none: one panel" : loops) + "\nfetches  " + prefetching_text(plan) +
           "\n";
}

const char *method_text(method how) noexcept {
    switch (how) {
    case method::rows:
        return "rows: the stride-1 mode keeps its place and is copied";
    case method::tiles:
        return "tiles: blocks of two stride-1 modes are transposed in registers";
    case method::elements:
        return "elements: A or B has no stride-1 mode that registers could load";
    }
    return "";
}

} // namespace

std::string explain(const plan_state &plan) {
    const schedule &s = plan.overwrites;
    std::string text = "transpose " + std::string(name(plan.type_a)) + " -> " +
                       std::string(name(plan.type_b)) + (plan.conjugate ? ", conjugated" : "") +
                       ", " + std::to_string(s.elements) + " elements\n";
    if (s.elements == 0)
        return text + "method   nothing to do\n";
    text += std::string("method   ") + method_text(s.how) + "\n";
    const std::string order = order_text(s);
    text += order;
    text += "kernel   " + plan.kernels.name() + "\n";
    text += std::string("stores   ") +
            (s.stream ? "past the cache where beta is 0, regular otherwise" : "regular") + "\n";
    text += "threads  " + std::to_string(s.threads) + "\n";
    text += plan.tuning.empty() ? estimated : plan.tuning;
    char seconds[64];
    std::snprintf(seconds, sizeof seconds, "%.3g s", plan.seconds);
    const index_t moved = base::saturated_add(s.elements * s.size_a, s.elements * s.size_b);
    text += "traffic  " + base::describe(bytes(moved)) + ", about " + seconds + "\n";
    if (const std::string added = order_text(plan.accumulates); added != order)
        text += "where beta is not 0:\n" + added;
    return text;
}

} // namespace tenfold::transpose_impl
