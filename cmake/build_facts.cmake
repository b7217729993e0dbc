# Writes build_facts.hpp into OUTPUT_DIR. It runs at every build, so that the revision is that of the
# compiled sources, and rewrites the file only if it changed. WATARI_REVISION gives the revision of
# sources without a repository.
if(NOT WATARI_REVISION AND EXISTS ${SOURCE_DIR}/cmake/revision)  # a source package
  file(READ ${SOURCE_DIR}/cmake/revision WATARI_REVISION)
  string(STRIP "${WATARI_REVISION}" WATARI_REVISION)
endif()
find_package(Git QUIET)
if(GIT_FOUND AND NOT WATARI_REVISION)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE WATARI_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file(${SOURCE_DIR}/cmake/build_facts.hpp.in ${OUTPUT_DIR}/build_facts.hpp @ONLY)
