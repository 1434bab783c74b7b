# SPDX-License-Identifier: BSD-3-Clause
# Fetches the pinned source distributions through pip, the ordinary client of their registry, and unpacks the part we need.

# Finds a Python that can run pip; sets `result` to its path, or to an empty string.
function(octile_find_pip result)
  set(${result} "" PARENT_SCOPE)
  find_program(OCTILE_PYTHON NAMES python3 python DOC "A Python with pip, used to fetch pinned sources")
  foreach(candidate IN ITEMS "${OCTILE_PYTHON}" /usr/bin/python3)
    if(NOT candidate OR NOT EXISTS "${candidate}")
      continue()
    endif()
    execute_process(COMMAND "${candidate}" -m pip --version RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(${result} "${candidate}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Makes sure that `archive` lies in the downloads folder with the pinned sha256; pip downloads it when it does not.
function(octile_download_pinned name version sha256 archive)
  if(EXISTS "${archive}")
    file(SHA256 "${archive}" seen)
    if(seen STREQUAL sha256)
      return()
    endif()
    message(STATUS "Octile: ${archive} does not have the pinned sha256; fetching it again")
    file(REMOVE "${archive}")
  endif()

  set(by_hand
      "You can also put that archive into ${OCTILE_DOWNLOADS_DIR} yourself, give source folders with "
      "-DOCTILE_KOKKOS_SOURCE=<folder> and -DOCTILE_KOKKOS_KERNELS_SOURCE=<folder>, or install Kokkos and point "
      "CMAKE_PREFIX_PATH at it.")
  string(CONCAT by_hand ${by_hand})

  octile_find_pip(python)
  if(NOT python)
    message(FATAL_ERROR "Octile fetches ${name} ${version} with pip, and no python3 here has pip. "
                        "On Debian: apt-get install python3-pip. ${by_hand}")
  endif()

  message(STATUS "Octile: fetching ${name} ${version} with pip (about 20 seconds)")
  file(MAKE_DIRECTORY "${OCTILE_DOWNLOADS_DIR}")
  set(requirements "${OCTILE_DOWNLOADS_DIR}/${name}.requirements.txt")
  file(WRITE "${requirements}" "${name}==${version} --hash=sha256:${sha256}\n")
  execute_process(
    COMMAND "${python}" -m pip download --disable-pip-version-check --no-deps --no-binary "${name}" --require-hashes
            --dest "${OCTILE_DOWNLOADS_DIR}" --requirement "${requirements}"
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(output MATCHES "DO NOT MATCH THE HASHES")
    message(FATAL_ERROR "The archive of ${name} ${version} that the package registry served does not have the sha256 that "
                        "Octile pins (${sha256}), so it was not used. ${by_hand}\n\npip said:\n${output}")
  elseif(NOT status EQUAL 0 OR NOT EXISTS "${archive}")
    message(FATAL_ERROR "pip could not fetch ${name} ${version}. Is the network up, and can pip reach its package registry? "
                        "${by_hand}\n\npip said:\n${output}")
  endif()

  file(SHA256 "${archive}" seen)
  if(NOT seen STREQUAL sha256)
    message(FATAL_ERROR "${archive} has the sha256 ${seen} where Octile pins ${sha256}; it was not used. ${by_hand}")
  endif()
endfunction()

# Sets `result` to a folder that holds `subfolder` of the pinned distribution `name`, with our patches applied, and
# OCTILE_SOURCE_IDENTITY to a text that changes whenever its contents do. Every preset shares it; a second call does nothing.
function(octile_pinned_source name subfolder result)
  cmake_parse_arguments(PARSE_ARGV 3 pinned "" "" "PATCHES")
  set(list "${PROJECT_SOURCE_DIR}/cmake/pinned-sources.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}" ${pinned_PATCHES})
  file(STRINGS "${list}" line REGEX "^${name}==")
  if(NOT line MATCHES "^${name}==([^ ]+) --hash=sha256:([0-9a-f]+)$")
    message(FATAL_ERROR "${list} should pin ${name} as '${name}==VERSION --hash=sha256:DIGEST'; it says '${line}'.")
  endif()
  set(version "${CMAKE_MATCH_1}")
  set(sha256 "${CMAKE_MATCH_2}")

  set(distribution "${name}-${version}")
  set(source "${OCTILE_DOWNLOADS_DIR}/${distribution}/${subfolder}")
  set(${result} "${source}" PARENT_SCOPE)

  # What makes the unpacked folder what it is: the archive and the patches.
  set(identity "${sha256}")
  foreach(patch IN LISTS pinned_PATCHES)
    file(SHA256 "${patch}" digest)
    string(APPEND identity " ${digest}")
  endforeach()
  set(OCTILE_SOURCE_IDENTITY "${identity}" PARENT_SCOPE)

  file(MAKE_DIRECTORY "${OCTILE_DOWNLOADS_DIR}")
  file(LOCK "${OCTILE_DOWNLOADS_DIR}/.lock" GUARD FUNCTION TIMEOUT 600)
  set(stamp "${OCTILE_DOWNLOADS_DIR}/${distribution}.stamp")
  if(EXISTS "${stamp}" AND EXISTS "${source}/CMakeLists.txt")
    file(READ "${stamp}" stamped)
    if(stamped STREQUAL identity)
      return()
    endif()
  endif()

  set(archive "${OCTILE_DOWNLOADS_DIR}/${distribution}.tar.gz")
  octile_download_pinned("${name}" "${version}" "${sha256}" "${archive}")
  file(REMOVE "${stamp}")
  file(REMOVE_RECURSE "${OCTILE_DOWNLOADS_DIR}/${distribution}")
  file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${OCTILE_DOWNLOADS_DIR}"
       PATTERNS "${distribution}/${subfolder}/*")
  foreach(patch IN LISTS pinned_PATCHES)
    find_program(OCTILE_PATCH patch DOC "The patch program, used on pinned sources")
    if(NOT OCTILE_PATCH)
      message(FATAL_ERROR "The sources of Kokkos need a patch, and there is no `patch` program here. "
                          "On Debian: apt-get install patch.")
    endif()
    execute_process(COMMAND "${OCTILE_PATCH}" --strip=1 --batch --forward --input=${patch}
                    WORKING_DIRECTORY "${source}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${patch} does not apply to ${source}:\n${output}")
    endif()
  endforeach()
  file(WRITE "${stamp}" "${identity}")
endfunction()
