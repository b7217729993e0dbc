# `find_package(watari)`: the library, its headers and its package files, below the package of Python
# or, without Python, below the prefix.
include(CMakePackageConfigHelpers)

set(component library)
set(lib ${CMAKE_INSTALL_LIBDIR})
set(namelink)
if(WATARI_PYTHON)
  set(component python)
  set(lib watari/lib)
  set(namelink NAMELINK_SKIP)  # a wheel has no links
endif()
set(package ${lib}/cmake/watari)
install(TARGETS watari EXPORT watari-targets LIBRARY DESTINATION ${lib} ${namelink}
  COMPONENT ${component})
install(DIRECTORY watari ${WATARI_GENERATED}/watari DESTINATION ${WATARI_PREFIX}include
  COMPONENT ${component} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT watari-targets NAMESPACE watari:: DESTINATION ${package} COMPONENT ${component})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/watari-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/watari-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/watari-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/watari-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/watari-config-version.cmake
  DESTINATION ${package} COMPONENT ${component})
if(WATARI_WITH_MPI)
  install(TARGETS watari_mpi LIBRARY DESTINATION ${lib} COMPONENT ${component})
endif()
if(WATARI_WITH_CUDA)  # a machine that runs has a driver, but often no toolkit
  file(REAL_PATH ${CUDA_cudart_LIBRARY} cudart)
  install(PROGRAMS ${cudart} DESTINATION ${lib} COMPONENT ${component}
    RENAME libcudart.so.${CUDAToolkit_VERSION_MAJOR})
endif()

# What a case elsewhere needs, from `find_package(watari COMPONENTS case)`.
if(WATARI_PYTHON)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/watari-case.cmake ${PROJECT_SOURCE_DIR}/cmake/exports.map
    ${PROJECT_SOURCE_DIR}/cmake/styles.cmake
    DESTINATION ${package} COMPONENT python)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/gpu/CMakeLists.txt DESTINATION ${package}/gpu
    COMPONENT python)
  install(DIRECTORY python DESTINATION ${package} COMPONENT python FILES_MATCHING
    PATTERN "*.hpp" PATTERN module.cpp PATTERN values.cpp)
endif()
