# The styles of an application in directives: a shared object for each language and compiler, since
# GCC links offloading of only one model. case/directive.cpp loads the one that is asked for. GCC's are
# left out if it cannot generate code for NVIDIA GPUs (gcc-12-offload-nvptx on Debian,
# gcc-13-offload-nvptx on Ubuntu), those of LLVM and NVIDIA's HPC SDK unless their compiler is named.
include_guard()
include(CheckCXXSourceCompiles)
include(CheckSourceCompiles)

set(WATARI_LLVM "" CACHE STRING "clang++ with its options for the styles in OpenMP: such as clang++-19;--offload-arch=sm_90")
set(WATARI_NVHPC "" CACHE STRING "nvc++ with its options for the styles in directives: such as nvc++;-gpu=cc90")

# The languages of styles.json by the models in the names of the shared objects (case/directive.cpp).
set(WATARI_LANGUAGE_acc openacc)
set(WATARI_LANGUAGE_omp openmp)
set(WATARI_LANGUAGE_std concurrent)
set(WATARI_LANGUAGE_cpu threads)
add_custom_target(watari_directives)  # all of them, of all applications

# Compiles the styles of one application and model (acc, omp) that ../styles.json lists, and further
# files, after a test of the model. WATARI_DIRECTIVES_OPTIONS are for all its compilers,
# WATARI_DIRECTIVES_GCC_OPTIONS for GCC, WATARI_DIRECTIVES_LLVM_OPTIONS for LLVM.
function(watari_directives application model)
  if(NOT WATARI_WITH_CUDA)
    return()
  endif()
  set(language ${WATARI_LANGUAGE_${model}})
  set(flag -f${language})
  watari_styles_in(${CMAKE_CURRENT_SOURCE_DIR}/../styles.json ${language} OFF styles)
  set(options ${WATARI_DIRECTIVES_OPTIONS} ${WATARI_DIRECTIVES_GCC_OPTIONS})
  list(TRANSFORM styles REPLACE "(.+)" "styles/directives/\\1.cpp")
  list(APPEND styles ${ARGN})
  if(model STREQUAL "omp")
    # cuda-mode: no thread reads the variables of another one. Without it LLVM keeps those whose address is taken in
    # memory that the team shares, which fits no spinor
    watari_directives_by(llvm ${application} omp "-fopenmp;-fopenmp-targets=nvptx64-nvidia-cuda;-fopenmp-cuda-mode;-ffp-contract=off;-Wno-pass-failed;-Wno-unknown-cuda-version;${WATARI_DIRECTIVES_LLVM_OPTIONS}" ${styles})
    watari_directives_by(nvhpc ${application} omp "-mp=gpu;-Mnofma" ${styles})
  else()
    watari_directives_by(nvhpc ${application} acc "-acc=gpu;-Mnofma;-cuda" ${styles})
  endif()
  # PTX of sm_80, which the driver compiles for the GPU when it is loaded. The part that GCC splits off a function
  # for partial inlining would be missing in the code for the GPU
  set(flags ${flag} -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80 -fno-partial-inlining)
  set(atomic -foffload-options=nvptx-none=-latomic)  # reductions of two numbers
  list(JOIN flags " " CMAKE_REQUIRED_FLAGS)
  set(CMAKE_REQUIRED_LINK_OPTIONS -no-pie ${atomic})
  set(CMAKE_REQUIRED_QUIET ON)
  set(pragma "acc parallel copy(x)")
  set(header openacc.h)
  if(model STREQUAL "omp")
    set(pragma "omp target map(x)")
    set(header omp.h)
  endif()
  check_cxx_source_compiles("#include <${header}>
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
    list(TRANSFORM styles PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
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
  set(target watari_${application}_${model}_gcc)
  add_library(${target} SHARED ${styles})
  # as in the other backends, no product is fused with a sum (the driver's compiler may still do so)
  target_compile_options(${target} PRIVATE ${flags} -ffp-contract=off ${options})
  # notext: GCC's table of the offloaded functions is relocated
  target_link_options(${target} PRIVATE ${flags} ${atomic} LINKER:-z,notext LINKER:--exclude-libs,ALL)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${WATARI_GENERATED})
  target_link_libraries(${target} PRIVATE CUDA::cudart_static watari_warnings)
  add_dependencies(watari_directives ${target})
  # beside the module that loads it
  install(TARGETS ${target} LIBRARY DESTINATION watari/cases/${application} COMPONENT python)
endfunction()

# The same files by another compiler, which CMake does not use for the rest.
function(watari_directives_by compiler application model flags)
  string(TOUPPER WATARI_${compiler} program)
  if(NOT ${program})
    return()
  endif()
  set(target watari_${application}_${model}_${compiler})
  set(library ${CMAKE_CURRENT_BINARY_DIR}/lib${target}.so)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  add_custom_command(OUTPUT ${library} VERBATIM DEPENDS ${files} ${headers}
    COMMAND ${${program}} -O3 -std=c++20 -fPIC -shared ${flags} ${WATARI_DIRECTIVES_OPTIONS} -I${PROJECT_SOURCE_DIR}/src
      -I${WATARI_GENERATED} ${files} -o ${library})
  add_custom_target(${target} ALL DEPENDS ${library})
  add_dependencies(watari_directives ${target})
  install(FILES ${library} DESTINATION watari/cases/${application} COMPONENT python)
endfunction()

# The styles of one application and model in Fortran, by gfortran. MODEL: acc and omp have code for
# NVIDIA GPUs, and are left out where gfortran makes none; std and cpu are for the CPU. FILES: what the
# styles of ../styles.json use. RENAMED: the style whose malloc and free objcopy renames, as a compiler's
# flag for managed memory would. OTHERS: in C++.
function(watari_fortran application model)
  if(NOT WATARI_WITH_FORTRAN)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "RENAMED" "FILES;OTHERS")
  watari_styles_in(${CMAKE_CURRENT_SOURCE_DIR}/../styles.json ${WATARI_LANGUAGE_${model}} ON styles)
  list(TRANSFORM styles REPLACE "(.+)" "styles/fortran/\\1.f90")
  set(flag -fopenmp)
  if(model STREQUAL "acc")
    set(flag -fopenacc)
  endif()
  set(target watari_${application}_fortran_${model}_gcc)
  set(flags ${flag} -foffload=disable)
  set(linked ${flags})
  if(model MATCHES "acc|omp")
    if(NOT WATARI_WITH_CUDA)
      return()
    endif()
    set(flags ${flag} -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80)
    set(linked ${flags} -foffload-options=nvptx-none=-latomic LINKER:-z,notext)
    list(JOIN flags " " CMAKE_REQUIRED_FLAGS)
    set(CMAKE_REQUIRED_LINK_OPTIONS -no-pie)
    set(CMAKE_REQUIRED_QUIET ON)
    set(pragma "!$acc parallel copy(x)\nx = 0\n!$acc end parallel")
    if(model STREQUAL "omp")
      set(pragma "!$omp target map(x)\nx = 0\n!$omp end target")
    endif()
    check_source_compiles(Fortran "program test\ninteger :: x = 1\n${pragma}\nend program"
      WATARI_FORTRAN_OFFLOADS_${model})
    message(STATUS "watari: styles f-${model}-* ${WATARI_FORTRAN_OFFLOADS_${model}}")
    if(NOT WATARI_FORTRAN_OFFLOADS_${model})
      return()
    endif()
  endif()
  add_library(${target}_objects OBJECT ${arg_FILES} ${styles})
  target_compile_options(${target}_objects PRIVATE ${flags} ${WATARI_FORTRAN_FLAGS})
  set_target_properties(${target}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON
    Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target})
  watari_renamed(${target} "${arg_RENAMED}")
  add_library(${target} SHARED ${${target}_linked} ${arg_OTHERS})
  target_link_options(${target} PRIVATE ${linked})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE Fortran)
  add_dependencies(watari_directives ${target})
  if(arg_OTHERS)
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION watari/cases/${application} COMPONENT python)
endfunction()
set(WATARI_FORTRAN_FLAGS -std=f2018 -Wall -ffp-contract=off $<$<BOOL:${WATARI_WERROR}>:-Werror>)

# Sets <target>_linked: the objects of <target>_objects, in one of which malloc and free are renamed.
function(watari_renamed target file)
  set(objects $<TARGET_OBJECTS:${target}_objects>)
  if(file)
    cmake_path(GET file FILENAME name)
    set(renamed ${CMAKE_CURRENT_BINARY_DIR}/${target}_renamed.o)
    add_custom_command(OUTPUT ${renamed} VERBATIM DEPENDS ${objects}
      COMMAND ${CMAKE_OBJCOPY} --redefine-sym malloc=managed_malloc --redefine-sym free=managed_free
        $<FILTER:${objects},INCLUDE,${name}> ${renamed})
    set(objects $<FILTER:${objects},EXCLUDE,${name}> ${renamed})
  endif()
  set(${target}_linked ${objects} PARENT_SCOPE)
endfunction()
