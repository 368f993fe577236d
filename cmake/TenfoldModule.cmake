# Modules: one folder below src/, one object library, one include root.
#
# A source includes its own and lower modules' private headers by their path below src/:
# "module/room/file.hpp". Each module's include root holds only links to the module's folders, and
# is visible only to modules that list it in DEPENDS, directly or indirectly. Hence an upward
# include does not compile.
set(TENFOLD_PROJECT_FOLDER ${CMAKE_CURRENT_LIST_DIR}/..)

# Warnings for Tenfold's own sources; they are never exported to users.
function(tenfold_private_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion
    $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC's false positives on std::string's operator+ (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_UNITY_BUILD)
    # GCC takes sources of a unity build for headers, where anonymous namespaces would be a fault.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  if(TENFOLD_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# Without a build type in the enclosing project, the compiler would not optimise at all. An
# enclosing project's own choice, by build type or by flags, is respected.
function(tenfold_optimise target)
  if(NOT CMAKE_CXX_FLAGS MATCHES "(^| )-O")
    target_compile_options(${target} PRIVATE $<$<CONFIG:>:-O3>)
  endif()
endfunction()

# For what spends its run time in the library: -O1 compiles a third faster. Sanitizers' own flags, and
# builds without optimisation, stay as they are.
function(tenfold_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Objects that every library can hold, and that no shared library exports unless a public header says
# so (cmake/TenfoldLibrary.cmake).
function(tenfold_inside_library target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# tenfold_include_root(directory BELOW folder FOLDERS relative paths ...)
#
# A directory for -I from which "path/file.hpp" finds the headers in these folders and no others.
function(tenfold_include_root directory)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BELOW" "FOLDERS")
  foreach(folder IN LISTS arg_FOLDERS)
    cmake_path(GET folder PARENT_PATH parent)
    file(MAKE_DIRECTORY ${directory}/${parent})
    file(CREATE_LINK ${arg_BELOW}/${folder} ${directory}/${folder} SYMBOLIC)
  endforeach()
endfunction()

# tenfold_module(name SOURCES ... DEPENDS lower modules... LIBRARIES targets...
#                [FOLDERS below src/ ...] [BELOW another folder than src/])
#
# Defines tenfold_<name> (objects) and tenfold_<name>_headers (the headers that other modules may
# include). Headers are in src/<name> or in the FOLDERS.
function(tenfold_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BELOW" "SOURCES;DEPENDS;LIBRARIES;FOLDERS")

  set(root ${PROJECT_BINARY_DIR}/include-roots/${name})
  if(NOT arg_FOLDERS)
    set(arg_FOLDERS ${name})
  endif()
  if(NOT arg_BELOW)
    set(arg_BELOW ${TENFOLD_PROJECT_FOLDER}/src)
  endif()
  tenfold_include_root(${root} BELOW ${arg_BELOW} FOLDERS ${arg_FOLDERS})

  add_library(tenfold_${name}_headers INTERFACE)
  target_include_directories(tenfold_${name}_headers INTERFACE ${root} ${PROJECT_SOURCE_DIR}/include)
  target_compile_features(tenfold_${name}_headers INTERFACE cxx_std_20)
  target_link_libraries(tenfold_${name}_headers INTERFACE OpenMP::OpenMP_CXX ${arg_LIBRARIES})
  foreach(lower IN LISTS arg_DEPENDS)
    target_link_libraries(tenfold_${name}_headers INTERFACE tenfold_${lower}_headers)
  endforeach()

  add_library(tenfold_${name} OBJECT ${arg_SOURCES})
  target_link_libraries(tenfold_${name} PRIVATE tenfold_${name}_headers)
  tenfold_inside_library(tenfold_${name})
  tenfold_private_warnings(tenfold_${name})
  tenfold_optimise(tenfold_${name})
  set(kind module)
  if(MPI::MPI_CXX IN_LIST arg_LIBRARIES) # which may add -pthread
    set(kind module_with_mpi)
  endif()
  tenfold_precompile(${kind} tenfold_${name})
endfunction()
