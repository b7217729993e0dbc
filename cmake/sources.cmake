# Functions by which the CMakeLists of each folder of src/watari lists that folder's files.
include_guard()

# Returns from the function that uses it in a folder of WATARI_LEAVE_OUT.
macro(watari_unless_left_out)
  list(JOIN WATARI_LEAVE_OUT "|" left_out)
  if(left_out AND "${CMAKE_CURRENT_SOURCE_DIR}/" MATCHES "^${PROJECT_SOURCE_DIR}/src/watari/(${left_out})/")
    return()
  endif()
endmacro()

# Files compiled by g++, except in folders of WATARI_LEAVE_OUT.
function(watari_sources)
  watari_unless_left_out()
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(watari PRIVATE ${ARGN})
  watari_unite(watari ${ARGN})
endfunction()

# Files compiled twice: by g++ into watari::cpu and, with CUDA, by nvcc into watari::gpu (cmake/gpu).
# UNFUSED: no product is fused with a sum, so that every backend gives the same bits.
function(watari_kernels)
  cmake_parse_arguments(PARSE_ARGV 0 arg UNFUSED "" "")
  watari_sources(${arg_UNPARSED_ARGUMENTS})
  watari_gpu_sources(${ARGN})
  if(arg_UNFUSED)
    watari_compile_options("-ffp-contract=off" ${arg_UNPARSED_ARGUMENTS})
  endif()
endfunction()

# Files compiled by nvcc, if there is one.
function(watari_gpu_sources)
  watari_unless_left_out()
  cmake_parse_arguments(PARSE_ARGV 0 arg UNFUSED "" "")
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY WATARI_GPU_SOURCES ${arg_UNPARSED_ARGUMENTS})
  if(arg_UNFUSED)
    set_property(GLOBAL APPEND PROPERTY WATARI_GPU_UNFUSED ${arg_UNPARSED_ARGUMENTS})
  endif()
endfunction()

# Selects part.cpp if the optional part is present, else part_absent.cpp.
function(watari_parts present)
  if(present)
    list(TRANSFORM ARGN APPEND .cpp)
  else()
    list(TRANSFORM ARGN APPEND _absent.cpp)
  endif()
  watari_sources(${ARGN})
endfunction()

# Files with their own options use no precompiled headers, which were compiled without these options.
function(watari_compile_options options)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY watari
    PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
