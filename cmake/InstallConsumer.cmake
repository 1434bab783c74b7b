# SPDX-License-Identifier: BSD-3-Clause
# Run by CTest: installs Octile, moves the installation, then builds and runs examples against it as a user would. Each is a project
# of its own, whose tests run if it has any, and else its program, which has the project's name.
#   build: Octile's build folder; sources: the examples' folders, a list; work: a scratch folder;
#   gpu: whether the programs need one; arguments: what the examples' configuration is told, a list; build_only: not to run them.
function(octile_step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "Octile as an installed package: ${what} failed (${status}).")
  endif()
endfunction()

file(REMOVE_RECURSE "${work}")
octile_step("installing" "${CMAKE_COMMAND}" --install "${build}" --prefix "${work}/installed")
# Nothing in the package may remember where it was installed.
file(RENAME "${work}/installed" "${work}/moved")
set(run TRUE)
if(build_only)
  set(run FALSE)
elseif(gpu)
  execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE devices ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT devices MATCHES "GPU")
    message(STATUS "There is no GPU here, so the examples are built and not run.")
    set(run FALSE)
  endif()
endif()
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME)
  set(built "${work}/build/${name}")
  octile_step("configuring '${name}'" "${CMAKE_COMMAND}" -S "${source}" -B "${built}" "-DCMAKE_PREFIX_PATH=${work}/moved"
              ${arguments})
  octile_step("building '${name}'" "${CMAKE_COMMAND}" --build "${built}")
  if(run AND EXISTS "${built}/CTestTestfile.cmake")
    octile_step("testing '${name}'" "${CMAKE_CTEST_COMMAND}" --test-dir "${built}" --output-on-failure --no-tests=error)
  elseif(run)
    octile_step("running '${name}'" "${built}/${name}")
  endif()
endforeach()
