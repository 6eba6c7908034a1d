# Libraries, all from the system's packages (tools/install-dependencies names them). Header-only ones are preferred,
# so that the programs need nothing but libc at run time.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
target_include_directories(wattune_build_flags SYSTEM INTERFACE
  $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)  # src/core/fmt.cc is the library itself
find_package(nlohmann_json REQUIRED)
target_include_directories(wattune_build_flags SYSTEM INTERFACE
  $<TARGET_PROPERTY:nlohmann_json::nlohmann_json,INTERFACE_INCLUDE_DIRECTORIES>)  # precompiled.h has it
find_package(tomlplusplus QUIET)
if(NOT TARGET tomlplusplus::tomlplusplus)
  find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
  add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED)
  target_include_directories(tomlplusplus::tomlplusplus INTERFACE ${TOMLPLUSPLUS_INCLUDE})
endif()
find_package(CLI11 REQUIRED)
find_path(WATTUNE_EIGEN_INCLUDE Eigen/LU PATH_SUFFIXES eigen3 REQUIRED)
find_path(WATTUNE_XXHASH_INCLUDE xxhash.h REQUIRED)
find_path(WATTUNE_SPDLOG_INCLUDE spdlog/spdlog.h REQUIRED)
find_path(WATTUNE_OPENCL_INCLUDE CL/cl.h REQUIRED)

# SQLite's archive becomes one object of module store, so that neither the programs nor who links libwattune.a needs it.
# Where there is only a shared library, or WATTUNE_SQLITE names one, that is linked.
find_path(WATTUNE_SQLITE_INCLUDE sqlite3.h REQUIRED)
find_library(WATTUNE_SQLITE NAMES libsqlite3.a sqlite3 REQUIRED)
set(WATTUNE_SQLITE_OBJECT)
set(WATTUNE_SQLITE_SHARED)
if(WATTUNE_SQLITE MATCHES "\\.a$")
  set(WATTUNE_SQLITE_OBJECT ${PROJECT_BINARY_DIR}/sqlite3.o)
  if(NOT EXISTS ${WATTUNE_SQLITE_OBJECT})
    execute_process(COMMAND ${CMAKE_LINKER} -r -o ${WATTUNE_SQLITE_OBJECT} --whole-archive ${WATTUNE_SQLITE}
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
else()
  set(WATTUNE_SQLITE_SHARED ${WATTUNE_SQLITE})
endif()
if(WATTUNE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
endif()
