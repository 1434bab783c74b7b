# SPDX-License-Identifier: BSD-3-Clause
# Fetches the pinned source archives, and unpacks the part we need.

# Makes sure that `archive` lies in the downloads folder with the pinned sha256; downloads it from `url` when it does not. Nothing
# of it runs, nor any program that would fetch more.
function(octile_download_pinned name version sha256 url archive)
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

  message(STATUS "Octile: fetching ${name} ${version} (about 20 seconds)")
  file(MAKE_DIRECTORY "${OCTILE_DOWNLOADS_DIR}")
  file(DOWNLOAD "${url}" "${archive}.part" STATUS status TLS_VERIFY ON INACTIVITY_TIMEOUT 60)
  list(GET status 0 code)
  list(GET status 1 reason)
  if(NOT code EQUAL 0)
    file(REMOVE "${archive}.part")
    message(FATAL_ERROR "${url} cannot be fetched: ${reason}. Is the network up? ${by_hand}")
  endif()
  file(SHA256 "${archive}.part" seen)
  if(NOT seen STREQUAL sha256)
    file(REMOVE "${archive}.part")
    message(FATAL_ERROR "${url} has the sha256 ${seen} where Octile pins ${sha256}; it was not used. ${by_hand}")
  endif()
  file(RENAME "${archive}.part" "${archive}")
endfunction()

# Sets `result` to a folder that holds `subfolder` of the pinned distribution `name`, with our patches applied, and
# OCTILE_SOURCE_IDENTITY to a text that changes whenever its contents do. Every preset shares it; a second call does nothing.
function(octile_pinned_source name subfolder result)
  cmake_parse_arguments(PARSE_ARGV 3 pinned "" "" "PATCHES")
  set(list "${PROJECT_SOURCE_DIR}/cmake/pinned-sources.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}" ${pinned_PATCHES})
  file(STRINGS "${list}" line REGEX "^${name}==")
  if(NOT line MATCHES "^${name}==([^ ]+) sha256:([0-9a-f]+) (https://[^ ]+)$")
    message(FATAL_ERROR "${list} should pin ${name} as '${name}==VERSION sha256:DIGEST URL'; it says '${line}'.")
  endif()
  set(version "${CMAKE_MATCH_1}")
  set(sha256 "${CMAKE_MATCH_2}")
  set(url "${CMAKE_MATCH_3}")

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
  octile_is_stamped("${stamp}" "${identity}" unpacked)
  if(unpacked AND EXISTS "${source}/CMakeLists.txt")
    return()
  endif()

  set(archive "${OCTILE_DOWNLOADS_DIR}/${distribution}.tar.gz")
  octile_download_pinned("${name}" "${version}" "${sha256}" "${url}" "${archive}")
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
