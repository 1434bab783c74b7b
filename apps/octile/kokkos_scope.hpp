// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile::app {

/// Kokkos is initialized while it lives: `threads` host threads, all cores for 0.
/// The only place of the program that knows Kokkos.
class KokkosScope {
 public:
  explicit KokkosScope(int threads);
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
  ~KokkosScope();
};

}  // namespace octile::app
