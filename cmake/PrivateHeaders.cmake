# SPDX-License-Identifier: BSD-3-Clause
# octile_private_headers(<target> <library of headers>...)
# Compiles a target with libraries that are headers only. Nothing of them stands in what the target exports, so those who use
# Octile need not have them; linking them privately would still ask for them in a build tree's package.
function(octile_private_headers target)
  foreach(library IN LISTS ARGN)
    target_include_directories(${target} SYSTEM PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
  endforeach()
endfunction()
