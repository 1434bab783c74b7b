# SPDX-License-Identifier: BSD-3-Clause
"""Types for editors and checkers: what the stubs (*.pyi) say is there at run time with the same signature, and the other way round."""
import ast
import importlib
import inspect
import os
import pathlib
import re
import subprocess
import sys
import types

import pytest

import octile

FOLDER = pathlib.Path(octile.__file__).parent
STUBS = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.pyi"))}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def module_of(stub):
    return importlib.import_module(f"octile.{stub}")


def signature(arguments):
    """Of a definition: each parameter's kind and name, and its default, or "none"."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    found = [("/" if one in arguments.posonlyargs else "", one.arg, value) for one, value in zip(positional, defaults)]
    found += [("*", one.arg, value) for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    found += [(mark, one.arg, None) for mark, one in (("*…", arguments.vararg), ("**…", arguments.kwarg)) if one]
    return [(kind, name, "none" if value is None else ast.literal_eval(value)) for kind, name, value in found]


_KINDS = {inspect.Parameter.POSITIONAL_ONLY: "/", inspect.Parameter.POSITIONAL_OR_KEYWORD: "", inspect.Parameter.KEYWORD_ONLY: "*",
          inspect.Parameter.VAR_POSITIONAL: "*…", inspect.Parameter.VAR_KEYWORD: "**…"}


def signature_at_run_time(function):
    if hasattr(function, "__nb_signature__"):
        [(text, _, defaults)] = function.__nb_signature__
        # Arrays have a notation of their own, and defaults stand beside.
        tree = ast.parse(re.sub(r"\\(\d+)", r"\1", re.sub(r"ndarray\[[^\]]*\]", "object", text)) + ": ...").body[0]
        given = iter(defaults or ())
        return [(kind, name, value if value == "none" else next(given)) for kind, name, value in signature(tree.args)]
    return [(_KINDS[one.kind], one.name, "none" if one.default is one.empty else one.default)
            for one in inspect.signature(function).parameters.values()]


def is_static(definition):
    return any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in definition.decorator_list)


def is_property(definition):
    return any(isinstance(one, ast.Name) and one.id == "property" for one in definition.decorator_list)


def names_of(body):
    """What a stub defines, by name."""
    found = {}
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, ast.ImportFrom):
            found |= {one.asname: node for one in node.names if one.asname == one.name}
    return {name: node for name, node in found.items() if not name.startswith("_") or name.startswith("__")}


def pairs():
    """Each function and method of the stubs: its name, its definition, and what there is at run time."""
    for stub, tree in STUBS.items():
        module = module_of(stub)
        for name, node in names_of(tree.body).items():
            if isinstance(node, FUNCTIONS):
                yield f"{stub}.{name}", node, getattr(module, name, None)
            elif isinstance(node, ast.ClassDef):
                for method, definition in names_of(node.body).items():
                    if isinstance(definition, FUNCTIONS):
                        yield f"{stub}.{name}.{method}", definition, inspect.getattr_static(getattr(module, name), method, None)


PAIRS = list(pairs())


def test_there_are_stubs_of_what_is_made_at_run_time():
    assert {"_core", "kernels"} <= set(STUBS) and len(PAIRS) > 30
    assert (FOLDER / "py.typed").is_file()


def test_the_stub_of_the_module_in_c_is_that_which_it_has_now(tmp_path):
    pytest.importorskip("nanobind", reason="nanobind, which writes stubs, is not installed")
    path = tmp_path / "_core.pyi"
    subprocess.run([pathlib.Path(__file__).parents[1] / "stub", path], check=True, timeout=120, env={**os.environ, "PYTHON": sys.executable})
    assert path.read_text(encoding="utf-8") == (FOLDER / "_core.pyi").read_text(encoding="utf-8"), (
        f"the module has changed: PYTHON={sys.executable} python/stub python/octile/_core.pyi")


def test_the_stub_of_the_module_in_c_defines_its_error():
    # Where it imported it from octile, which has it from there, checkers would know nothing of it.
    [error] = [node for node in STUBS["_core"].body if isinstance(node, ast.ClassDef) and node.name == "Error"]
    assert [base.id for base in error.bases] == ["ValueError"] and issubclass(octile._core.Error, ValueError)


@pytest.mark.parametrize("name, definition, found", PAIRS, ids=[name for name, _, _ in PAIRS])
def test_a_function_of_a_stub_has_its_signature(name, definition, found):
    assert found is not None
    if is_property(definition):
        assert isinstance(found, property)
        return
    if isinstance(found, staticmethod):
        found = found.__func__
    assert signature(definition.args) == signature_at_run_time(found)
    assert definition.returns is not None
    arguments = [*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs]
    first = 0 if name.count(".") == 1 or is_static(definition) else 1
    assert all(one.annotation is not None for one in arguments[first:])


@pytest.mark.parametrize("stub", STUBS)
def test_a_stub_and_its_module_have_the_same_names(stub):
    module, of_stub = module_of(stub), names_of(STUBS[stub].body)
    shown = {name for name, value in vars(module).items()
             if not name.startswith("_") and not isinstance(value, types.ModuleType) and name != "annotations"
             and getattr(value, "__module__", module.__name__) in (module.__name__, "octile.parameters")}
    exported = set(getattr(module, "__all__", shown))
    assert exported <= set(of_stub), "leaf kernels have types as docs/kernels.md lists them"
    assert {name for name in of_stub if not hasattr(module, name)} == set()
    inner = {"Slot", "as_parameter"}
    assert shown - set(of_stub) - inner == set()
    for name, node in of_stub.items():
        if isinstance(node, ast.ClassDef):
            at_run_time = {method for method, value in vars(getattr(module, name)).items() if not method.startswith("_")}
            assert at_run_time <= set(names_of(node.body)) and isinstance(getattr(module, name), type)


def test_classes_of_a_stub_have_the_bases_of_the_module():
    for name, node in names_of(STUBS["kernels"].body).items():
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                assert issubclass(getattr(octile.kernels, name), getattr(octile.kernels, base.id))


def functions_of(value):
    """A function, or those of a class: methods that have no underscore, properties, and those that make or call an object."""
    if inspect.isclass(value):
        for name, member in vars(value).items():
            of_property = (member.fget, member.fset) if isinstance(member, property) else (getattr(member, "__func__", member),)
            if not name.startswith("_") or name in ("__init__", "__call__"):
                yield from ((f"{value.__name__}.{name}", one) for one in of_property if inspect.isfunction(one))
    elif inspect.isfunction(value):
        yield value.__name__, value


def test_what_the_package_shows_is_annotated_or_has_a_stub():
    shown = [(name, getattr(octile, name)) for name in octile.__all__]
    shown += [(f"{module.__name__}.{name}", value) for module in (octile.draw, octile.gp) for name, value in vars(module).items()
              if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__]
    missing = []
    for _, value in shown:
        for name, function in functions_of(value):
            stub = function.__module__.rpartition(".")[2]
            parameters = [one for one in inspect.signature(function).parameters.values() if one.name not in ("self", "cls")]
            complete = all(one.annotation is not one.empty for one in parameters)
            complete &= inspect.signature(function).return_annotation is not inspect.Signature.empty
            if not complete and stub not in STUBS:
                missing.append(f"{function.__module__}.{name}")
    assert not missing, ", ".join(missing)
