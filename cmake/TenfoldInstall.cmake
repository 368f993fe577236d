# Install rules and the CMake package: find_package(tenfold) gives tenfold::tenfold, tenfold::chem and, in
# builds with MPI, tenfold::dist. The installed tree can be moved, because it contains no absolute paths.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tenfold)

# A static library does not bring its dependencies: whoever links it must find the libraries that it
# was built with.
get_target_property(library_type tenfold TYPE)
set(TENFOLD_IS_STATIC OFF)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(TENFOLD_IS_STATIC ON)
endif()

# --- Libraries and headers ------------------------------------------------------------------------

install(TARGETS tenfold EXPORT tenfold-targets)
install(EXPORT tenfold-targets NAMESPACE tenfold:: DESTINATION ${package_dir})
install(DIRECTORY include/tenfold TYPE INCLUDE PATTERN dist.hpp EXCLUDE  # includes mpi.h
        PATTERN dist_async.hpp EXCLUDE PATTERN dist_files.hpp EXCLUDE PATTERN dist_gather.hpp EXCLUDE PATTERN dist_interchange.hpp EXCLUDE PATTERN dist_mixed.hpp EXCLUDE
        PATTERN dist_operations.hpp EXCLUDE PATTERN dist_pairs.hpp EXCLUDE PATTERN dist_process.hpp EXCLUDE PATTERN dist_program.hpp EXCLUDE PATTERN dist_split.hpp EXCLUDE
        PATTERN dist_tasks.hpp EXCLUDE PATTERN dist_trace.hpp EXCLUDE
        PATTERN tenfold_dist.h EXCLUDE PATTERN c/distributed EXCLUDE
        PATTERN tapp EXCLUDE)  # of a library that may not be there, see below

# tenfold::chem has an export set of its own: a static one needs packages that the others do not need.
install(TARGETS tenfold_chem EXPORT tenfold-chem-targets)
install(EXPORT tenfold-chem-targets NAMESPACE tenfold:: DESTINATION ${package_dir})
set(TENFOLD_CHEM_PACKAGES "")
foreach(package IN ITEMS ZLIB LibLZMA)
  if(TENFOLD_IS_STATIC AND TENFOLD_HAVE_${package})
    list(APPEND TENFOLD_CHEM_PACKAGES ${package})
  endif()
endforeach()

# tenfold::dist has one, too. A package without MPI then lacks one file; it does not
# export a target that cannot be used.
set(TENFOLD_HAVE_DIST OFF)
if(TARGET tenfold::dist)
  set(TENFOLD_HAVE_DIST ON)
  install(TARGETS tenfold_dist EXPORT tenfold-dist-targets)
  install(EXPORT tenfold-dist-targets NAMESPACE tenfold:: DESTINATION ${package_dir})
  install(FILES include/tenfold/dist.hpp include/tenfold/dist_async.hpp include/tenfold/dist_files.hpp include/tenfold/dist_gather.hpp include/tenfold/dist_interchange.hpp include/tenfold/dist_mixed.hpp
                include/tenfold/dist_operations.hpp include/tenfold/dist_pairs.hpp include/tenfold/dist_process.hpp include/tenfold/dist_program.hpp include/tenfold/dist_split.hpp include/tenfold/dist_tasks.hpp
                include/tenfold/dist_trace.hpp include/tenfold/tenfold_dist.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenfold)
  install(DIRECTORY include/tenfold/c/distributed DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenfold/c)
endif()

# --- The Fortran modules --------------------------------------------------------------------------

# In export sets of their own, like tenfold::dist. Of the module files, those that users read.
set(TENFOLD_HAVE_FORTRAN OFF)
set(modules_dir ${CMAKE_INSTALL_INCLUDEDIR}/tenfold/fortran)
if(TENFOLD_BUILD_FORTRAN)
  set(TENFOLD_HAVE_FORTRAN ON)
  install(TARGETS tenfold_fortran EXPORT tenfold-fortran-targets)
  install(EXPORT tenfold-fortran-targets NAMESPACE tenfold:: DESTINATION ${package_dir})
  install(FILES ${PROJECT_BINARY_DIR}/fortran-modules/tenfold.mod DESTINATION ${modules_dir})
  if(TENFOLD_HAVE_FORTRAN_DIST)
    install(TARGETS tenfold_fortran_dist EXPORT tenfold-fortran-dist-targets)
    install(EXPORT tenfold-fortran-dist-targets NAMESPACE tenfold:: DESTINATION ${package_dir})
    install(FILES ${PROJECT_BINARY_DIR}/fortran-modules/tenfold_dist.mod DESTINATION ${modules_dir})
  endif()
endif()

# --- Drop-in libraries ----------------------------------------------------------------------------

# tenfold_hptt, tenfold_tblis and tenfold_tapp; their headers have folders of their own, so that -I to
# them finds <hptt.h>, <tblis/tblis.h> and <tapp.h>, and nobody finds them by chance.
set(TENFOLD_DROP_INS "")
if(TENFOLD_BUILD_COMPAT)
  set(TENFOLD_DROP_INS hptt tblis tapp)
  install(DIRECTORY include/tenfold-compat TYPE INCLUDE)
  install(DIRECTORY include/tenfold/tapp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenfold)
endif()
foreach(name IN LISTS TENFOLD_DROP_INS)
  install(TARGETS tenfold_${name} EXPORT tenfold-targets)
endforeach()

# --- Programs: all executables below apps/ -------------------------------------------------------

function(tenfold_install_programs directory)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      install(TARGETS ${target})
    endif()
  endforeach()
  get_property(below DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(subdirectory IN LISTS below)
    tenfold_install_programs(${subdirectory})
  endforeach()
endfunction()

if(TENFOLD_BUILD_APPS)
  tenfold_install_programs(${PROJECT_SOURCE_DIR}/apps)
endif()

# --- The package description ----------------------------------------------------------------------

configure_package_config_file(cmake/tenfold-config.cmake.in tenfold-config.cmake
  INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
# Below 1.0 a minor version may change the interface.
write_basic_package_version_file(tenfold-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/tenfold-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/tenfold-config-version.cmake
  DESTINATION ${package_dir})
if(TENFOLD_IS_STATIC AND TENFOLD_HAVE_BLIS)
  install(FILES cmake/FindBLIS.cmake DESTINATION ${package_dir})
endif()
if(TENFOLD_IS_STATIC AND TENFOLD_HAVE_DIST AND TENFOLD_HAVE_HDF5C)
  install(FILES cmake/FindHDF5C.cmake DESTINATION ${package_dir})
endif()

# pkg-config for the single-node library. The dependencies of a static library are in Libs, not in
# Libs.private, because nobody can link it without them. They include C++'s run time, for C compilers.
set(pc_libraries ${OpenMP_CXX_FLAGS})
foreach(library IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
  if(library MATCHES "^(std)?c\\+\\+$" OR library STREQUAL "m")
    list(APPEND pc_libraries -l${library})
  endif()
endforeach()
if(TENFOLD_HAVE_BLIS)
  list(APPEND pc_libraries ${BLIS_LIBRARY})
endif()
list(JOIN pc_libraries " " pc_libraries)
set(pc_libs "")
set(pc_libs_private ${pc_libraries})
if(TENFOLD_IS_STATIC)
  set(pc_libs " ${pc_libraries}")
  set(pc_libs_private "")
endif()
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(cmake/tenfold.pc.in tenfold.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tenfold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TENFOLD_HAVE_FORTRAN)
  configure_file(cmake/tenfold_fortran.pc.in tenfold_fortran.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tenfold_fortran.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
foreach(name IN LISTS TENFOLD_DROP_INS)
  string(TOUPPER ${name} peer)
  get_target_property(pc_cflags tenfold_${name} TENFOLD_INCLUDE)
  list(TRANSFORM pc_cflags REPLACE "(.+)" "-I\${includedir}/\\1")
  list(JOIN pc_cflags " " pc_cflags)
  configure_file(cmake/tenfold_drop_in.pc.in tenfold_${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tenfold_${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
