// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rings.hpp"

#include <octile/prepared_graphs.hpp>
#include <octile/program_kernel.hpp>
#include <octile/solve_handle.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <tuple>

/// What expressions call the members.
template <>
struct octile::LabelAttributes<Bond> {
  static constexpr std::tuple list{Attribute{"order", &Bond::order}, Attribute{"length", &Bond::length}};
};

using PreparedRings = octile::PreparedGraphs<double, int, Bond, Memory>;

/// Queues the solve of all pairs by the kernel as text. It stands in a file of its own: what a solve compiles depends on the types of its
/// kernels, and two files with a kind of kernels each are compiled side by side.
void solve_as_text(const Space& space, octile::SolveHandle<Space>& handle, const PreparedRings& rings,
                   const octile::Stopping& stopping, const Kokkos::View<double**, Memory>& values);
