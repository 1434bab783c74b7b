// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile::app {

/// Keeps Kokkos initialized during its lifetime, with `threads` host threads, or one a core for 0.
/// The only place of the program that uses Kokkos.
class KokkosScope {
 public:
  explicit KokkosScope(int threads);
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
  ~KokkosScope();
};

}  // namespace octile::app
