// SPDX-License-Identifier: BSD-3-Clause
// What solves of graphs in Views need, whatever the types of labels and base kernels are: here is where it is compiled.
#define OCTILE_IN_LIBRARY

// All headers that name some of it; those of cuda/layout come with cuda/batches/solver.hpp.
#include <octile/batches/batch_labels.hpp>
#include <octile/batches/batch_packing.hpp>
#include <octile/batches/joined_graphs.hpp>
#include <octile/cuda/batches/solver.hpp>
#include <octile/graph_factors.hpp>
#include <octile/graph_system.hpp>
#include <octile/native_batches.hpp>
#include <octile/placed_reciprocals.hpp>
#include <octile/portable/device_factors.hpp>
#include <octile/portable/refined.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve_handle.hpp>
