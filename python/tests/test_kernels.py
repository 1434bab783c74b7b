# SPDX-License-Identifier: BSD-3-Clause
"""Base kernels as Python objects."""
import copy
import pickle

import numpy as np
import pytest

import octile
from octile import kernels
from octile.kernels import delta, gaussian, parse, rational
from conftest import assert_refused

TEXTS = ["1", "0.25", "delta(element, 0.5)", "gaussian(length, 0.1)", "rational(length, 0.4, 2)", "wendland(length, 2.5, 2, 3)",
         "matern(length, 0.4, 1.5)", "periodic(angle, 0.5, 360)", 'delta("two words", 0.5)', "delta(a, 0.5)*gaussian(b, 2)",
         "0.3*delta(a, 0.5)+0.7*gaussian(b, 2)", "(0.3*delta(a, 0.5)+0.7)*delta(b, 0.1)",
         "convolution(ring_sizes, delta(_, 0.5))", "convolution(sizes, power(0.5*delta(_, 0.5)+0.1, 2))", "normalize(2*delta(a, 0.5)+3*gaussian(b, 2)+1)",
         "0.5*normalize(delta(a, 0.5)+2*gaussian(b, 2))+0.5*delta(c, 0.25)", "power(delta(a, 0.5)*gaussian(b, 2), 1.5)",
         "normalize(0.5+dot(point)+convolution(sizes, delta(_, 0.5)))*power(0.5+0.5*tanimoto(tags), 2)"]


@pytest.mark.parametrize("text", TEXTS)
def test_text_and_objects_are_the_same_both_ways(text):
    kernel = parse(text)
    assert str(kernel) == text
    assert parse(str(kernel)) == kernel
    assert str(kernel.with_values([slot.value for slot in kernel.slots()])) == text


def test_objects_compose():
    assert delta("a", 0.5) * gaussian("b", 2) == parse("delta(a,0.5)*gaussian(b,2)")
    assert 0.3 * delta("a", 0.5) + 0.7 * gaussian("b", 2) == parse("0.3*delta(a,0.5)+0.7*gaussian(b,2)")
    assert (delta("a", h=0.5) + 1) * 0.5 == parse("(delta(a,0.5)+1)*0.5")
    assert octile.normalize(2 * delta("a", 0.5) + 1) == parse("normalize(2*delta(a,0.5)+1)")
    assert (0.5 + 0.5 * kernels.tanimoto("tags")) ** 2 == octile.power(parse("0.5+0.5*tanimoto(tags)"), 2)
    assert octile.convolution("sizes", delta("_", 0.5)) == parse("convolution(sizes,delta(_,0.5))")
    assert rational("x", 0.4, alpha=2) == rational("x", length=0.4, alpha=2) == parse("rational(x,0.4,2)")
    assert delta("a", 0.5) != delta("a", 0.6)


def test_parameters_by_name_may_leave_out_those_before():
    assert kernels.wendland("x", 2.5, d=5) == parse("wendland(x,2.5,1,5)")
    assert kernels.matern(nu=1.5, length=0.4, attribute="x") == parse("matern(x,0.4,1.5)")


@pytest.mark.parametrize("text", TEXTS)
def test_kernels_pickle_and_copy(text):
    kernel = parse(text)
    assert pickle.loads(pickle.dumps(kernel)) == kernel == copy.deepcopy(kernel)
    assert hash(copy.deepcopy(kernel)) == hash(kernel)


def test_parameters_have_bounds_and_can_be_fixed():
    kernel = octile.Kernel(delta("a", octile.Parameter(0.5, bounds=(0.1, 0.9))) * gaussian("b", 2.0, bounds="fixed"),
                           rational("c", 0.4, 2, bounds={"alpha": (1, 3)}), bounds_by_name={"q": "fixed"})
    assert kernel.parameters == {
        "vertex.delta(a)": (0.5, (0.1, 0.9)), "vertex.gaussian(b)": (2.0, "fixed"), "edge.rational(c).length": (0.4, (0.04, 4.0)),
        "edge.rational(c).alpha": (2.0, (1.0, 3.0)), "q": (0.05, "fixed")}
    assert np.allclose(np.exp(kernel.theta), [0.5, 0.4, 2])
    assert np.allclose(np.exp(kernel.bounds), [[0.1, 0.9], [0.04, 4], [1, 3]])


def test_numbers_of_a_sum_are_learnt_inside_normalize_alone():
    plain = octile.Kernel("0.3*delta(a,0.5)+0.7*delta(b,0.5)")
    inside = octile.Kernel("normalize(0.3*delta(a,0.5)+0.7*delta(b,0.5))")
    assert [bounds == "fixed" for _, bounds in plain.parameters.values()] == [True, False, True, False, False]
    assert [bounds == "fixed" for _, bounds in inside.parameters.values()] == [False] * 5
    asked = octile.Kernel("0.3*delta(a,0.5)+0.7*delta(b,0.5)", bounds_by_name={"vertex.weight": (0.1, 0.3)})
    assert asked.parameters["vertex.weight"] == (0.3, (0.1, 0.3))


@pytest.mark.parametrize("text", [text for text in TEXTS if text != "1"])
def test_parameters_are_those_of_the_library(text):
    seen = octile.Kernel(edge=text)
    assert list(seen.parameters) == octile._core.KernelSpec.make("1", text, "probability:0.1", 0).parameters


@pytest.mark.parametrize("make, words", [
    (lambda: delta("a", 1.5), ["1.5", "at most 1"]),
    (lambda: delta("a"), ["h", "delta(attribute, h)"]),
    (lambda: delta("a", 0.5, 0.5), ["2 parameters", "delta(attribute, h)"]),
    (lambda: delta("a", 0.5, length=1), ["length", "delta(attribute, h)"]),
    (lambda: delta("a", 0.5, h=0.5), ["multiple values", "delta(attribute, h)"]),
    (lambda: delta(h=0.5), ["attribute", "delta(attribute, h)"]),
    (lambda: kernels.matern("a", nu=0.5), ["length", "matern(attribute, length, nu)"]),
    (lambda: delta("a", 0.5, bounds={"length": (1, 2)}), ["length"]),
    (lambda: gaussian("a", -1), ["-1", "at least 1e-100"]),
    (lambda: gaussian("a", "long"), ["'long'", "number"]),
    (lambda: gaussian("a", 1, bounds=(0, 1)), ["(0, 1)", "greater than 0"]),
    (lambda: gaussian("a", 1, bounds="free"), ["'free'", "'fixed'"]),
    (lambda: parse("delta(a"), ["delta(a", "column"]),
    (lambda: parse("normalize(delta(a,0.5)"), ["column 23", "close normalize("]),
    (lambda: parse("nothing(a)"), ["nothing", "gaussian"]),
    (lambda: delta("a", 0.5) + [1], ["[1]", "base kernel"]),
    (lambda: 0 * delta("a", 0.5), ["0", "greater than 0"]),
    (lambda: octile.normalize(octile.normalize(delta("a", 0.5)) + 1), ["inside normalize"]),
    (lambda: (delta("a", 0.5) + 1) ** 0.5, ["0.5", "whole number"]),
    (lambda: delta("a", 0.5) ** "2", ["'2'", "number"]),
    (lambda: delta("a", 0.5) ** float("inf"), ["inf", "number"]),
    (lambda: octile.Kernel("delta(a,0)"), ["delta(a, 0)", "greater than 0"]),
    (lambda: octile.Kernel("2*delta(a,0.5)"), ["2*delta(a, 0.5)", "up to 1"]),
    (lambda: octile.Kernel(stopping="probability:2"), ["2", "below 1"]),
    (lambda: octile.Kernel(stopping="often"), ["often", "weight:Q"]),
    (lambda: octile.Kernel(lmin=2), ["2", "0 and 1"]),
    (lambda: octile.Kernel(bounds_by_name={"p": "fixed"}), ["'p'", "q"])])
def test_a_wrong_kernel_is_refused_with_what_was_allowed(make, words):
    assert_refused(make, words)


def test_every_leaf_kernel_of_the_library_has_a_function():
    for leaf in octile._core.leaves():
        assert getattr(kernels, leaf["name"]).__doc__.startswith(leaf["usage"])
