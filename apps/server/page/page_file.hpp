// The files of the page at /, which the build puts into the program (embed.cmake).
#pragma once

#include <string_view>

namespace tenfold::server {

struct page_file {
    std::string_view name; ///< "style.css"
    std::string_view type; ///< of its content: "text/css"
    std::string_view content;
};

/// Null if there is none.
const page_file *find_page_file(std::string_view name) noexcept;

} // namespace tenfold::server
