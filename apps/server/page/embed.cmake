# cmake -D FOLDER=.. -D OUTPUT=page_files.cpp -P embed.cmake: a source with the page's files as strings.
set(type_html "text/html")
set(type_css "text/css")
set(type_js "text/javascript")
set(type_svg "image/svg+xml")
set(entries "")
foreach(name IN ITEMS index.html style.css script.js common.js charts.js icon.svg)
  file(READ "${FOLDER}/${name}" content)
  string(REGEX REPLACE ".*[.]" "" extension "${name}")
  string(APPEND entries "    {\"${name}\", \"${type_${extension}}; charset=utf-8\", R\"page-file(${content})page-file\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by apps/server/page/embed.cmake.
#include \"apps/server/page/page_file.hpp\"

namespace tenfold::server {
namespace {

constexpr page_file page_files[] = {
${entries}};

} // namespace

const page_file *find_page_file(std::string_view name) noexcept {
    for (const page_file &one : page_files)
        if (one.name == name)
            return &one;
    return nullptr;
}

} // namespace tenfold::server
")
