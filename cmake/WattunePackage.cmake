# `cpack --config build/release/CPackConfig.cmake` makes a tarball of all that is installed, which runs wherever it is
# unpacked: programs, library, headers, kernels, manual, documentation, examples.
# Kernel files of others that lie beside the published examples stay where they are.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/benchmarks DESTINATION ${CMAKE_INSTALL_DATADIR}/wattune
        PATTERN published/kernels EXCLUDE PATTERN .gitignore EXCLUDE)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME ${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_STRIP_FILES ON)
include(CPack)
