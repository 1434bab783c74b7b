// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "verify/verification.hpp"

namespace octile::app {

/// The backends and primitives asked for, as given on the command line.
struct SettingNames {
  std::string backends;    ///< empty: all
  std::string primitives;  ///< empty: all, the dense ones with t = r = 8
  bool all = false;        ///< the dense ones with every (t, r)
};

/// The settings to solve with, and the backends that cannot run here.
struct Settings {
  std::vector<Setting> available;
  std::vector<const Backend*> unavailable;
};

/// Each chosen backend except the reference, with each chosen primitive that it takes, in each precision that it has.
/// With a lowering only the backends that have it, with the primitives named or the lowering's own product. Throws
/// `UsageError` for an unknown name, for a named backend that cannot run here, for a named primitive that no backend
/// takes, and if nothing is left.
Settings chosen_settings(const SettingNames& names, const std::string& lowering_name);

}  // namespace octile::app
