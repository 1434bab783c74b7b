// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/communicator.hpp>
#include <octile/parameters.hpp>
#include <octile/precision.hpp>
#include <octile/prepared_set.hpp>
#include <octile/problem.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace octile {

/// Which matrix a `GramOperator` stands for, and how it keeps it.
struct GramOperatorOptions {
  /// Asks for K_ij / √(K_ii K_jj).
  bool normalize = false;
  /// Graphs along a side of a tile; more than there are make one tile.
  std::size_t tile_size = 256;
  /// In what the values are kept. In float32 they take half the memory and are rounded to 6e-8 relative.
  Precision storage = Precision::float64;
  /// Tiles are solved together as long as they have no more pairs than this, whose results take up to 100 bytes each beside the values. A
  /// GPU wants millions.
  std::size_t pairs_at_once = std::size_t(1) << 22;
};

/// A Gram matrix K of N graphs that several processes hold in parts, for iterative methods: products K V and derivatives of
/// Lᵀ K R, without the N×N matrix in any of them.
///
/// The upper triangle is cut into square tiles. Each process solves and keeps tiles of about the same work, N² / (2·processes) values,
/// and works with vectors of all N graphs. All processes have the same graphs and options, and call the collective functions in one order.
///
///     const PreparedSet set(graphs, options);
///     const mpi::Communicator ranks(MPI_COMM_WORLD);
///     const GramOperator gram(set, kernel, {.normalize = true}, ranks);
///     const std::vector<double> product = gram.apply(v, 1);
class GramOperator {
 public:
  /// Solves the tiles of this process. `set` must outlive this, and `ranks` too. Collective. Throws as `PreparedSet::solve` does;
  /// where another process does, `Error` says which.
  GramOperator(const PreparedSet& set, const KernelSpec& kernel, const GramOperatorOptions& options = {},
               const Communicator& ranks = alone());
  // Temporaries are refused: they would not live as long as this.
  GramOperator(const PreparedSet&& set, const KernelSpec&, const GramOperatorOptions& = {},
               const Communicator& = alone()) = delete;
  GramOperator(const PreparedSet& set, const KernelSpec&, const GramOperatorOptions&, const Communicator&&) = delete;

  /// N.
  std::size_t size() const { return set_.size(); }
  /// How many values this process keeps.
  std::size_t kept() const { return values_.size() + singles_.size(); }
  /// Pairs of all processes whose status is not `converged`. Their values may be anything.
  std::size_t unconverged() const { return unconverged_; }
  /// The largest bound of a kept value's relative error, of all processes, with the rounding to float32 if they are kept so; infinite
  /// where nothing is certain (`SetAnswer::error_bounds`).
  double largest_error() const { return largest_error_; }
  /// K_ii of all graphs.
  const std::vector<double>& diagonal() const { return diagonal_; }

  /// K V, for V of N × `columns` numbers, row major. Collective. Throws `Error` for another number of them. With other numbers of
  /// processes sums have another order, so that results differ by rounding.
  std::vector<double> apply(std::span<const double> v, std::size_t columns) const;

  /// Derivatives of Σ_c l_cᵀ K r_c by each of `parameters()`, for L and R of N × `columns` numbers, row major. Each process solves
  /// its pairs again, with their derivatives. Collective. Throws as the constructor does, and `Error` where pairs do not converge.
  std::vector<double> bilinear_derivative(std::span<const double> left, std::span<const double> right,
                                          std::size_t columns) const;
  std::vector<Parameter> parameters() const;  ///< those of the kernel: of κv, of κe, and q last

 private:
  /// Graphs rows … rows_end against columns … columns_end; on the diagonal both are the same.
  struct Tile {
    std::size_t rows, rows_end, columns, columns_end;
    std::size_t begin;  ///< of its values
    bool diagonal() const { return rows == columns; }
    std::size_t count() const { return (rows_end - rows) * (columns_end - columns); }
    std::size_t pairs() const { return diagonal() ? pair_count(rows_end - rows) : count(); }
  };
  /// What there is to say of the values of a tile.
  struct Kept {
    std::size_t unconverged = 0;
    double largest_error = 0;
  };

  /// `count` columns of vectors from `begin` on, in rows of `width` numbers of which the last ones may be 0 (`columns_at_once`).
  struct Columns {
    std::size_t begin;
    std::size_t count;
    std::size_t width;
    std::vector<double> values;
  };
  /// Adds the products of a tile with all columns of V.
  void multiply(const Tile& tile, std::span<const Columns> v, std::span<Columns> products) const;
  std::vector<Tile> own_tiles() const;
  void require_vectors(std::span<const double> v, std::size_t columns) const;
  /// Calls `solve(tiles, pairs)` for groups of this process' tiles. The pairs are those i ≤ j, tile after tile.
  void in_groups(const std::function<void(std::span<const Tile>, const std::vector<Pair>&)>& solve) const;
  /// With normalised values, the graphs of this process' tiles, each with itself.
  std::vector<Pair> own_pairs() const;
  /// Solves for the values of this process' tiles, and returns how many pairs did not converge.
  std::size_t solve_tiles();
  /// Keeps the values of a tile. `own` has the results of all graphs with themselves, if values are normalised.
  Kept keep(const Tile& tile, std::span<const PairResult> results, std::span<const PairResult> own);
  /// The weight of each pair in Lᵀ K R.
  static std::vector<double> weights_of(std::span<const Pair> pairs, std::span<const double> left,
                                        std::span<const double> right, std::size_t columns);
  /// This process' part of `bilinear_derivative`.
  std::vector<double> own_derivative(std::span<const double> left, std::span<const double> right,
                                     std::size_t columns) const;
  /// Does this process' part of a collective function. If it throws anywhere, every process throws.
  void together(const std::function<void()>& part) const;

  const PreparedSet& set_;
  KernelSpec kernel_;
  GramOperatorOptions options_;
  const Communicator& ranks_;
  std::vector<Tile> tiles_;
  std::vector<double> values_;  ///< tiles, row major each; empty if they are kept in float32
  std::vector<float> singles_;
  std::vector<double> diagonal_;
  std::size_t unconverged_ = 0;
  double largest_error_ = 0;
};

}  // namespace octile
