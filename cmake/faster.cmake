# WATARI_FASTER speeds up frequent builds, of the tests or of all targets. Other builds do without it
# and so detect missing includes. Those of the tests compile libwatari and cases without it.
include_guard()

function(watari_is_faster target result)
  if(WATARI_FASTER STREQUAL "ALL" OR (WATARI_FASTER STREQUAL "TESTS" AND NOT target MATCHES "^watari(_case_.*|_binding|)$"))
    set(${result} ON PARENT_SCOPE)
  else()
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

# Headers that most files include are read once per target.
function(watari_precompile target)
  watari_is_faster(${target} faster)
  if(faster)
    target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <array> <atomic> <chrono> <cmath>
      <cstring> <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric> <optional>
      <random> <set> <span> <string> <thread> <utility> <vector>)
  endif()
endfunction()

# The files of a folder are compiled as one, except files with their own options. So names in
# anonymous namespaces must be unique in their folder.
function(watari_unite target)
  watari_is_faster(${target} faster)
  if(faster)
    # relocatable: a cache of compiled files is valid for clones in other folders, too
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
      UNITY_BUILD_RELOCATABLE ON)
    # GCC takes the files for headers
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    foreach(file ${ARGN})
      cmake_path(GET file PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(MAKE_C_IDENTIFIER ${folder} folder)
      set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder})
    endforeach()
  endif()
endfunction()
