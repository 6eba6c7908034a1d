# wattune_module(NAME [NOT_IN_LIBRARY] SOURCES file... [ALONE file...] [DEPENDS module...] [LIBRARIES target...])
#
# One module as the library `wattune_NAME`. DEPENDS are the modules it may include, as tools/check_layers.py checks;
# LIBRARIES stay private to its sources. ALONE are those sources that a unity build compiles by themselves, because
# others have their local names too.
# NOT_IN_LIBRARY keeps it out of wattune::wattune.
function(wattune_module name)
  cmake_parse_arguments(ARG "NOT_IN_LIBRARY" "" "SOURCES;ALONE;DEPENDS;LIBRARIES" ${ARGN})
  set(target wattune_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:wattune_build_flags> Threads::Threads ${CMAKE_DL_LIBS}
    ${ARG_LIBRARIES})
  foreach(module IN LISTS ARG_DEPENDS)
    target_link_libraries(${target} PUBLIC wattune_${module})
  endforeach()
  if(name STREQUAL core)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
  else()
    target_precompile_headers(${target} REUSE_FROM wattune_core)
  endif()
  if(ARG_ALONE)
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  if(NOT ARG_NOT_IN_LIBRARY)
    set_property(GLOBAL APPEND PROPERTY WATTUNE_MODULES ${target})
  endif()
endfunction()
