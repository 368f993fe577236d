# The libraries that users link: tenfold::tenfold, tenfold::dist and tenfold::chem.
#
# tenfold_library(name OUTPUT_NAME file OBJECTS object libraries...
#                 [ON lower library [HOLDS object libraries...]]
#                 [PUBLIC targets...] [PRIVATE targets...] [DEFINITIONS public macros...])
#
# Makes <name>, static or shared as BUILD_SHARED_LIBS says, and a target for the other kind, which is
# built where something needs it. Either kind has a second name:
#
#   <name>_archive  static. Tenfold's own programs and tests link it, because they use private names.
#   <name>_shared   exports the public names only. Hence it holds the objects of the library ON which
#                   it stands, too, and does not link that one: a program links tenfold::dist instead
#                   of tenfold::tenfold (docs/adr/0021). A library that stands on the lower one's public
#                   names links that one, and HOLDS what little else it needs.
function(tenfold_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT_NAME;ON" "OBJECTS;HOLDS;PUBLIC;PRIVATE;DEFINITIONS")
  set(objects ${arg_OBJECTS})
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  set(lower_objects)
  set(lower_libraries)
  if(arg_HOLDS)
    list(TRANSFORM arg_HOLDS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE lower_objects)
  elseif(arg_ON)
    get_property(lower_objects GLOBAL PROPERTY TENFOLD_OBJECTS_OF_${arg_ON})
    get_property(lower_libraries GLOBAL PROPERTY TENFOLD_LIBRARIES_OF_${arg_ON})
  endif()
  set_property(GLOBAL PROPERTY TENFOLD_OBJECTS_OF_${name} ${objects})
  set_property(GLOBAL PROPERTY TENFOLD_LIBRARIES_OF_${name} ${arg_PRIVATE})

  set(archive ${name})
  set(shared ${name}_shared)
  set(archive_where_needed)
  set(shared_where_needed EXCLUDE_FROM_ALL)
  if(BUILD_SHARED_LIBS)
    set(archive ${name}_archive)
    set(shared ${name})
    set(archive_where_needed EXCLUDE_FROM_ALL)
    set(shared_where_needed)
  endif()
  add_library(${archive} STATIC ${archive_where_needed} ${objects})
  add_library(${shared} SHARED ${shared_where_needed} ${objects} ${lower_objects})
  if(BUILD_SHARED_LIBS)
    add_library(${name}_shared ALIAS ${name})
  else()
    add_library(${name}_archive ALIAS ${name})
  endif()

  if(arg_ON)
    target_link_libraries(${archive} PUBLIC ${arg_ON}_archive)
  endif()
  if(arg_HOLDS)
    target_link_libraries(${shared} PUBLIC ${arg_ON}_shared)
  endif()
  target_link_libraries(${archive} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  target_link_libraries(${shared} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} ${lower_libraries})
  foreach(target IN LISTS archive shared)
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_compile_definitions(${target} PUBLIC ${arg_DEFINITIONS})
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT_NAME} LINKER_LANGUAGE CXX)
  endforeach()
  # Below 1.0 a minor version may change the interface.
  set_target_properties(${shared} PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  if(NOT APPLE)
    set(names ${PROJECT_SOURCE_DIR}/cmake/exported_names.map)
    # A process that loads both libraries must not mix the private parts of the two.
    target_link_options(${shared} PRIVATE LINKER:-Bsymbolic-functions LINKER:--version-script=${names})
    set_property(TARGET ${shared} APPEND PROPERTY LINK_DEPENDS ${names})
  endif()
endfunction()
