# Headers that most sources include, parsed once per target: half of a build's time went into them.
# Sources include what they use nevertheless: the preset dev builds without this, and shows what is
# missing.
set(TENFOLD_STANDARD_HEADERS
  <algorithm> <array> <atomic> <cmath> <complex> <cstddef> <cstdint> <cstring> <functional> <limits>
  <map> <memory> <mutex> <numeric> <optional> <span> <sstream> <stdexcept> <string> <string_view>
  <utility> <vector>)

# tenfold_precompile(target [more headers...])
function(tenfold_precompile target)
  target_precompile_headers(${target} PRIVATE ${TENFOLD_STANDARD_HEADERS} ${ARGN})
  tenfold_precompiled_warnings(${target})
endfunction()

# GCC 12 forgets which precompiled headers were the system's, and its false alarms on std::string
# (GCC bug 105651) come through.
function(tenfold_precompiled_warnings target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
     AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow
      -Wno-stringop-overread)
  endif()
endfunction()

# tenfold_round_alike(sources...): every element is rounded alike there, in vector loops and at their
# ends: no product is fused with an addition. Precompiled headers would have to be told, too.
function(tenfold_round_alike)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS -ffp-contract=off SKIP_PRECOMPILE_HEADERS ON)
endfunction()
