// SPDX-License-Identifier: BSD-3-Clause
#include "verify/audit.hpp"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/backends.hpp>
#include <octile/error.hpp>

#include "readers/text.hpp"
#include "verify/pair_sample.hpp"

namespace octile::app {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double value_at(const StoredMatrix& matrix, std::size_t row, std::size_t column) {
  double value = 0;
  matrix.read(row, column, std::span(&value, 1));
  return value;
}

/// The relative error that a value may have as it is written.
double allowed_error(const AuditedMatrix& matrix) {
  const double error = matrix.normalized ? (1 + matrix.allowed) / (1 - matrix.allowed) - 1 : matrix.allowed;
  const double rounding = matrix.values->precision() == Precision::float32 ? std::ldexp(1.0, -24) : 0;
  // The reference rounds too, and sums terms of up to a few thousand numbers.
  return error + rounding + 4096 * epsilon;
}

/// Some of 0 … size − 1, in order.
std::vector<std::size_t> some_of(std::size_t size, std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> all(size);
  std::iota(all.begin(), all.end(), std::size_t(0));
  std::vector<std::size_t> chosen;
  chosen.reserve(std::min(size, count));
  std::ranges::sample(all, std::back_inserter(chosen), static_cast<std::ptrdiff_t>(count), random);
  return chosen;
}

/// Places of the matrix at random whose pairs the reference can solve.
std::vector<std::pair<std::size_t, std::size_t>> random_places(const AuditedMatrix& matrix, const AuditSample& sample) {
  std::mt19937_64 random(sample.seed);
  std::uniform_int_distribution<std::size_t> row(0, matrix.rows() - 1);
  std::uniform_int_distribution<std::size_t> column(0, matrix.values->columns() - 1);
  const auto vertices = [&](std::size_t graph) {
    return static_cast<std::size_t>(matrix.graphs[graph].vertex_count());
  };
  std::vector<std::pair<std::size_t, std::size_t>> places;
  constexpr std::size_t attempts = 200;
  const std::size_t most = std::min(sample.pairs, matrix.rows() * matrix.values->columns());
  std::set<std::pair<std::size_t, std::size_t>> drawn;
  for (std::size_t k = 0; k < attempts * most && places.size() < most; ++k) {
    const std::pair place(row(random), column(random));
    // Normalised values need the pair of each graph with itself.
    const std::size_t n = vertices(place.first);
    const std::size_t m = vertices(matrix.column_graph(place.second));
    const std::size_t unknowns = matrix.normalized ? std::max(n, m) * std::max(n, m) : n * m;
    if (unknowns <= sample.most_unknowns && drawn.insert(place).second) places.push_back(place);
  }
  return places;
}

/// The values at these places by the reference.
std::vector<double> reference_values(const AuditedMatrix& matrix,
                                     const std::vector<std::pair<std::size_t, std::size_t>>& places) {
  std::vector<Pair> pairs;
  pairs.reserve(3 * places.size());
  for (const auto& [row, column] : places) {
    const auto first = static_cast<std::int32_t>(row);
    const auto second = static_cast<std::int32_t>(matrix.column_graph(column));
    pairs.push_back({first, second});
    pairs.push_back({first, first});
    pairs.push_back({second, second});
  }
  const Subset subset = subset_of(matrix.graphs, pairs);
  const auto solver = make_pair_solver(BackendId::reference, subset.graphs, *matrix.kernel, Precision::float64, {});
  std::vector<PairResult> results(pairs.size());
  if (matrix.normalized) {
    solver->solve(subset.pairs, results);
  } else {
    for (std::size_t k = 0; k < pairs.size(); k += 3) {
      solver->solve(std::span(subset.pairs).subspan(k, 1), std::span(results).subspan(k, 1));
    }
  }
  std::vector<double> values;
  values.reserve(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double value = results[3 * k].value;
    const double scale = std::sqrt(results[3 * k + 1].value) * std::sqrt(results[3 * k + 2].value);
    // A graph is like itself, even if its value is 0, as without edges where walks of no step do not count.
    const bool itself = matrix.normalized && pairs[3 * k].first == pairs[3 * k].second;
    values.push_back(itself ? 1 : !matrix.normalized || scale == 0 ? value : value / scale);
  }
  return values;
}

constexpr AuditVerdict verdict_of(bool good) { return good ? AuditVerdict::good : AuditVerdict::wrong; }

/// A file of HDF5 has checksums of its own.
AuditFinding check_chunks(const Hdf5Matrix& file) {
  try {
    const std::size_t unconverged = file.verify();
    return {"checksums",
            fmt::format("values, bounds and states of {} match; {}", counted(file.rows() * file.columns(), "value"),
                        unconverged == 0 ? "all converged" : with_commas(unconverged) + " did not converge"),
            AuditVerdict::good};
  } catch (const Error& error) {
    return {"checksums", error.what(), AuditVerdict::wrong};
  }
}

}  // namespace

AuditFinding check_checksums(const StoredMatrix& values, const StoredMatrix* errors) {
  if (values.hdf5() != nullptr) return check_chunks(*values.hdf5());
  const auto written = values.names().find("checksums");
  if (written == values.names().end()) {
    return {"checksums", "none were written with it: a value that changed since then may go unseen",
            AuditVerdict::not_checked};
  }
  if (!written->is_object()) return {"checksums", "are damaged: they are no JSON object", AuditVerdict::wrong};
  std::string looked_at;
  std::string without;
  const auto add = [](std::string& list, const char* key) {
    list += fmt::format("{}{}", list.empty() ? "" : " and ", key);
  };
  for (const auto& [matrix, key] : {std::pair(&values, "values"), std::pair(errors, "bounds")}) {
    if (matrix == nullptr) continue;
    if (!written->contains(key)) {
      add(without, key);
      continue;
    }
    const std::string found = matrix->checksum().text();
    if (written->at(key) != found) {
      return {"checksums",
              fmt::format("{}: the {} have {}, and had {} when they were written", printable(matrix->path()), key,
                          found, shortened(printable(written->at(key).dump()), 20)),
              AuditVerdict::wrong};
    }
    add(looked_at, key);
  }
  std::string words =
      looked_at.empty() ? std::string()
                        : fmt::format("{} of {} match", looked_at, counted(values.rows() * values.columns(), "place"));
  if (without.empty()) return {"checksums", words, AuditVerdict::good};
  words += fmt::format("{}none was written of the {}", words.empty() ? "" : "; ", without);
  return {"checksums", words, AuditVerdict::not_checked};
}

std::optional<AuditFinding> check_bounds(const StoredMatrix& values, const StoredMatrix* errors) {
  if (errors != nullptr || values.hdf5() != nullptr) return std::nullopt;
  const nlohmann::json& names = values.names();
  const std::string file = text_at(names, "bounds_file");
  const auto sums = names.find("checksums");
  if (file.empty() && (sums == names.end() || !sums->contains("bounds"))) return std::nullopt;
  return AuditFinding{"bounds",
                      fmt::format("were written with it, and are not looked at; allowed is --errors {}",
                                  file.empty() ? std::string("FILE.npy") : printable(file)),
                      AuditVerdict::not_checked};
}

AuditFinding check_convergence(const StoredMatrix& matrix) {
  const nlohmann::json count = matrix.names().value("unconverged_pairs", nlohmann::json());
  if (!count.is_number_unsigned())
    return {"convergence", "it is not said whether all pairs converged", AuditVerdict::not_checked};
  const auto pairs = count.get<std::size_t>();
  if (pairs == 0) return {"convergence", "all pairs did, as it was written", AuditVerdict::good};
  return {"convergence", fmt::format("{} did not, as it was written", counted(pairs, "pair")), AuditVerdict::wrong,
          exit_unconverged};
}

AuditFinding check_symmetry(const AuditedMatrix& matrix, const AuditSample& sample) {
  constexpr std::size_t most = 100000;
  const std::size_t size = matrix.rows();
  const std::size_t all = size * (size - 1) / 2;
  std::size_t looked_at = 0;
  std::size_t different = 0;
  const auto look = [&](std::size_t i, std::size_t j) {
    ++looked_at;
    if (value_at(*matrix.values, i, j) != value_at(*matrix.values, j, i)) ++different;
  };
  if (all <= most) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i + 1; j < size; ++j) look(i, j);
    }
  } else {
    std::mt19937_64 random(sample.seed);
    std::uniform_int_distribution<std::size_t> any(0, size - 1);
    std::vector<std::pair<std::size_t, std::size_t>> places(most);
    for (auto& [i, j] : places) std::tie(i, j) = std::minmax({any(random), any(random)});
    // Neighbours after each other, since a file of HDF5 is read in chunks.
    constexpr std::size_t near = 256;
    std::ranges::sort(places, {}, [](const auto& place) { return std::pair(place.first / near, place.second / near); });
    for (const auto& [i, j] : places) look(i, j);
  }
  return {"symmetry",
          fmt::format("{} of {}: {}", with_commas(looked_at), counted(all, "pair"),
                      different == 0 ? "equal to the bit" : fmt::format("{} differ", with_commas(different))),
          verdict_of(different == 0)};
}

AuditFinding check_diagonal(const AuditedMatrix& matrix) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const double value = value_at(*matrix.values, i, i);
    if (matrix.normalized ? value != 1 : !(value >= 0 && std::isfinite(value))) ++wrong;
  }
  return {"diagonal",
          fmt::format("{}: {}", counted(matrix.rows(), "value"),
                      wrong > 0           ? fmt::format("{} are not what they should be", with_commas(wrong))
                      : matrix.normalized ? "all are 1"
                                          : "all are numbers of 0 or more"),
          verdict_of(wrong == 0)};
}

AuditFinding check_values(const AuditedMatrix& matrix, const AuditSample& sample) {
  const auto places = random_places(matrix, sample);
  if (places.empty()) {
    return {"values",
            fmt::format("no pair has at most {} unknowns for the reference", with_commas(sample.most_unknowns)),
            AuditVerdict::not_checked};
  }
  const std::vector<double> expected = reference_values(matrix, places);
  const double allowed = allowed_error(matrix);
  double largest = 0;
  std::size_t wrong = 0;
  std::string worst;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto [row, column] = places[k];
    const double value = value_at(*matrix.values, row, column);
    const double difference = value == expected[k] ? 0 : std::abs(value - expected[k]) / std::abs(expected[k]);
    double limit = allowed;
    // A pair that could not be solved to its accuracy has the bound that is certain.
    if (matrix.errors != nullptr) limit = value_at(*matrix.errors, row, column) + 4096 * epsilon;
    // Written so that NaN is wrong, too.
    const bool good = difference <= limit;
    if (!good) ++wrong;
    if (good ? difference > largest && worst.empty() : true) {
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(largest, difference);
    }
    if (!good && worst.empty()) {
      worst = fmt::format("; {} - {}: {} is written, {} by the reference", printable(matrix.graphs[row].name()),
                          printable(matrix.graphs[matrix.column_graph(column)].name()), value, expected[k]);
    }
  }
  return {"values",
          fmt::format("{} by the reference: largest relative difference {:.1e}, {} {:.1e}{}{}",
                      counted(places.size(), "random pair"), largest,
                      matrix.errors != nullptr ? "each allowed its bound, without"
                      : matrix.proven          ? "proven are"
                                               : "allowed are",
                      allowed, matrix.errors != nullptr ? "" : ", without bounds of single values", worst),
          verdict_of(wrong == 0)};
}

AuditFinding check_eigenvalues(const AuditedMatrix& matrix, const AuditSample& sample) {
  std::mt19937_64 random(sample.seed);
  const std::vector<std::size_t> chosen = some_of(matrix.rows(), sample.submatrix, random);
  const auto size = static_cast<Eigen::Index>(chosen.size());
  Eigen::MatrixXd part(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      part(i, j) = value_at(*matrix.values, chosen[static_cast<std::size_t>(i)], chosen[static_cast<std::size_t>(j)]);
    }
  }
  if (!part.allFinite())
    return {"eigenvalues", fmt::format("of {}: some values are not finite", counted(chosen.size(), "graph")),
            AuditVerdict::wrong};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(part, Eigen::EigenvaluesOnly);
  const double smallest = solved.eigenvalues().minCoeff();
  const double largest = solved.eigenvalues().maxCoeff();
  const double least = -(allowed_error(matrix) + static_cast<double>(size) * epsilon) * largest;
  return {"eigenvalues",
          fmt::format("of {}: {:.3g} to {:.3g}; allowed is {:.1e} or more", counted(chosen.size(), "random graph"),
                      smallest, largest, least),
          verdict_of(smallest >= least)};
}

}  // namespace octile::app
