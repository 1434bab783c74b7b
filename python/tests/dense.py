# SPDX-License-Identifier: BSD-3-Clause
"""The linear system of docs/mathematics.md, formed densely and solved by NumPy: what values are compared with."""
import numpy as np


def delta(name, h):
    return lambda a, b: 1.0 if a[name] == b[name] else h


def gaussian(name, length):
    return lambda a, b: np.exp(-((a[name] - b[name]) ** 2) / (2 * length**2))


def constant(value):
    return lambda a, b: value


def product(*kernels):
    return lambda a, b: np.prod([kernel(a, b) for kernel in kernels])


def total(*terms):
    return lambda a, b: sum(weight * kernel(a, b) for weight, kernel in terms)


def normalized(kernel):
    return lambda a, b: kernel(a, b) / np.sqrt(kernel(a, a) * kernel(b, b))


def mean(name, h):
    """convolution(name, delta(_, h))"""
    return lambda a, b: np.mean([[1.0 if x == y else h for y in b[name]] for x in a[name]])


def _records(labels, count):
    return [{name: values[k] for name, values in labels.items()} for k in range(count)]


def _degrees(adjacency, meaning, q):
    sums = adjacency.sum(axis=1)
    if meaning == "weight":
        return sums + q
    degrees = sums / (1 - q)
    return np.where(degrees > 0, degrees, 1.0)


def nodes(x, y, vertex, edge, q, meaning="probability"):
    """x_ii' of the system, n × m."""
    graphs = (x, y)
    degree = np.kron(*[_degrees(graph.adjacency(), meaning, q) for graph in graphs])
    records = [_records(graph.vertex_labels, graph.vertex_count) for graph in graphs]
    kv = np.array([vertex(a, b) for a in records[0] for b in records[1]])
    off = np.zeros((len(kv), len(kv)))
    m = y.vertex_count
    links = [list(zip(graph.edges.tolist(), graph.weights, _records(graph.edge_labels, graph.edge_count))) for graph in graphs]
    for (i, j), w, a in links[0]:
        for (k, n), v, b in links[1]:
            for s, t in ((i, j), (j, i)):
                for u, z in ((k, n), (n, k)):
                    off[s * m + u, t * m + z] = w * v * edge(a, b)
    return np.linalg.solve(np.diag(degree / kv) - off, degree * q**2).reshape(-1, m)


def value(x, y, vertex, edge, q, meaning="probability", start=None, lmin=0):
    """K(x, y), not normalised; `start` makes the starting weights of a graph, 1/n unless given."""
    start = start or (lambda graph: np.full(graph.vertex_count, 1 / graph.vertex_count))
    solution = nodes(x, y, vertex, edge, q, meaning)
    if lmin == 1:
        records = [_records(graph.vertex_labels, graph.vertex_count) for graph in (x, y)]
        solution = solution - q**2 * np.array([[vertex(a, b) for b in records[1]] for a in records[0]])
    return start(x) @ solution @ start(y)


def gram(rows, columns, *kernel, normalize=False, **options):
    values = np.array([[value(x, y, *kernel, **options) for y in columns] for x in rows])
    if normalize:
        own = [np.array([value(x, x, *kernel, **options) for x in graphs]) for graphs in (rows, columns)]
        values /= np.sqrt(np.outer(*own))
    return values
