// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace octile::python {

/// An array in C order on the host, as Python gives it.
template <class T, int Dimensions>
using Given = nanobind::ndarray<const T, nanobind::ndim<Dimensions>, nanobind::c_contig, nanobind::device::cpu>;

/// A NumPy array that owns the numbers of a vector, which are not copied.
template <class T>
nanobind::object to_numpy(std::vector<T> numbers, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(numbers));
  const nanobind::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(kept->data(), shape, owner));
}

template <class T>
nanobind::object to_numpy(std::vector<T> numbers) {
  const std::size_t size = numbers.size();
  return to_numpy(std::move(numbers), {size});
}

}  // namespace octile::python
