# Options of the build, the language standard, warnings and sanitizers.
option(WATTUNE_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(WATTUNE_BUILD_LAB "Build the programs of lab/ beside the tests" OFF)
option(WATTUNE_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(WATTUNE_PYTHON "Build the Python package (needs nanobind)" OFF)
set(WATTUNE_TEST_DEEPLY "" CACHE STRING
  "Add tests that need further builds: strangers (tools/check makes those) or all (tools/check all)")
option(WATTUNE_BUILD_FUZZERS "Build the libFuzzer targets (needs clang)" OFF)
option(WATTUNE_STATIC_RUNTIME "Link the C++ runtime statically, so that programs run on other machines" OFF)
set(WATTUNE_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS ON)  # Uint128 needs std::hash and std::numeric_limits of __int128
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

add_library(wattune_build_flags INTERFACE)
target_compile_options(wattune_build_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  -Wno-missing-field-initializers)  # designated initialisers leave the rest at its default on purpose
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 reports std::string's own code, inlined (its bugs 105651 and 105329).
  target_compile_options(wattune_build_flags INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-restrict
    -Wno-array-bounds)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Units are large: below 1 GB of memory g++ need not look for what it could free.
  target_compile_options(wattune_build_flags INTERFACE --param=ggc-min-heapsize=1000000)
endif()
if(WATTUNE_SANITIZE)
  target_compile_options(wattune_build_flags INTERFACE -fsanitize=${WATTUNE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(wattune_build_flags INTERFACE -fsanitize=${WATTUNE_SANITIZE})
  if(WATTUNE_SANITIZE MATCHES undefined)
    # The address sanitizer finds what null pointers and too small objects lead to.
    target_compile_options(wattune_build_flags INTERFACE -fno-sanitize=null,object-size -fno-sanitize-recover=undefined)
  endif()
endif()
if(WATTUNE_BUILD_FUZZERS)
  target_compile_options(wattune_build_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(WATTUNE_STATIC_RUNTIME)
  # libgcc stays shared: exceptions of a C++ reference, loaded at run time, must reach our handlers.
  # It needs arc4random(), which src/core/arc4random.cc has where the C library is older.
  target_link_options(wattune_build_flags INTERFACE -static-libstdc++ -Wl,--undefined=arc4random)
endif()

find_program(WATTUNE_CCACHE ccache)
if(WATTUNE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # By itself it keeps nothing that is compiled with a precompiled header, lest a source uses __TIME__, as none does.
  # Where it has nothing it only notes which files the compiler read, instead of preprocessing each source first.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
    ${WATTUNE_CCACHE})
endif()
