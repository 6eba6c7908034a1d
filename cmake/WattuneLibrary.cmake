# wattune::wattune and wattune::shared, the library of all modules as an archive and as a shared object, and their
# installation.
get_property(modules GLOBAL PROPERTY WATTUNE_MODULES)
set(objects)
foreach(module IN LISTS modules)
  list(APPEND objects $<TARGET_OBJECTS:${module}>)
endforeach()
if(WATTUNE_SQLITE_OBJECT)
  set_source_files_properties(${WATTUNE_SQLITE_OBJECT} PROPERTIES EXTERNAL_OBJECT ON)
endif()
add_library(wattune_library STATIC ${objects} ${WATTUNE_SQLITE_OBJECT})
add_library(wattune_shared SHARED ${objects} ${WATTUNE_SQLITE_OBJECT})
add_library(wattune::wattune ALIAS wattune_library)
add_library(wattune::shared ALIAS wattune_shared)
set_target_properties(wattune_library PROPERTIES EXPORT_NAME wattune)
# Until 1.0 each minor version has a soname of its own, as its namespace has a name of its own.
set_target_properties(wattune_shared PROPERTIES EXPORT_NAME shared VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(exported ${PROJECT_SOURCE_DIR}/cmake/exported_names.map)
target_link_options(wattune_shared PRIVATE -Wl,--version-script=${exported})
set_property(TARGET wattune_shared PROPERTY LINK_DEPENDS ${exported})
foreach(library IN ITEMS wattune_library wattune_shared)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME wattune LINKER_LANGUAGE CXX)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_link_libraries(${library} PUBLIC Threads::Threads ${CMAKE_DL_LIBS} PRIVATE ${WATTUNE_SQLITE_SHARED})
  if(WATTUNE_SANITIZE)
    target_link_options(${library} PUBLIC -fsanitize=${WATTUNE_SANITIZE})
  endif()
endforeach()
# A program that is linked with the static library says where that was installed, for Wattune's own programs. The shared
# library looks beside itself.
target_sources(wattune_library INTERFACE
  $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_DATADIR}/wattune/installed_programs.cc>)
target_compile_definitions(wattune_library INTERFACE
  $<INSTALL_INTERFACE:WATTUNE_INSTALLED_PROGRAMS="$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBEXECDIR}/wattune">)

include(CMakePackageConfigHelpers)
install(TARGETS wattune_library wattune_shared EXPORT wattuneTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/cmake/installed_programs.cc DESTINATION ${CMAKE_INSTALL_DATADIR}/wattune)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/wattune ${PROJECT_BINARY_DIR}/include/wattune
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT wattuneTargets NAMESPACE wattune:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wattune)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/wattuneConfig.cmake.in
  ${PROJECT_BINARY_DIR}/wattuneConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wattune)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wattuneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wattuneConfig.cmake ${PROJECT_BINARY_DIR}/wattuneConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wattune)
