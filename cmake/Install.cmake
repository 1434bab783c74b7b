# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` installs: a package that find_package(octile) finds and that can be moved as a whole.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/octile")

install(DIRECTORY lib/octile backends/octile reorder/octile DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(TARGETS octile EXPORT octileTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT octileTargets NAMESPACE octile:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/octileConfig.cmake.in "${PROJECT_BINARY_DIR}/octileConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/octileConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/octileConfig.cmake" "${PROJECT_BINARY_DIR}/octileConfigVersion.cmake"
              cmake/OctileKokkosSources.cmake DESTINATION "${package_dir}")
if(OCTILE_BUILD_APPS)
  install(TARGETS octile_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# What we built ourselves nobody else has, so it goes into the same prefix. Both of ours share one tree, whose configuration
# files count the folders from lib/ up to the prefix.
if(OCTILE_BUILT_KOKKOS OR OCTILE_BUILT_KOKKOS_KERNELS)
  install(DIRECTORY "${OCTILE_DEPENDENCIES_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(DIRECTORY "${OCTILE_DEPENDENCIES_DIR}/lib/" DESTINATION lib)
endif()
if(OCTILE_BUILT_KOKKOS)
  # Kokkos' own configuration file asks for these two scripts.
  install(PROGRAMS "${OCTILE_DEPENDENCIES_DIR}/bin/kokkos_launch_compiler" "${OCTILE_DEPENDENCIES_DIR}/bin/nvcc_wrapper"
          DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
