// SPDX-License-Identifier: BSD-3-Clause
// The XMV primitives one by one: one product by one team, compared with plain loops over the edges.
#include <octile/base_kernels.hpp>
#include <octile/graphs/pack_octiles.hpp>
#include <octile/pairs/system.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/portable/paper/register_blocking.hpp>
#include <octile/portable/paper/shared_tiling.hpp>
#include <octile/portable/paper/tiling_blocking.hpp>
#include <octile/portable/xmv/naive.hpp>
#include <octile/portable/xmv/octiles.hpp>
#include <octile/portable/xmv/rows.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/graphs.hpp"

namespace {

using namespace octile;
using namespace octile::portable;

using Space = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<Space>::member_type;

struct Bond {
  std::int64_t order;
  double length;
};

auto bond_kernel() {
  return TensorProduct(field<&Bond::order>(KroneckerDelta(0.5)), field<&Bond::length>(SquareExponential(0.3)));
}

/// One product by one team.
template <class Scalar, class Xmv>
struct Product {
  OctileSet<Scalar, int, Bond, Space::memory_space> set;
  Xmv xmv;
  std::size_t bytes;
  Kokkos::View<Scalar*, Space> x;
  Kokkos::View<Scalar*, Space> y;
  decltype(bond_kernel()) kernel = bond_kernel();
  Constant vertex_kernel{};

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const TeamScratch scratch = TeamScratch::of(member, bytes);
    const PairSystem system(set, vertex_kernel, Pair{0, 1});
    if constexpr (requires { xmv.prepare(member, system, kernel); }) xmv.prepare(member, system, kernel);
    xmv.apply(member, system, kernel, x.data(), y.data(), scratch);
  }
};

/// Two graphs in all forms of storage, a vector x, and (A× ⊙ E×) x as the sum, in double, over all pairs of edges.
template <class Scalar = double>
class Products {
 public:
  Products(Graph first, Graph second, const std::function<double()>& element)
      : graphs_{std::move(first), std::move(second)} {
    const auto read_vertex = [](std::size_t, std::size_t) { return 0; };
    const auto read_edge = [this](std::size_t g, std::size_t e) { return bond(g, e); };
    set_ = pack_octiles<Scalar, int, Bond>(space_, graphs_, {StoppingMeaning::weight, 0.1}, read_vertex, read_edge);
    matrices_ = dense_matrices<Scalar, Bond>(space_, graphs_, read_edge);
    x_ = Kokkos::View<Scalar*, Space>("octile::x", n() * m());
    const auto x = Kokkos::create_mirror_view(x_);
    for (std::size_t k = 0; k < n() * m(); ++k) x(k) = static_cast<Scalar>(element());
    Kokkos::deep_copy(x_, x);
    add_edges(x);
  }

  /// With a random x.
  Products(Graph first, Graph second)
      : Products(std::move(first), std::move(second),
                 [random = test::Random(13)]() mutable { return random.uniform() - 0.5; }) {}

  const auto& matrices() const { return matrices_; }
  std::size_t entries() const { return 4 * graphs_[0].edge_count() * graphs_[1].edge_count(); }
  std::size_t elements() const { return n() * m(); }
  const Space& space() const { return space_; }

  /// The largest error of the primitive's product, relative to the largest element.
  template <class Xmv>
  double error(const Xmv& xmv) const {
    const Kokkos::View<Scalar*, Space> y("octile::y", n() * m());
    Kokkos::deep_copy(y, std::numeric_limits<Scalar>::quiet_NaN());
    const auto bytes = xmv.scratch_bytes();
    Kokkos::TeamPolicy<Space> policy(space_, 1, fine_grained<Space> ? xmv.threads() : 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes + TeamScratch::alignment)));
    Kokkos::parallel_for("octile::test_xmv", policy, Product<Scalar, Xmv>{set_, xmv, bytes, x_, y});
    const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    double scale = 1e-300;
    double worst = 0;
    for (std::size_t k = 0; k < expected_.size(); ++k) {
      scale = std::max(scale, std::abs(expected_[k]));
      // Written so that a NaN is an error too.
      const double error = std::abs(static_cast<double>(result(k)) - expected_[k]);
      if (!(error <= worst)) worst = error;
    }
    return worst / scale;
  }

 private:
  std::size_t n() const { return static_cast<std::size_t>(graphs_[0].vertex_count()); }
  std::size_t m() const { return static_cast<std::size_t>(graphs_[1].vertex_count()); }

  Bond bond(std::size_t g, std::size_t e) const {
    const LabelColumns& labels = graphs_[g].edge_labels();
    return {std::get<std::vector<std::int64_t>>(labels.at("order"))[e],
            std::get<std::vector<double>>(labels.at("length"))[e]};
  }

  template <class View>
  void add_edges(const View& x) {
    expected_.assign(n() * m(), 0.0);
    for (std::size_t e = 0; e < graphs_[0].edge_count(); ++e) {
      for (std::size_t f = 0; f < graphs_[1].edge_count(); ++f) {
        const Edge& first = graphs_[0].edges()[e];
        const Edge& second = graphs_[1].edges()[f];
        const Bond a = bond(0, e);
        const Bond b = bond(1, f);
        const double kappa = (a.order == b.order ? 1 : 0.5) * std::exp(-std::pow(a.length - b.length, 2) / 0.18);
        const double value = first.weight * second.weight * kappa;
        const auto at = [this](int i, int j) {
          return static_cast<std::size_t>(i) * m() + static_cast<std::size_t>(j);
        };
        for (const auto& [i, j] : {std::pair(first.i, first.j), std::pair(first.j, first.i)}) {
          for (const auto& [k, l] : {std::pair(second.i, second.j), std::pair(second.j, second.i)}) {
            expected_[at(i, k)] += value * static_cast<double>(x(at(j, l)));
          }
        }
      }
    }
  }

  Space space_;
  std::vector<Graph> graphs_;
  OctileSet<Scalar, int, Bond, Space::memory_space> set_;
  DenseMatrices<Scalar, Bond, Space::memory_space> matrices_;
  Kokkos::View<Scalar*, Space> x_;
  std::vector<double> expected_;
};

constexpr int lanes = lanes_of<Space>;
using Memory = Space::memory_space;

constexpr int several(int warps) { return fine_grained<Space> ? warps : 1; }

/// Sums of up to 64² products of numbers up to 4, in another order.
constexpr double rounding = 1e-13;

void check_octile_primitives(const Products<>& products) {
  for (const PrimitiveFamily family : {PrimitiveFamily::dense_dense, PrimitiveFamily::dense_sparse,
                                       PrimitiveFamily::sparse_sparse, PrimitiveFamily::adaptive}) {
    CAPTURE(static_cast<int>(family));
    CHECK(products.error(OctileXmv<double, Bond, lanes, 1>(family, AdaptiveThresholds{7, 16})) <= rounding);
    // On a CPU a thread is a team, and takes the tiles one by one.
    CHECK(products.error(OctileXmv<double, Bond, lanes, several(2)>(family, AdaptiveThresholds{7, 16})) <= rounding);
    CHECK(products.error(OctileXmv<double, Bond, lanes, several(4)>(family, AdaptiveThresholds{7, 16})) <= rounding);
  }
  for (const int threads : {32, 128}) CHECK(products.error(RowsXmv(threads)) <= rounding);
  CHECK(products.error(NaiveXmv<double, Memory>(products.space(), 64, 1, products.elements(), products.entries())) <=
        rounding);
}

template <int T, int R>
void check_dense_primitives(const Products<>& products, int t, int r) {
  CAPTURE(t);
  CAPTURE(r);
  const auto& matrices = products.matrices();
  CHECK(products.error(SharedTiling<double, Bond, Memory, lanes, T, R>(matrices, t, r)) <= rounding);
  CHECK(products.error(RegisterBlocking<double, Bond, Memory, lanes, T, R>(matrices, t, r)) <= rounding);
  if (t % r == 0) CHECK(products.error(TilingBlocking<double, Bond, Memory, lanes, T, R>(matrices, t, r)) <= rounding);
}

const std::vector<std::pair<int, int>>& sizes() {
  static const std::vector<std::pair<int, int>> list{{1, 1},   {1, 9},   {7, 8},  {8, 8},   {9, 17},
                                                     {31, 33}, {33, 31}, {64, 8}, {65, 64}, {24, 48}};
  return list;
}

/// Vertices 0 … 7 and 8 … 15, with the first `population` elements of a random order of the tile between them.
Graph one_tile(int population, std::uint64_t seed) {
  std::vector<Edge> edges;
  for (const std::int32_t element : test::random_order(octile_area, seed)) {
    if (static_cast<int>(edges.size()) == population) break;
    edges.push_back({octile_row_of(element), octile_size + octile_column_of(element), 1.0});
  }
  return test::labelled("tile", 16, test::weighted(std::move(edges), seed + 1), seed + 2);
}

/// Edges of two orders by turns, and otherwise alike. Between such graphs the kernel of bonds is 1 or 1/2.
Graph alike(std::string name, std::int32_t n, std::vector<Edge> edges) {
  LabelColumns labels;
  std::vector<std::int64_t> orders(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) orders[e] = 1 + static_cast<std::int64_t>(e % 2);
  labels["order"] = std::move(orders);
  labels["length"] = std::vector<double>(edges.size(), 0.25);
  return Graph::from_edges(std::move(name), n, std::move(edges), {}, labels);
}

/// The error of a product of numbers in float that is summed in double. What it sums is exact in the test below, so that the result
/// alone is rounded: the errors are 2e-9 to 2e-8. Sums in float are off by 4e-6 to 1e-3 in octiles, and where `rows` sums over the first
/// graph by 2e-6 to 7e-6.
constexpr double rounding_of_float = 0x1p-22;

void check_sums(const Products<float>& products) {
  for (const PrimitiveFamily family : {PrimitiveFamily::dense_dense, PrimitiveFamily::dense_sparse,
                                       PrimitiveFamily::sparse_sparse, PrimitiveFamily::adaptive}) {
    CAPTURE(static_cast<int>(family));
    CHECK(products.error(OctileXmv<float, Bond, lanes, several(4)>(family, AdaptiveThresholds{7, 16})) <=
          rounding_of_float);
  }
  CHECK(products.error(RowsXmv(32)) <= rounding_of_float);
  CHECK(products.error(NaiveXmv<float, Memory>(products.space(), 64, 1, products.elements(), products.entries())) <=
        rounding_of_float);
}

}  // namespace

TEST_CASE("every primitive is the literal sum over edges, at sizes that straddle its tiles") {
  for (const auto& size : sizes()) {
    for (const double density : {0.0, 0.1, 1.0}) {
      const int n = size.first;
      const int m = size.second;
      CAPTURE(n);
      CAPTURE(m);
      CAPTURE(density);
      const Products<> products(test::random_graph(n, density, 11), test::random_graph(m, density, 12));
      check_octile_primitives(products);
      check_dense_primitives<8, 8>(products, 8, 8);
    }
  }
}

TEST_CASE("every primitive, once: what the sanitizers run") {
  const Products<> products(test::random_graph(33, 0.4, 41), test::random_graph(31, 0.4, 42));
  check_octile_primitives(products);
  check_dense_primitives<8, 8>(products, 8, 8);
  check_dense_primitives<0, 0>(products, 16, 8);
  // Octile rows without an octile: vertices 0 … 15 have no edge.
  const Graph hollow = test::disjoint_union(test::bare("empty", 16, {}), test::bare("path", 9, test::path_edges(9)));
  const Graph labelled = test::labelled("hollow", hollow.vertex_count(), hollow.edges(), 43);
  check_octile_primitives(Products<>(labelled, test::random_graph(20, 0.8, 44)));
  check_octile_primitives(Products<>(test::random_graph(20, 0.8, 44), labelled));
}

TEST_CASE("every dense primitive is right for every t and r") {
  for (const auto& size : std::vector<std::pair<int, int>>{{9, 17}, {33, 31}, {24, 48}}) {
    const int n = size.first;
    const int m = size.second;
    CAPTURE(n);
    CAPTURE(m);
    const Products<> products(test::random_graph(n, 0.4, 21), test::random_graph(m, 0.4, 22));
    for (const int t : {4, 8, 16, 24}) {
      for (const int r : {4, 8, 16, 24}) check_dense_primitives<0, 0>(products, t, r);
    }
  }
}

TEST_CASE("every octile primitive is right for tiles of every population") {
  for (int population = 0; population <= octile_area; ++population) {
    for (const int other : {0, 1, 7, 16, 17, 63, 64, population}) {
      CAPTURE(population);
      CAPTURE(other);
      check_octile_primitives(Products<>(one_tile(population, 31), one_tile(other, 37)));
    }
  }
}

TEST_CASE("rows of hubs are summed in double, of numbers in float") {
  const auto element = [] { return 0.7; };
  const Graph star = alike("star", 401, test::star_edges(401));
  const Graph small = alike("small star", 33, test::star_edges(33));
  const Graph complete = alike("complete", 200, test::complete_edges(200));
  check_sums(Products<float>(alike("large star", 801, test::star_edges(801)), small, element));
  check_sums(Products<float>(star, star, element));
  check_sums(Products<float>(complete, small, element));
  check_sums(Products<float>(small, complete, element));
}
