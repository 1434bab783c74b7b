# SPDX-License-Identifier: BSD-3-Clause
# The headers that a user includes, as docs/library.md says. Each compiles by itself from an installation, which is tested. All
# others are installed because these include them; they may change from one version to the next.
set(octile_public_headers
    octile/accuracy.hpp
    octile/backends.hpp
    octile/base_kernels.hpp
    octile/error.hpp
    octile/expression.hpp
    octile/gradient.hpp
    octile/gram.hpp
    octile/graph.hpp
    octile/graph_batch.hpp
    octile/interruption.hpp
    octile/labels.hpp
    octile/lowerings.hpp
    octile/orders.hpp
    octile/parameters.hpp
    octile/portable/gram.hpp
    octile/precision.hpp
    octile/prepared_graphs.hpp
    octile/prepared_set.hpp
    octile/primitives.hpp
    octile/reorder_graphs.hpp
    octile/solve.hpp
    octile/solve_graphs.hpp
    octile/start.hpp
    octile/stopping.hpp
    octile/version.hpp)
# Where Kokkos has CUDA.
set(octile_public_cuda_headers octile/cuda/gram.cuh)
# These come with them. Users name what they declare, so that the reference describes it, but include none of them.
set(octile_described_headers
    octile/batch_fault.hpp
    octile/device_gram.hpp
    octile/graph_outputs.hpp
    octile/graph_pairs.hpp
    octile/graph_solve.hpp
    octile/graph_system.hpp
    octile/problem.hpp
    octile/program_kernel.hpp
    octile/request.hpp
    octile/solve_handle.hpp)
