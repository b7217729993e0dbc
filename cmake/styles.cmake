# The styles of an application from its styles.json, which Python reads too (common/library.py says
# what the columns mean). Sets in the caller:
#
#   watari_styles_table   a source file that defines `styles()`, the table for C++
#   watari_styles_gpu     the files styles/<name>.cpp of the programs in C++ for a GPU
#   watari_styles_cpu     the files styles/<name>-cpu.cpp of those for a CPU
#
# A style of a directive language runs by `run_directive`. Its file, styles/directives/<name>.cpp or
# styles/fortran/<name>.f90, is compiled by watari_directives or watari_fortran.
include_guard()

set(WATARI_STYLE_COLUMNS name kind host field halos overlaps language fortran processors modelled)

function(watari_read_styles json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${json})
  file(READ ${json} text)
  string(JSON count LENGTH "${text}")
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON row GET "${text}" ${index})
    watari_style_columns("${row}" ${json})
    set(identifier ${name})
    if(NOT language STREQUAL "none")
      set(identifier directive)
    endif()
    string(MAKE_C_IDENTIFIER run_${identifier} program)
    set(programs nullptr nullptr)
    if("gpu" IN_LIST processors)
      set(programs on_gpu\(${program}\) nullptr)
      list(APPEND declared ${program})
      if(language STREQUAL "none")
        list(APPEND gpu styles/${name}.cpp)
      endif()
    endif()
    if("cpu" IN_LIST processors)
      list(POP_BACK programs)
      if(language STREQUAL "none")
        string(APPEND program _on_cpu)
        list(APPEND cpu styles/${name}-cpu.cpp)
      endif()
      list(APPEND programs ${program})
      list(APPEND declared ${program})
    endif()
    list(JOIN programs ", " programs)
    string(APPEND rows "        {{${facts}}, ${programs}},\n")
  endforeach()
  list(REMOVE_DUPLICATES declared)
  foreach(program ${declared})
    string(APPEND declarations "measure::trial ${program}(const style::part& p);\n")
  endforeach()
  cmake_path(GET json PARENT_PATH folder)
  cmake_path(GET folder FILENAME application)
  set(table ${CMAKE_CURRENT_BINARY_DIR}/styles.cpp)
  file(CONFIGURE OUTPUT ${table} CONTENT [[
// Made by cmake/styles.cmake from styles.json.
#include "styles.hpp"

namespace watari::@application@ {

@declarations@
std::span<const style> styles() {
    using cases::directives, cases::on_gpu, cases::only;
    using comm::path;
    using memory::kind;
    static constexpr style table[] = {
@rows@    };
    return table;
}

}  // namespace watari::@application@
]] @ONLY)
  set_source_files_properties(${table} PROPERTIES INCLUDE_DIRECTORIES ${CMAKE_CURRENT_SOURCE_DIR})
  set(watari_styles_table ${table} PARENT_SCOPE)
  set(watari_styles_gpu ${gpu} PARENT_SCOPE)
  set(watari_styles_cpu ${cpu} PARENT_SCOPE)
endfunction()

# Sets `result` to the names of the styles in a directive language, those in C++ or those in Fortran.
function(watari_styles_in json language fortran result)
  file(READ ${json} text)
  string(JSON count LENGTH "${text}")
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON row GET "${text}" ${index})
    foreach(column name language fortran)
      string(JSON of_${column} ERROR_VARIABLE missing GET "${row}" ${column})
    endforeach()
    if(NOT of_fortran)
      set(of_fortran OFF)
    endif()
    if(of_language STREQUAL language AND of_fortran STREQUAL fortran)
      list(APPEND names ${of_name})
    endif()
  endforeach()
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# Sets `name`, `language`, `processors` and `facts`, the row of style_facts in C++.
function(watari_style_columns row json)
  string(JSON columns LENGTH "${row}")
  math(EXPR last "${columns} - 1")
  foreach(index RANGE ${last})
    string(JSON column MEMBER "${row}" ${index})
    if(NOT column IN_LIST WATARI_STYLE_COLUMNS)
      message(FATAL_ERROR "${json}: unknown column '${column}'")
    endif()
  endforeach()
  foreach(column ${WATARI_STYLE_COLUMNS})
    string(JSON ${column} ERROR_VARIABLE missing GET "${row}" ${column})
    if(missing)
      set(${column} "")
    endif()
  endforeach()
  set(facts ".name = \"${name}\", .kind = kind::${kind}")
  foreach(column host field)
    if(${column})
      string(APPEND facts ", .${column} = kind::${${column}}")
    endif()
  endforeach()
  if(NOT "${halos}" STREQUAL "")
    watari_json_list("${halos}" paths)
    list(TRANSFORM paths REPLACE "(.+)" "only(path::\\1)")
    list(JOIN paths " | " paths)
    if(NOT paths)
      set(paths 0)
    endif()
    string(APPEND facts ", .halos = ${paths}")
  endif()
  foreach(column overlaps fortran)
    if(${column})
      set(true_${column} ", .${column} = true")
    endif()
  endforeach()
  if(NOT language)
    set(language none)
  endif()
  string(APPEND facts "${true_overlaps}, .language = directives::${language}${true_fortran}")
  watari_json_list("${processors}" processors)
  if(NOT processors)
    set(processors gpu)
  endif()
  return(PROPAGATE name language processors facts)
endfunction()

# Sets `result` to the strings of an array of JSON.
function(watari_json_list array result)
  string(REGEX MATCHALL "[a-z0-9]+" found "${array}")
  set(${result} ${found} PARENT_SCOPE)
endfunction()
