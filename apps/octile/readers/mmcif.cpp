// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "readers/formats.hpp"
#include "readers/heavy_atoms.hpp"
#include "readers/one_graph.hpp"
#include "readers/parse_mmcif.hpp"
#include "readers/text_file.hpp"

namespace octile::app {

GraphReader mmcif_reader(const std::string& path, const ReadOptions& options) {
  return one_graph(path, options.rule, [path](TextFile& file) {
    std::string text;
    for (std::string line; file.next(line);) text += line += '\n';
    return heavy_atoms(parse_mmcif(text, path).models.front());
  });
}

}  // namespace octile::app
