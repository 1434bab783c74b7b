// SPDX-License-Identifier: BSD-3-Clause
#include "readers/rdkit_log.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include "readers/text.hpp"

namespace octile::app {

RdkitLog::RdkitLog()
    : kept_(std::make_shared<boost::logging::rdLogger>(&stream_)),
      error_(rdErrorLog),
      warning_(rdWarningLog),
      info_(rdInfoLog) {
  rdErrorLog = kept_;
  rdWarningLog = nullptr;
  rdInfoLog = nullptr;
}

RdkitLog::~RdkitLog() {
  rdErrorLog = error_;
  rdWarningLog = warning_;
  rdInfoLog = info_;
}

std::string RdkitLog::reason() const {
  const std::string all = stream_.str();
  std::string_view line = trimmed(std::string_view(all).substr(0, all.find('\n')));
  if (line.starts_with('[')) line = trimmed(line.substr(std::min(line.find(']'), line.size() - 1) + 1));
  constexpr std::string_view heading = "SMILES Parse Error: ";
  if (line.starts_with(heading)) line.remove_prefix(heading.size());
  return line.empty() ? "no molecule" : std::string(line);
}

bool lacks_memory(std::string_view reason) {
  return reason.find("out of dynamic memory") != std::string_view::npos ||
         reason.find("memory exhausted") != std::string_view::npos;
}

}  // namespace octile::app
