# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` installs: a package that find_package(octile) finds and that can be moved as a whole. The build tree of a
# project of its own is such a package too.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/octile")
# A Kokkos of ours lies apart from any other in the same prefix.
set(kokkos_dir "${CMAKE_INSTALL_LIBDIR}/octile/kokkos")

install(DIRECTORY lib/include/ backends/include/ reorder/include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
# The reference is compiled into the library; its headers include Eigen, which an installation does without.
install(DIRECTORY lib/octile backends/octile reorder/octile DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/octile/internal"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh" PATTERN "octile/reference" EXCLUDE)
install(FILES "${PROJECT_BINARY_DIR}/include/octile/version.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/octile")
install(TARGETS octile EXPORT octileTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT octileTargets NAMESPACE octile:: DESTINATION "${package_dir}")

# The component `io`: the readers of files of graphs.
set(has_io FALSE)
if(TARGET octile_io)
  set(has_io TRUE)
  install(TARGETS octile_io octile_node_link EXPORT octileIoTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT octileIoTargets NAMESPACE octile:: DESTINATION "${package_dir}")
  install(FILES apps/octile/readers/read.hpp apps/octile/readers/atom_choice.hpp apps/octile/readers/spatial_adjacency.hpp apps/octile/readers/periodic_cell.hpp
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/octile/io/readers")
  install(FILES cmake/FindRDKit.cmake cmake/FindZstd.cmake cmake/ImportedLibrary.cmake DESTINATION "${package_dir}")
endif()
if(TARGET octile_program)
  install(TARGETS octile_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# Written twice: the package of the build tree may remember the folder of its Kokkos, and an installed one may not.
set(has_cuda FALSE)
if(Kokkos_ENABLE_CUDA)
  set(has_cuda TRUE)
endif()
set(with_own_kokkos ${OCTILE_BUILT_KOKKOS})
set(kokkos_config_dir "\${PACKAGE_PREFIX_DIR}/${kokkos_dir}/lib/cmake/Kokkos")
configure_package_config_file(cmake/octileConfig.cmake.in "${PROJECT_BINARY_DIR}/installed/octileConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
configure_file(cmake/octileConfigVersion.cmake.in "${PROJECT_BINARY_DIR}/octileConfigVersion.cmake" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/installed/octileConfig.cmake" "${PROJECT_BINARY_DIR}/octileConfigVersion.cmake"
              cmake/OctileKokkos.cmake cmake/OctileKokkosSources.cmake DESTINATION "${package_dir}")
if(PROJECT_IS_TOP_LEVEL)
  export(EXPORT octileTargets NAMESPACE octile:: FILE "${PROJECT_BINARY_DIR}/octileTargets.cmake")
  if(has_io)
    export(EXPORT octileIoTargets NAMESPACE octile:: FILE "${PROJECT_BINARY_DIR}/octileIoTargets.cmake")
    foreach(file IN ITEMS FindRDKit FindZstd ImportedLibrary)
      configure_file(cmake/${file}.cmake "${PROJECT_BINARY_DIR}/${file}.cmake" COPYONLY)
    endforeach()
  endif()
  set(with_own_kokkos ON)
  set(kokkos_config_dir "${Kokkos_DIR}")
  configure_package_config_file(cmake/octileConfig.cmake.in "${PROJECT_BINARY_DIR}/octileConfig.cmake"
                                INSTALL_DESTINATION "${PROJECT_BINARY_DIR}" INSTALL_PREFIX "${PROJECT_BINARY_DIR}")
  foreach(file IN ITEMS OctileKokkos OctileKokkosSources)
    configure_file(cmake/${file}.cmake "${PROJECT_BINARY_DIR}/${file}.cmake" COPYONLY)
  endforeach()
endif()

# pkg-config, for builds without CMake. Files for nvcc need more than flags, and a Kokkos of the same tree has no place yet.
if(NOT has_cuda AND Kokkos_DIR)
  file(RELATIVE_PATH to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
  if(OCTILE_BUILT_KOKKOS)
    set(kokkos_prefix "\${prefix}/${kokkos_dir}")
  else()
    get_filename_component(kokkos_prefix "${Kokkos_DIR}/../../.." ABSOLUTE)
  endif()
  get_target_property(kokkos_location Kokkos::kokkoscore LOCATION)
  get_filename_component(kokkos_lib "${kokkos_location}" DIRECTORY)
  get_filename_component(kokkos_lib "${kokkos_lib}" NAME)
  set(openmp_flag "")
  if(Kokkos_ENABLE_OPENMP)
    set(openmp_flag "${OpenMP_CXX_FLAGS}")
  endif()
  configure_file(cmake/octile.pc.in "${PROJECT_BINARY_DIR}/octile.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/octile.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()

# What we built ourselves nobody else has. Kokkos Kernels is not among it: no header that a user includes needs it.
if(OCTILE_BUILT_KOKKOS)
  install(DIRECTORY "${OCTILE_DEPENDENCIES_DIR}/include/" DESTINATION "${kokkos_dir}/include" REGEX "/Kokkos(Batched|Blas|Graph|Kernels|Lapack|ODE|Sparse)[^/]*$" EXCLUDE)
  install(DIRECTORY "${OCTILE_DEPENDENCIES_DIR}/lib/" DESTINATION "${kokkos_dir}/lib" PATTERN "*okkos*ernels*" EXCLUDE)
  # Kokkos' own configuration file asks for these two scripts.
  install(PROGRAMS "${OCTILE_DEPENDENCIES_DIR}/bin/kokkos_launch_compiler" "${OCTILE_DEPENDENCIES_DIR}/bin/nvcc_wrapper"
          DESTINATION "${kokkos_dir}/bin")
endif()
