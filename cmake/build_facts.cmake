# Writes build_facts.hpp into OUTPUT_DIR: run at every build, so that the revision is that of the
# sources that were compiled. Rewritten only when it changed. Sources without their repository are
# told their revision by WATARI_REVISION.
find_package(Git QUIET)
if(GIT_FOUND AND NOT WATARI_REVISION)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE WATARI_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file(${SOURCE_DIR}/cmake/build_facts.hpp.in ${OUTPUT_DIR}/build_facts.hpp @ONLY)
