# The native part of a case, here or in another repository, where `find_package(watari COMPONENTS
# case)` includes this file:
#
#   watari_case(saxpy SOURCES saxpy.cpp KERNELS kernels.cpp BINDING binding.cpp DESTINATION my_package)
#
#   SOURCES      compiled by g++
#   KERNELS      compiled twice, by g++ and, for a GPU, by nvcc
#   GPU          compiled by nvcc alone
#   STYLES       a styles.json, the table of programs in different styles (styles.cmake); those in
#                styles/ are compiled by g++, and installed, since `watari effort` counts their
#                statements
#   UNFUSED      those of the files above in which no product is fused with a sum, so that every
#                backend gives the same bits
#   USES         folders of libwatari that not all builds have: krylov, gemm, hmatrix
#   BINDING      what Python imports as `_native` from the package DESTINATION (watari.cases.NAME here)
#
# Files with further options get them by set_source_files_properties before the call. Targets:
# watari_case_NAME, a static library for tests and programs, and watari_NAME_module. The latter is
# small: it shares libwatari, and so its threads, devices and errors, with all other cases.
include_guard()
include(${CMAKE_CURRENT_LIST_DIR}/styles.cmake)

function(watari_case name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESTINATION;STYLES"
    "BINDING;SOURCES;KERNELS;GPU;UNFUSED;USES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "watari_case(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_DESTINATION)
    set(arg_DESTINATION watari/cases/${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY WATARI_USED ${arg_USES})
  set(target watari_case_${name})
  set(sources ${arg_SOURCES} ${arg_KERNELS})
  if(arg_STYLES)
    cmake_path(ABSOLUTE_PATH arg_STYLES NORMALIZE)
    watari_read_styles(${arg_STYLES})
    list(APPEND sources ${watari_styles_cpu})
    if(WATARI_WITH_CUDA)
      list(APPEND sources ${watari_styles_gpu})
    endif()
  endif()
  foreach(file ${arg_UNFUSED})
    set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off)
  endforeach()
  add_library(${target} STATIC ${sources})
  target_sources(${target} PRIVATE ${watari_styles_table})
  watari_case_target(${target} PUBLIC ${sources})
  if(WATARI_WITH_CUDA AND (arg_KERNELS OR arg_GPU))
    set(gpu_sources ${arg_KERNELS} ${arg_GPU})
    set(gpu_unfused ${arg_UNFUSED})
    list(TRANSFORM gpu_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    list(TRANSFORM gpu_unfused PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    add_subdirectory(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/gpu ${CMAKE_CURRENT_BINARY_DIR}/gpu)
    # nvcc writes a pointer to a member, as core/members.hpp has them, in parentheses
    target_compile_options(${target}_gpu PRIVATE -Xcompiler=-Wno-parentheses)
  endif()
  if(arg_STYLES)
    install(DIRECTORY styles DESTINATION ${arg_DESTINATION} COMPONENT python
      FILES_MATCHING PATTERN "*.cpp" PATTERN "*.f90")
  endif()
  if(arg_BINDING AND WATARI_PYTHON)
    watari_module(watari_${name}_module ${arg_DESTINATION} ${arg_BINDING})
    target_link_libraries(watari_${name}_module PRIVATE ${target})
  endif()
endfunction()

# Compiles and links a target as the library is. This project also unites files for its tests.
function(watari_case_target target scope)
  target_link_libraries(${target} ${scope} watari::watari)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(TARGET watari_warnings)
    target_link_libraries(${target} PRIVATE watari_warnings)
  endif()
  if(COMMAND watari_unite)
    foreach(file ${ARGN})
      get_source_file_property(options ${file} COMPILE_OPTIONS)
      if(options)  # precompiled headers were compiled without them
        set_source_files_properties(${file} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endforeach()
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    watari_precompile(${target})
    watari_unite(${target} ${ARGN})
  endif()
endfunction()

# The sources that all modules share are compiled once in a project.
function(watari_binding)
  if(TARGET watari_binding)
    return()
  endif()
  add_library(watari_binding OBJECT ${WATARI_BINDING_FOLDER}/module.cpp
    ${WATARI_BINDING_FOLDER}/values.cpp)
  set(library nanobind-static)
  if(TARGET Python::SABIModule AND Python_VERSION VERSION_GREATER_EQUAL 3.12 AND NOT NB_ABI MATCHES "[0-9]t")
    set(library nanobind-static-abi3)  # as nanobind_add_module chooses by STABLE_ABI
  endif()
  nanobind_build_library(${library})
  target_link_libraries(watari_binding PRIVATE ${library})
  target_compile_definitions(watari_binding PRIVATE NB_DOMAIN=watari)
  nanobind_disable_stack_protector(watari_binding)
  nanobind_opt_size(watari_binding)
  nanobind_set_visibility(watari_binding)
  watari_case_target(watari_binding PRIVATE)
endfunction()

# A module `_native` of Python, in the package `destination`. It exports no symbols but its start:
# the process may contain another C++ runtime, and neither may use the other's symbols, such as the
# identities of locale facets. Types of one module are known to all others of the domain. From
# Python 3.12 on a module has the stable ABI, so that it also loads in later ones.
function(watari_module target destination)
  watari_binding()
  nanobind_add_module(${target} NB_STATIC STABLE_ABI NB_DOMAIN watari ${ARGN}
    $<TARGET_OBJECTS:watari_binding>)
  target_include_directories(${target} PRIVATE ${WATARI_BINDING_FOLDER}/..)  # "python/case.hpp"
  target_link_libraries(${target} PRIVATE watari::watari)
  if(TARGET watari_warnings)
    target_link_libraries(${target} PRIVATE watari_warnings)
  endif()
  string(REGEX REPLACE "[^/]+" ".." up ${destination})
  set(exports ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/exports.map)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME _native LINK_DEPENDS ${exports}
    INSTALL_RPATH "$ORIGIN/${up}/watari/lib;$ORIGIN/${up}/watari.libs")
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports})
  install(TARGETS ${target} LIBRARY DESTINATION ${destination} COMPONENT python)
endfunction()
