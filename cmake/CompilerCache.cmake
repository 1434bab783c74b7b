# SPDX-License-Identifier: BSD-3-Clause
# Compiles through ccache where there is one, unless the user has chosen a launcher.
find_program(OCTILE_CCACHE ccache DOC "The compiler cache")
foreach(language IN ITEMS CXX CUDA)
  if(OCTILE_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${OCTILE_CCACHE}" CACHE FILEPATH "What the compiler is started through")
  endif()
endforeach()
