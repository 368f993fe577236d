# tenfold_test(name SOURCES ... [MODULES modules whose private headers are included]
#              [LIBRARIES targets] [LABELS unit|mpi|package|slow ...] [RANKS n ...] [THREADS t]
#              [PROCESSORS p] [ENVIRONMENT VAR=value ...] [TRAPS filter])
#
# Adds a GoogleTest program and its CTest entries. With RANKS, one entry per rank count, run under
# mpirun, oversubscribed and unbound. THREADS (default 2; 1 with RANKS) is set as
# TENFOLD_NUM_THREADS; threads that wait sleep soon, because other tests run beside this one. PROCESSORS is
# how many CTest reserves, one if not said: several ranks wait most of the time, and so do the threads
# but one, because most cases are small. There is no time limit here: a busy machine takes long, and
# watchdogs find hangs (tests/support/watchdog.hpp, for several ranks tests/mpi/hang_report.hpp).
# TRAPS: runs the tests of the filter once more, as <name>_traps, in a process that ends at
# floating-point exceptions (tests/support/main.cpp).
function(tenfold_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROCESSORS;THREADS;TRAPS"
                        "SOURCES;MODULES;LIBRARIES;LABELS;RANKS;ENVIRONMENT")
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE tenfold_archive tenfold_test_support ${arg_LIBRARIES})
  foreach(module IN LISTS arg_MODULES)
    target_link_libraries(test_${name} PRIVATE tenfold_${module}_headers)
  endforeach()
  tenfold_private_warnings(test_${name})
  tenfold_optimise_little(test_${name})
  tenfold_precompile(test test_${name})
  set_target_properties(test_${name} PROPERTIES ENABLE_EXPORTS ON # the names of tests in stacks of hangs
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test-programs)

  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()

  if(NOT arg_RANKS)
    if(NOT arg_THREADS)
      set(arg_THREADS 2)
    endif()
    if(NOT arg_PROCESSORS)
      set(arg_PROCESSORS 1)
    endif()
    set(environment "TENFOLD_NUM_THREADS=${arg_THREADS}" GOMP_SPINCOUNT=1000 ${arg_ENVIRONMENT})
    add_test(NAME ${name} COMMAND test_${name})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}"
      PROCESSORS ${arg_PROCESSORS}
      ENVIRONMENT "${environment}")
    if(arg_TRAPS AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
      add_test(NAME ${name}_traps COMMAND test_${name} --gtest_filter=${arg_TRAPS})
      set_tests_properties(${name}_traps PROPERTIES LABELS "${arg_LABELS}"
        PROCESSORS ${arg_PROCESSORS}
        ENVIRONMENT "TENFOLD_TEST_TRAPS=1;${environment}")
    endif()
    return()
  endif()

  if(NOT arg_THREADS)
    set(arg_THREADS 1)
  endif()
  foreach(ranks IN LISTS arg_RANKS)
    add_test(NAME ${name}_np${ranks}
      COMMAND ${PROJECT_SOURCE_DIR}/tests/support/quiet_mpirun ${MPIEXEC_EXECUTABLE} ${ranks}
              $<TARGET_FILE:test_${name}>)
    set_tests_properties(${name}_np${ranks} PROPERTIES LABELS "${arg_LABELS}"
      ENVIRONMENT "TENFOLD_NUM_THREADS=${arg_THREADS};${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# tenfold_c_program(name sources...): a program in C99, with the warnings that users enable.
function(tenfold_c_program name)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    UNITY_BUILD OFF
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test-programs)
  target_compile_options(${name} PRIVATE -Wall -Wextra -pedantic -Wstrict-prototypes
    -Wmissing-prototypes $<$<BOOL:${TENFOLD_WERROR}>:-Werror>)
endfunction()
