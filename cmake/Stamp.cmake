# SPDX-License-Identifier: BSD-3-Clause
# A stamp is a file that keeps the text from which something was made, so that it is made again where that text is another.

# Sets `result` to whether the stamp holds this text.
function(octile_is_stamped stamp identity result)
  set(${result} FALSE PARENT_SCOPE)
  if(EXISTS "${stamp}")
    file(READ "${stamp}" stamped)
    if(stamped STREQUAL identity)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()
