# SPDX-License-Identifier: BSD-3-Clause
# Run by CTest: installs Octile, moves the installation, then builds and runs an example against it as a user would.
#   build: Octile's build folder; source: the example's folder; program: its executable's name; work: a scratch folder;
#   gpu: whether the program needs one; arguments: what the example's configuration is told, a list; build_only: not to run it.
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
octile_step("configuring the example" "${CMAKE_COMMAND}" -S "${source}" -B "${work}/build"
            "-DCMAKE_PREFIX_PATH=${work}/moved" ${arguments})
octile_step("building the example" "${CMAKE_COMMAND}" --build "${work}/build")

if(build_only)
  return()
endif()
if(gpu)
  execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE devices ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT devices MATCHES "GPU")
    message(STATUS "There is no GPU here, so the example was built and not run.")
    return()
  endif()
endif()
octile_step("running the example" "${work}/build/${program}")
