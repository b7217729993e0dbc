# `find_package(watari)`: the library, its headers and its package file.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(watari_package ${CMAKE_INSTALL_LIBDIR}/cmake/watari)
install(TARGETS watari EXPORT watari-targets COMPONENT library
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY watari ${WATARI_GENERATED}/watari DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
        FILES_MATCHING PATTERN "*.hpp")
install(EXPORT watari-targets NAMESPACE watari:: DESTINATION ${watari_package} COMPONENT library)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/watari-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/watari-config.cmake INSTALL_DESTINATION ${watari_package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/watari-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/watari-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/watari-config-version.cmake
  DESTINATION ${watari_package} COMPONENT library)
