# Sets Python3_EXECUTABLE, unless the user did, and Python3_FOUND; and TENFOLD_HAVE_Python: whether this
# Python has NumPy and, for the extension, the headers of both.
#
# A machine may have several. The first one on the path may lack what tests and the extension need,
# which the system's has; so the one that has most is taken, of equals the first.
set(TENFOLD_HAVE_Python OFF)
if(NOT TENFOLD_PYTHON AND NOT TENFOLD_TESTS)
  return()
endif()
if(NOT DEFINED Python3_EXECUTABLE)
  set(best -1)
  set(paths "$ENV{PATH}:/usr/local/bin:/usr/bin")
  string(REPLACE ":" ";" paths "${paths}")
  foreach(path IN LISTS paths)
    if(best EQUAL 2 OR NOT EXISTS ${path}/python3)
      continue()
    endif()
    # Its own name: on the path there may be a script that starts one or another.
    execute_process(
      COMMAND ${path}/python3 -c [[
import os, sys, sysconfig
points = 0
try:
    import numpy
    headers = os.path.join(sysconfig.get_path("include"), "Python.h")
    points = 2 if os.path.exists(headers) and os.path.isdir(numpy.get_include()) else 1
except ImportError:
    pass
print(points, sys.executable)
]]
      OUTPUT_VARIABLE found ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(found MATCHES "^([012]) (.+)$" AND CMAKE_MATCH_1 GREATER best)
      set(best ${CMAKE_MATCH_1})
      set(Python3_EXECUTABLE ${CMAKE_MATCH_2} CACHE FILEPATH "The Python of the package and of tests" FORCE)
    endif()
  endforeach()
endif()

if(TENFOLD_PYTHON AND NOT CMAKE_CROSSCOMPILING)
  find_package(Python3 QUIET COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module NumPy)
  set(PYBIND11_NOPYTHON ON) # it would look for a Python of its own
  find_package(pybind11 2.10 QUIET)
  if(Python3_Development.Module_FOUND AND Python3_NumPy_FOUND AND pybind11_FOUND)
    set(TENFOLD_HAVE_Python ON)
  endif()
else()
  find_package(Python3 QUIET COMPONENTS Interpreter)
endif()
