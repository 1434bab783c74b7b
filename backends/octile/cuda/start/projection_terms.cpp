// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/start/projection_terms.hpp>

#include <octile/base/parallel.hpp>
#include <octile/cuda/start/table_terms.hpp>
#include <octile/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace octile::cuda {
namespace {

constexpr std::size_t most_ids = 64;

/// How many vertices have each id.
std::vector<double> counts_of(const LoweredKernel& vertex) {
  std::vector<double> counts(vertex.record_count);
  for (const std::vector<std::uint32_t>& graph : vertex.ids) {
    for (const std::uint32_t id : graph) ++counts[id];
  }
  return counts;
}

void take_vertex_terms(const std::vector<TableTerm>& few, std::size_t ids, ProjectionTerms& terms) {
  terms.ids = ids;
  terms.vertex_terms = few.size();
  for (const TableTerm& term : few) {
    terms.signs.push_back(static_cast<float>(term.sign));
    for (const double value : term.values) terms.vertex.push_back(static_cast<float>(value));
  }
}

/// Weights guesses by κv if its terms, each two of them with all of κe, are few.
bool add_weights(const LoweredKernel& vertex, const std::vector<double>& counts, ProjectionTerms& terms) {
  const std::vector<TableTerm> few = table_terms(vertex.table, counts, weights_error);
  const auto positive = [](const TableTerm& term) { return term.sign > 0; };
  if (!std::ranges::all_of(few, positive) || few.size() * (1 + few.size() * terms.rank) > most_weighted_terms) {
    return false;
  }
  take_vertex_terms(few, vertex.record_count, terms);
  terms.weighted = true;
  for (const double kappa : vertex.table) terms.reciprocals.push_back(static_cast<float>(1 / kappa));
  return true;
}

/// Adds the terms of the vertex kernel; those of the edges must be there. Returns whether they are few enough.
bool add_vertex_terms(const LoweredKernel& vertex, bool weighted, ProjectionTerms& terms) {
  if (vertex.constant()) {
    terms.ids = terms.vertex_terms = 1;
    terms.signs = {1};
    terms.vertex = {static_cast<float>(1 / std::sqrt(vertex.program[0].parameter))};
    return true;
  }
  if (!vertex.tabulated() || vertex.record_count > most_ids) return false;
  const std::vector<double> counts = counts_of(vertex);
  if (weighted && add_weights(vertex, counts, terms)) return true;
  std::vector<double> reciprocals = vertex.table;
  for (double& value : reciprocals) value = 1 / value;
  const std::vector<TableTerm> few = table_terms(reciprocals, counts, projection_error);
  if (few.size() > most_projection_terms) return false;
  take_vertex_terms(few, vertex.record_count, terms);
  return true;
}

/// Adds the fewest first factors whose error is at most `projection_error`. Returns whether they are few enough.
bool add_edge_terms(const Factors& factors, ProjectionTerms& terms) {
  if (factors.sparse()) return false;
  std::size_t rank = factors.rank;
  for (std::size_t k = 1; k < factors.errors.size() && k < rank; ++k) {
    if (factors.errors[k] <= projection_error) rank = k;
  }
  if (rank > most_projection_terms) return false;
  terms.rank = rank;
  constexpr std::size_t records_at_once = 4096;
  const std::size_t records = factors.terms == 0 ? 0 : factors.values.size() / factors.terms;
  terms.edge.resize(records * rank);
  in_parallel(records, records_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      for (std::size_t k = 0; k < rank; ++k) {
        terms.edge[e * rank + k] = static_cast<float>(factors.values[e * factors.terms + k]);
      }
    }
  });
  return true;
}

}  // namespace

std::optional<ProjectionTerms> projection_terms(const plan::LoweredSet& lowered, const Factors* factors,
                                                bool weighted) {
  ProjectionTerms terms;
  if (factors != nullptr) {
    if (!add_edge_terms(*factors, terms)) return {};
  } else {
    try {
      const std::optional<Factors> few = factorize(lowered.edge, projection_error, most_projection_terms);
      if (!few || !add_edge_terms(*few, terms)) return {};
    } catch (const Error&) {
      return {};  // the kernel is not positive semidefinite; the solve itself reports that where it matters
    }
  }
  if (!add_vertex_terms(lowered.vertex, weighted, terms)) return {};
  return terms;
}

}  // namespace octile::cuda
