# WATARI_PRECOMPILED: headers that most files include are read once a target. Other builds do
# without, so that a file that forgets an include is found there.
include_guard()

function(watari_precompile target)
  if(WATARI_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <array> <atomic> <chrono> <cmath>
      <cstring> <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric> <optional>
      <random> <set> <span> <string> <thread> <utility> <vector>)
  endif()
endfunction()
