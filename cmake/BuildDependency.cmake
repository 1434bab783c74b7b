# SPDX-License-Identifier: BSD-3-Clause
# Configures, builds and installs one dependency while Octile itself is being configured, so that find_package finds it
# right after. What it was built from and with is kept in a stamp beside it: nothing is built twice.

# octile_build_dependency(<name> <source> <prefix> <option>...)
#   name: Kokkos or KokkosKernels; source: its source folder; prefix: where it is installed;
#   option: what cmake is told, as -D<variable>=<value>.
function(octile_build_dependency name source prefix)
  set(options
      "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
      "-DCMAKE_INSTALL_PREFIX=${prefix}"
      -DCMAKE_INSTALL_LIBDIR=lib
      -DCMAKE_CXX_STANDARD=20
      -DCMAKE_CXX_EXTENSIONS=OFF
      -DCMAKE_POSITION_INDEPENDENT_CODE=ON
      ${ARGN})
  foreach(language IN ITEMS CXX CUDA)
    if(CMAKE_${language}_COMPILER_LAUNCHER)
      list(APPEND options "-DCMAKE_${language}_COMPILER_LAUNCHER=${CMAKE_${language}_COMPILER_LAUNCHER}")
    endif()
  endforeach()

  # OCTILE_SOURCE_IDENTITY tells pinned sources apart. A user's own folder is known by its path alone: after editing it,
  # remove the stamp to have it built again.
  set(identity "${source} ${OCTILE_SOURCE_IDENTITY}\n${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CUDA_COMPILER_VERSION}\n")
  string(APPEND identity "${options}\n")
  set(stamp "${prefix}/${name}.stamp")

  file(MAKE_DIRECTORY "${prefix}")
  file(LOCK "${prefix}/.lock" GUARD FUNCTION TIMEOUT 1800)
  octile_is_stamped("${stamp}" "${identity}" done)
  if(done)
    return()
  endif()
  file(REMOVE "${stamp}")

  set(build "${prefix}/build/${name}")
  set(log "${prefix}/${name}.log")
  message(STATUS "Octile: building ${name} from ${source} (log: ${log})")
  file(REMOVE_RECURSE "${build}")
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  set(configure "${CMAKE_COMMAND}" -S "${source}" -B "${build}" -G "${CMAKE_GENERATOR}" ${options})
  set(install "${CMAKE_COMMAND}" --build "${build}" --target install --parallel ${cores})
  file(WRITE "${log}" "")
  foreach(step IN ITEMS configure install)
    execute_process(COMMAND ${${step}} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    file(APPEND "${log}" "${output}")
    if(NOT status EQUAL 0)
      string(LENGTH "${output}" length)
      math(EXPR tail "${length} - 4000")
      if(tail GREATER 0)
        string(SUBSTRING "${output}" ${tail} -1 output)
      endif()
      message(FATAL_ERROR "${name} did not build (step: ${step}). The whole log is in ${log}; it ends:\n${output}")
    endif()
  endforeach()
  # The objects are of no use once it is installed, and a CUDA build's are large.
  file(REMOVE_RECURSE "${build}")
  file(WRITE "${stamp}" "${identity}")
endfunction()
