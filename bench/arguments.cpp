// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <sstream>
#include <string>

#include <octile/accuracy.hpp>
#include <octile/error.hpp>
#include <octile/lowerings.hpp>
#include <octile/orders.hpp>
#include <octile/primitives.hpp>

#include "data_set.hpp"
#include "program.hpp"

namespace octile::bench {

Arguments parse_arguments(std::span<char* const> values) {
  const Options options(values, {{"data", default_folder()},
                                 {"pairs", "0"},
                                 {"primitives", "auto"},
                                 {"orders", "natural"},
                                 {"lowerings", "auto"},
                                 {"accuracies", "none"},
                                 {"derivatives", "none"},
                                 {"brief", "0"}});
  Arguments arguments;
  arguments.data = options.text("data");
  if (arguments.data.empty()) throw Error("no data: give --data=DIR, a folder that bench/prepare_data wrote");
  arguments.pairs = static_cast<std::size_t>(options.number("pairs"));
  arguments.brief = options.number("brief") != 0;
  arguments.primitives = split_names(options.text("primitives"));
  for (const std::string& primitive : arguments.primitives) parse_primitive(primitive);
  arguments.orders = split_names(options.text("orders"));
  for (const std::string& order : arguments.orders) reorder::parse_order(order);
  arguments.lowerings = split_names(options.text("lowerings"));
  for (const std::string& lowering : arguments.lowerings) parse_lowering(lowering);
  // Numbers between commas, which `split_names` takes for parameters of a name.
  std::istringstream accuracies(options.text("accuracies"));
  for (std::string accuracy; std::getline(accuracies, accuracy, ',');) arguments.accuracies.push_back(accuracy);
  for (const std::string& accuracy : arguments.accuracies) {
    if (accuracy != "none") Accuracy::parse(accuracy);
  }
  arguments.derivatives = split_names(options.text("derivatives"));
  for (const std::string& derivatives : arguments.derivatives) {
    if (derivatives != "none" && derivatives != "weighted" && derivatives != "each" && derivatives != "twelve" &&
        derivatives != "mixed") {
      throw Error("derivatives are '" + derivatives + "'; allowed are none, weighted, each, twelve, mixed");
    }
  }
  return arguments;
}

}  // namespace octile::bench
