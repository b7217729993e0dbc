# How builds that are made often compile faster. Other builds do without, so that a file that forgets
# an include is found there.
include_guard()

# WATARI_PRECOMPILED: headers that most files include are read once a target.
function(watari_precompile target)
  if(WATARI_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <array> <atomic> <chrono> <cmath>
      <cstring> <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric> <optional>
      <random> <set> <span> <string> <thread> <utility> <vector>)
  endif()
endfunction()

# WATARI_UNITY: the files of a folder are compiled as one, those of the tests or all, save files with
# options of their own. What is in an anonymous namespace has a name of its own in its folder for that.
function(watari_unite target)
  if(WATARI_UNITY STREQUAL "ALL" OR (WATARI_UNITY STREQUAL "TESTS" AND NOT target STREQUAL "watari"))
    # relocatable: a cache of compiled files is right for clones in other folders, too
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
