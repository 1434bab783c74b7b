// SPDX-License-Identifier: BSD-3-Clause
#include "reporters.hpp"

#include <cmath>
#include <ostream>
#include <sstream>
#include <string>

namespace octile::bench {

void MedianReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> shown;
  for (const Run& run : runs) {
    all_measured_ = all_measured_ && !run.error_occurred;
    const bool other_aggregate = run.run_type == Run::RT_Aggregate && run.aggregate_name != "median";
    const bool error_again = run.error_occurred && run.repetition_index > 0;
    if (other_aggregate || error_again) continue;
    shown.push_back(run);
    shown.back().report_label.clear();  // the solver's choices are too long for a line; the JSON has them
  }
  if (!shown.empty()) ConsoleReporter::ReportRuns(shown);
}

bool JsonReporter::ReportContext(const Context& context) {
  std::ostream& output = GetOutputStream();
  std::stringstream whole;
  SetOutputStream(&whole);
  const bool go_on = JSONReporter::ReportContext(context);
  SetOutputStream(&output);
  for (std::string line; std::getline(whole, line);) {
    const bool left_out =
        line.find("\"host_name\":") != std::string::npos || line.find("\"executable\":") != std::string::npos;
    if (!left_out) output << line << '\n';
  }
  return go_on;
}

void JsonReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> numbers = runs;
  for (Run& run : numbers) {
    std::erase_if(run.counters, [](const auto& counter) { return !std::isfinite(counter.second.value); });
  }
  JSONReporter::ReportRuns(numbers);
}

}  // namespace octile::bench
