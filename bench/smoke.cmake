# SPDX-License-Identifier: BSD-3-Clause
# Runs every bench once on little data, with CTest's label `bench`: it must finish with right answers. The times mean
# nothing. The data are the project's own.
set(smoke "${CMAKE_CURRENT_BINARY_DIR}/smoke")
set(smoke_once --benchmark_repetitions=1 --benchmark_min_time=0.001)

# octile_smoke(<test> <program> [<argument>...])
function(octile_smoke name program)
  add_test(NAME bench_${name} COMMAND octile_bench_${program} ${ARGN})
  set(labels bench)
  if(Kokkos_ENABLE_CUDA)
    list(APPEND labels gpu)
  endif()
  set_tests_properties(
    bench_${name} PROPERTIES ENVIRONMENT "OMP_PROC_BIND=false;OMP_NUM_THREADS=2" LABELS "${labels}" TIMEOUT 600 PROCESSORS 2)
endfunction()

octile_smoke(ceilings ceilings --brief=1 ${smoke_once})
# The naive product, every dense one for t = r = 8 and at both ends, and octiles.
octile_smoke(primitives primitives --brief=1 --populations=0,9,64 ${smoke_once}
             "--benchmark_filter=naive|:(8,8|4,4|24,24)/|population:(9|64)/other:(0|9)")
octile_smoke(tiles tiles --brief=1 --populations=4,40 --graphs=2
             --primitives=dense-sparse,sparse-sparse,adaptive,rows,slices ${smoke_once} "--benchmark_filter=openmp|cuda")
octile_smoke(reorder reorder --data= --graphs=3 ${smoke_once})
octile_smoke(scaling scaling --brief=1 --sizes=8,33 --graphs=3 --counts=2,7 --vertices=16 ${smoke_once})
octile_smoke(views views --graphs=4 --columns=1 ${smoke_once})

# octile_bench_solve reads files: sets that are written first; one of them again with a reference value that is wrong.
file(MAKE_DIRECTORY "${smoke}/right" "${smoke}/wrong")
octile_smoke(right_sets write_sets "${smoke}/right" 17 4)
set_tests_properties(bench_right_sets PROPERTIES FIXTURES_SETUP bench_sets)
octile_smoke(solve solve "--data=${smoke}/right" --brief=1 ${smoke_once})
set_tests_properties(bench_solve PROPERTIES FIXTURES_REQUIRED bench_sets)
add_test(NAME bench_wrong_sets COMMAND "${CMAKE_COMMAND}" "-Dright=${smoke}/right" "-Dwrong=${smoke}/wrong" -P
                                       "${CMAKE_CURRENT_SOURCE_DIR}/falsify.cmake")
set_tests_properties(bench_wrong_sets PROPERTIES LABELS bench FIXTURES_REQUIRED bench_sets FIXTURES_SETUP bench_wrong)
octile_smoke(solve_wrong solve "--data=${smoke}/wrong" --brief=1 ${smoke_once} --benchmark_filter=nws/kind:labeled/q:0.05)
set_tests_properties(bench_solve_wrong PROPERTIES FIXTURES_REQUIRED bench_wrong WILL_FAIL TRUE)
