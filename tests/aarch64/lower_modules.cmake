# For the build of cross_build alone (CMAKE_PROJECT_tenfold_INCLUDE), to save time: the library holds the
# modules whose tests are emulated. The others are compiled without making code, with all warnings:
# the target upper_modules.
function(tenfold_lower_modules)
  set(lower "tenfold_(base|simd|tensor|einsum|tuning|transpose|gemm)[_>]")
  get_target_property(objects tenfold SOURCES)
  set(upper ${objects})
  list(FILTER objects INCLUDE REGEX ${lower})
  list(FILTER upper EXCLUDE REGEX ${lower})
  set_property(TARGET tenfold PROPERTY SOURCES ${objects})
  list(TRANSFORM upper REPLACE "^\\$<TARGET_OBJECTS:(.+)>$" "\\1")
  foreach(module IN LISTS upper)
    target_compile_options(${module} PRIVATE -fsyntax-only)
  endforeach()
  add_custom_target(upper_modules)
  add_dependencies(upper_modules ${upper})
endfunction()
cmake_language(DEFER CALL tenfold_lower_modules)
