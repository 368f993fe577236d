# Precompiles the headers that most sources include, once per kind of target; parsing them took half
# of a build's time. Sources must still include what they use: the preset dev builds without
# precompiled headers and so finds missing includes.
set(TENFOLD_STANDARD_HEADERS
  <algorithm> <array> <atomic> <cmath> <complex> <cstddef> <cstdint> <cstring> <functional> <limits>
  <map> <memory> <mutex> <numeric> <optional> <span> <sstream> <stdexcept> <string> <string_view>
  <utility> <vector>)

# tenfold_precompile(kind target [more headers...])
#
# Targets of one kind have the same macros and the same flags, but for -ffp-contract, which headers do
# not depend on. The first one of a kind precompiles the headers, the others reuse them.
function(tenfold_precompile kind target)
  get_property(owner GLOBAL PROPERTY TENFOLD_PRECOMPILED_${kind})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${TENFOLD_STANDARD_HEADERS} ${ARGN})
    set_property(GLOBAL PROPERTY TENFOLD_PRECOMPILED_${kind} ${target})
  endif()
  # GCC 12 does not remember which precompiled headers were system headers, and so shows its
  # false positives on std::string (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
     AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow
      -Wno-stringop-overread)
  endif()
endfunction()

# tenfold_round_alike(sources...)
#
# Makes every element round in the same way, in vector loops and in their remainders: no product is
# fused with an addition. Precompiled headers would need the same flag, so that these sources do
# without.
function(tenfold_round_alike)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS -ffp-contract=off SKIP_PRECOMPILE_HEADERS ON)
endfunction()
