# SPDX-License-Identifier: BSD-3-Clause
# octile_warnings(<target>): the warnings that every target of ours is built with.
# nvcc's own generated code is not pedantic, and not ours, so -Wpedantic is for plain C++ alone.
function(octile_warnings target)
  target_compile_options(
    ${target} PRIVATE # A `case` that is missing is a wrong value: refused in every build.
                      $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Werror=switch>
                      $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>)
  if(CMAKE_UNITY_BUILD)
    # Of files that are compiled together one may hide a name of another, which is no matter.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 sees overlapping copies in std::string::insert and operator+ that are not there (its bug 105651).
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>
                                             $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-restrict>)
  endif()
  if(OCTILE_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
                                             $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>)
  endif()
endfunction()
