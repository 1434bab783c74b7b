// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "verify/verification.hpp"

namespace octile::app {

/// What of the backends and primitives is asked for, as it stands on the command line.
struct SettingNames {
  std::string backends;    ///< empty: all
  std::string primitives;  ///< empty: all, but of the dense ones t = r = 8
  bool all = false;        ///< the dense ones with every (t, r)
};

/// What is solved, and the backends that cannot be asked.
struct Settings {
  std::vector<Setting> available;
  std::vector<const Backend*> unavailable;
};

/// Each backend chosen, but the judge, with each primitive chosen that it takes, in each precision that it has. Throws
/// `UsageError` for a name that is unknown, a backend named that cannot run here, a primitive named that none of the
/// backends takes, and where nothing is left. With a lowering only the backends that have it, and the primitives named or
/// what the lowering multiplies by.
Settings chosen_settings(const SettingNames& names, const std::string& lowering_name);

}  // namespace octile::app
