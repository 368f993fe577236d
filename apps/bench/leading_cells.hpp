// The first cells of a line of a table. They hold names of any width.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tenfold::apps_impl {

struct leading_cell {
    std::string text;
    std::size_t width; ///< of the column
};

/// Returns the cells side by side, each padded to its column and followed by a blank. If one of
/// them is too wide, they get a line of their own, and the following columns stay aligned.
inline std::string leading_cells(const std::vector<leading_cell> &cells) {
    std::string line;
    std::size_t width = 0;
    bool fits = true;
    for (const leading_cell &one : cells) {
        line += one.text;
        line.append(one.width - std::min(one.width, one.text.size()) + 1, ' ');
        width += one.width + 1;
        fits = fits && one.text.size() <= one.width;
    }
    if (fits)
        return line;
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n' + std::string(width, ' ');
}

} // namespace tenfold::apps_impl
