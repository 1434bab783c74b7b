# SPDX-License-Identifier: BSD-3-Clause
"""The packages that Octile is set beside, each in the convention that comes nearest to ours."""
import importlib.metadata
import sys

import numpy

import random_walks


class Grakel:
    """RandomWalk and RandomWalkLabeled: `fast`, by at most 20 steps of CG, or `baseline`, by a dense inverse."""
    counts_all_starts = True
    convention = "1' (I - (1-q)^2 S x S')^-1 1, S = D^-1/2 A D^-1/2"

    def __init__(self, method):
        import grakel.kernels.random_walk as module
        self.module, self.method = module, method
        self.version = importlib.metadata.version("grakel")
        self.name = f"GraKeL, {method}"

    def graphs(self, name, kind, count):
        """Fewer graphs if a pair takes seconds, as the inverse of a matrix of nm rows does."""
        if self.method == "fast":
            return count
        return 12 if name == "mol" else 0

    def matrices(self, adjacencies, q):
        return [random_walks.normalised(adjacency) for adjacency in adjacencies], (1 - q) ** 2

    def gram(self, matrices, labels, kind, factor):
        """The matrix, and the number of pairs whose solve did not converge. The package drops its solver's flags, so
        they are recorded here."""
        flags, solve = [], self.module.cg

        def noted(*arguments, **options):
            solution, flag = solve(*arguments, **options)
            flags.append(flag)
            return solution, flag

        self.module.cg = noted
        try:
            walk = self.module.RandomWalkLabeled if kind == "labelled" else self.module.RandomWalk
            kernel = walk(lamda=factor, method_type=self.method, kernel_type="geometric")
            values = kernel.fit_transform([[matrix, dict(enumerate(own.tolist()))]
                                           for matrix, own in zip(matrices, labels)])
        finally:
            self.module.cg = solve
        if kernel._lamda != factor:
            raise RuntimeError(f"GraKeL replaced lambda = {factor} by {kernel._lamda}")
        return values, sum(flag != 0 for flag in flags) if self.method == "fast" else None


class GraphKernels:
    """CalculateGeometricRandomWalkKernel: at most 100 steps of a fixed-point iteration, over pairs of equal labels."""
    name = "GraphKernels"
    counts_all_starts = False
    convention = "1' (I - l A x A')^-1 1 over pairs of equal labels, l = (1-q)^2 / (largest spectral radius)^2"

    def __init__(self):
        import graphkernels.kernels
        import igraph
        self.calculate, self.graph = graphkernels.kernels.CalculateGeometricRandomWalkKernel, igraph.Graph
        self.version = importlib.metadata.version("graphkernels")

    def graphs(self, name, kind, count):
        """Fewer graphs if the product matrix, which is dense here, has 9216 rows."""
        return 4 if name != "mol" and kind == "unlabelled" else count

    def matrices(self, adjacencies, q):
        largest = max(random_walks.spectral_radius(adjacency) for adjacency in adjacencies)
        return adjacencies, (1 - q) ** 2 / largest ** 2

    def gram(self, matrices, labels, kind, factor):
        graphs = []
        for matrix, own in zip(matrices, labels):
            graph = self.graph(n=len(matrix), edges=numpy.argwhere(numpy.triu(matrix)).tolist())
            graph.vs["label"] = own.tolist()
            graph.es["label"] = [1] * graph.ecount()
            graphs.append(graph)
        return numpy.asarray(self.calculate(graphs, factor)), None


def installed():
    found = []
    for make in (lambda: Grakel("fast"), lambda: Grakel("baseline"), GraphKernels):
        try:
            found.append(make())
        except ImportError as fault:
            print(f"bench/peers/measure: passing over a package: {fault}", file=sys.stderr)
    return found
