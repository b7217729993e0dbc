# Selects the optional parts: sets WATARI_WITH_CUDA, WATARI_WITH_MPI, WATARI_WITH_HWLOC,
# WATARI_WITH_URING, WATARI_WITH_CURL
# and WATARI_WITH_FORTRAN. AUTO builds a part if it is found, ON requires it, OFF leaves it out.
include(CheckLanguage)

set(WATARI_WITH_CUDA OFF)
if(NOT WATARI_CUDA STREQUAL "OFF")
  # an installed toolkit is often not on the PATH
  find_program(CMAKE_CUDA_COMPILER nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT CMAKE_CUDA_ARCHITECTURES AND DEFINED ENV{CUDAARCHS})
      set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS})  # CMake reads it only in a new build folder
    elseif(NOT CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90)  # machine code for both, PTX of 90 for later ones
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    enable_language(CUDA)
    find_package(CUDAToolkit 12.4 REQUIRED)
    set(WATARI_WITH_CUDA ON)
  elseif(WATARI_CUDA STREQUAL "ON")
    message(FATAL_ERROR "WATARI_CUDA=ON, but no nvcc was found (set CMAKE_CUDA_COMPILER)")
  endif()
endif()

set(WATARI_WITH_HWLOC OFF)
if(NOT WATARI_HWLOC STREQUAL "OFF")
  find_path(HWLOC_INCLUDE hwloc.h)
  find_library(HWLOC_LIBRARY hwloc)
  if(HWLOC_INCLUDE AND HWLOC_LIBRARY)
    set(WATARI_WITH_HWLOC ON)
  elseif(WATARI_HWLOC STREQUAL "ON")
    message(FATAL_ERROR "WATARI_HWLOC=ON, but hwloc.h or libhwloc was not found (libhwloc-dev)")
  endif()
endif()

set(WATARI_WITH_MPI OFF)
if(NOT WATARI_MPI STREQUAL "OFF")
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(WATARI_WITH_MPI ON)
  elseif(WATARI_MPI STREQUAL "ON")
    message(FATAL_ERROR "WATARI_MPI=ON, but no MPI was found (libopenmpi-dev or libmpich-dev)")
  endif()
endif()

set(WATARI_WITH_URING OFF)
if(NOT WATARI_URING STREQUAL "OFF")
  find_path(URING_INCLUDE liburing.h)
  find_library(URING_LIBRARY NAMES liburing.a uring)  # the static one: a package needs no other
  if(URING_INCLUDE AND URING_LIBRARY)
    set(WATARI_WITH_URING ON)
  elseif(WATARI_URING STREQUAL "ON")
    message(FATAL_ERROR "WATARI_URING=ON, but liburing.h or liburing was not found (liburing-dev)")
  endif()
endif()

set(WATARI_WITH_CURL OFF)
if(NOT WATARI_CURL STREQUAL "OFF")
  find_path(CURL_INCLUDE curl/curl.h)  # the library is loaded at run time
  if(CURL_INCLUDE)
    set(WATARI_WITH_CURL ON)
  elseif(WATARI_CURL STREQUAL "ON")
    message(FATAL_ERROR "WATARI_CURL=ON, but curl/curl.h was not found (libcurl4-openssl-dev)")
  endif()
endif()

# gfortran belongs to GCC: another C++ compiler may build for an older C library
set(WATARI_WITH_FORTRAN OFF)
if(NOT WATARI_FORTRAN STREQUAL "OFF" AND NOT CMAKE_CROSSCOMPILING AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_program(GFORTRAN gfortran)
  if(GFORTRAN)
    set(ENV{FC} ${GFORTRAN})
    include(CheckLanguage)
    check_language(Fortran)  # one that compiles nothing, as a wrapper of a package manager may, is none
  endif()
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU" AND CMAKE_Fortran_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
      set(WATARI_WITH_FORTRAN ON)
    endif()
  endif()
  if(WATARI_FORTRAN STREQUAL "ON" AND NOT WATARI_WITH_FORTRAN)
    message(FATAL_ERROR "WATARI_FORTRAN=ON, but no gfortran 12 or later was found")
  endif()
endif()

message(STATUS "watari: CUDA ${WATARI_WITH_CUDA}, MPI ${WATARI_WITH_MPI}, hwloc ${WATARI_WITH_HWLOC}, "
  "io_uring ${WATARI_WITH_URING}, libcurl ${WATARI_WITH_CURL}, Fortran ${WATARI_WITH_FORTRAN}")
