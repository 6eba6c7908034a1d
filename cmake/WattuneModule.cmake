# wattune_module(NAME [NOT_IN_LIBRARY] [COLD] SOURCES file... [DEPENDS module...] [LIBRARIES target...])
#
# One module as the library `wattune_NAME`. DEPENDS are the modules it may include, as tools/check_layers.py checks;
# LIBRARIES stay private to its sources. A unity build compiles each room (a folder inside the module) as one unit, and
# the sources outside of rooms as another.
# COLD: its own loops take little of any command's time. Release builds optimise it with -O1, which halves the time that
# compiling `store` takes.
# NOT_IN_LIBRARY keeps it out of wattune::wattune.
function(wattune_module name)
  cmake_parse_arguments(ARG "NOT_IN_LIBRARY;COLD" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
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
  # Names that WATTUNE_EXPORT does not show are hidden in the shared library, which is made of the same objects.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(name STREQUAL core)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
  else()
    target_precompile_headers(${target} REUSE_FROM wattune_core)
  endif()
  if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    foreach(source IN LISTS ARG_SOURCES)
      cmake_path(GET source PARENT_PATH room)
      string(REPLACE "/" "_" room "${name}/${room}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
    endforeach()
  endif()
  if(ARG_COLD)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(NOT ARG_NOT_IN_LIBRARY)
    set_property(GLOBAL APPEND PROPERTY WATTUNE_MODULES ${target})
  endif()
endfunction()
