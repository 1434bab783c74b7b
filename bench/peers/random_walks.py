# SPDX-License-Identifier: BSD-3-Clause
"""What each program computes, restated with NumPy in double: the values that all of them are judged by.

A graph is (A, labels). All walks here are those of one matrix S, D^-1/2 A D^-1/2 or A itself, without edge labels.
"""
import numpy


def normalised(adjacency):
    """D^-1/2 A D^-1/2, of spectral radius 1; an isolated vertex keeps its empty row."""
    degrees = adjacency.sum(axis=1)
    scale = 1 / numpy.sqrt(numpy.where(degrees > 0, degrees, 1))
    return scale[:, None] * adjacency * scale


def spectral_radius(matrix):
    return float(numpy.abs(numpy.linalg.eigvalsh(matrix)).max())


def geometric(first, second, factor):
    """1ᵀ (I − factor S ⊗ S')⁻¹ 1, by the eigenvectors of S and S'."""
    (values, vectors), (other_values, other_vectors) = numpy.linalg.eigh(first), numpy.linalg.eigh(second)
    squares, other_squares = vectors.sum(axis=0) ** 2, other_vectors.sum(axis=0) ** 2
    return float(squares @ (1 / (1 - factor * numpy.outer(values, other_values))) @ other_squares)


def conjugate_gradients(diagonal, product, right):
    """x of diagonal x − product(x) = right, all as n by m arrays, to the last digits of double."""
    x, r = numpy.zeros_like(right), right.copy()
    z = r / diagonal
    p, rho = z.copy(), (r * z).sum()
    for _ in range(1000):
        if numpy.linalg.norm(r) <= 1e-14 * numpy.linalg.norm(right):
            break
        a = diagonal * p - product(p)
        step = rho / (p * a).sum()
        x, r = x + step * p, r - step * a
        z = r / diagonal
        rho, before = (r * z).sum(), rho
        p = z + rho / before * p
    return x


def geometric_of_equal_labels(first, labels, second, other_labels, factor, all_starts):
    """The sum over pairs of vertices of equal labels only. GraKeL also counts pairs of different labels, each as a
    walk that ends where it starts (`all_starts`)."""
    equal = numpy.equal.outer(labels, other_labels).astype(float)
    x = conjugate_gradients(numpy.ones_like(equal), lambda p: factor * equal * (first @ p @ second), equal)
    return float(x.sum()) + (equal.size - equal.sum() if all_starts else 0)


def geometric_dense(first, labels, second, other_labels, factor, all_starts):
    """The same by a dense solve of the whole Kronecker system, to check the functions above on small graphs."""
    equal = numpy.equal.outer(labels, other_labels).ravel().astype(float)
    matrix = numpy.eye(equal.size) - factor * numpy.outer(equal, equal) * numpy.kron(first, second)
    return float(numpy.linalg.solve(matrix, numpy.ones_like(equal) if all_starts else equal).sum())


def marginalised_system(first, labels, second, other_labels, q, other_label_similarity):
    """Diagonal D× V×⁻¹ and right-hand side D× q² of our kernel, q a probability, as n by m arrays."""
    degrees = [numpy.where((s := matrix.sum(axis=1)) > 0, s, 1 - q) / (1 - q) for matrix in (first, second)]
    product = numpy.outer(*degrees)
    similarity = numpy.where(numpy.equal.outer(labels, other_labels), 1.0, other_label_similarity)
    return product / similarity, product * q * q


def marginalised(first, labels, second, other_labels, q, other_label_similarity):
    """Our K for κe = 1 and κv = delta(label, h), by conjugate gradients to the last digits."""
    diagonal, right = marginalised_system(first, labels, second, other_labels, q, other_label_similarity)
    return float(conjugate_gradients(diagonal, lambda p: first @ p @ second, right).mean())


def marginalised_dense(first, labels, second, other_labels, q, other_label_similarity):
    """Our K by a dense solve."""
    diagonal, right = marginalised_system(first, labels, second, other_labels, q, other_label_similarity)
    matrix = numpy.diag(diagonal.ravel()) - numpy.kron(first, second)
    return float(numpy.linalg.solve(matrix, right.ravel()).mean())
