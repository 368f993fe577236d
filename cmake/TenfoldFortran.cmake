# Sets TENFOLD_HAVE_Fortran: whether there is a compiler for Fortran, with the header of C descriptors,
# which the C++ compiler must find, too. Enables the language then. Cross compilation uses it only where
# TENFOLD_FORTRAN is ON, because CMake takes this machine's compiler where there is none for the other.
# And sets TENFOLD_HAVE_FORTRAN_DIST: whether MPI has the module mpi_f08 for that compiler.
include(CheckIncludeFileCXX)
include(CheckLanguage)

set(TENFOLD_HAVE_Fortran OFF)
if(TENFOLD_FORTRAN AND NOT (CMAKE_CROSSCOMPILING AND TENFOLD_FORTRAN STREQUAL "AUTO"))
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    check_include_file_cxx(ISO_Fortran_binding.h TENFOLD_FORTRAN_HAS_DESCRIPTORS)
    if(TENFOLD_FORTRAN_HAS_DESCRIPTORS)
      set(TENFOLD_HAVE_Fortran ON)
    endif()
  endif()
endif()

set(TENFOLD_HAVE_FORTRAN_DIST OFF)
if(TENFOLD_HAVE_Fortran AND TENFOLD_HAVE_MPI)
  find_package(MPI QUIET COMPONENTS CXX OPTIONAL_COMPONENTS Fortran)
  if(MPI_Fortran_FOUND AND MPI_Fortran_HAVE_F08_MODULE)
    set(TENFOLD_HAVE_FORTRAN_DIST ON)
  endif()
  message(STATUS "Tenfold with MPI's module mpi_f08: ${TENFOLD_HAVE_FORTRAN_DIST}")
endif()
