# The styles of an application in directives: a shared object for OpenACC and one for OpenMP, since
# GCC links offloading of only one model. Each is left out if GCC cannot generate code for NVIDIA
# GPUs (gcc-12-offload-nvptx on Debian, gcc-13-offload-nvptx on Ubuntu).
include_guard()
include(CheckCXXSourceCompiles)

# Compiles the files of one application and model (acc, omp) with the model's flag, after a test of
# the header and the pragma.
function(watari_directives application model flag include pragma)
  if(NOT WATARI_WITH_CUDA)
    return()
  endif()
  # PTX of sm_80, which the driver compiles for the GPU when it is loaded
  set(flags ${flag} -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80)
  set(atomic -foffload-options=nvptx-none=-latomic)  # reductions of two numbers
  list(JOIN flags " " CMAKE_REQUIRED_FLAGS)
  set(CMAKE_REQUIRED_LINK_OPTIONS -no-pie ${atomic})
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("#include <${include}>
    int main() { int x = 1;
    #pragma ${pragma}
    x = 0;
    return x; }" WATARI_OFFLOADS_${model})
  message(STATUS "watari: styles ${model}-* ${WATARI_OFFLOADS_${model}}")
  if(NOT WATARI_OFFLOADS_${model})
    return()
  endif()
  # tests the files themselves: GCC's compiler for these GPUs crashes on some code
  set(works WATARI_OFFLOADS_${application}_${model})
  if(NOT DEFINED ${works})
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
    get_source_file_property(options ${CMAKE_CURRENT_SOURCE_DIR}/${ARGV5} COMPILE_OPTIONS)
    if(NOT options)
      set(options)
    endif()
    set(CMAKE_TRY_COMPILE_CONFIGURATION Release)
    try_compile(${works} SOURCES ${files} SOURCE_FROM_CONTENT main.cpp "int main() {}"
      COMPILE_DEFINITIONS ${flags} ${options} LINK_OPTIONS ${flags} ${atomic} -no-pie
      LINK_LIBRARIES CUDA::cudart_static CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/src;${WATARI_GENERATED}"
      OUTPUT_VARIABLE said)
    if(NOT ${works})
      message(STATUS "watari: ${application} without styles ${model}-*: "
        "${CMAKE_CXX_COMPILER} does not compile them for NVIDIA GPUs:\n${said}")
    endif()
  endif()
  if(NOT ${works})
    return()
  endif()
  set(target watari_${application}_${model})
  add_library(${target} SHARED ${ARGN})
  # as in the other backends, no product is fused with a sum (the driver's compiler may still do so)
  target_compile_options(${target} PRIVATE ${flags} -ffp-contract=off)
  # notext: GCC's table of the offloaded functions is relocated
  target_link_options(${target} PRIVATE ${flags} ${atomic} LINKER:-z,notext LINKER:--exclude-libs,ALL)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${WATARI_GENERATED})
  target_link_libraries(${target} PRIVATE CUDA::cudart_static watari_warnings)
  # beside the module that loads it
  install(TARGETS ${target} LIBRARY DESTINATION watari/cases/${application} COMPONENT python)
endfunction()
