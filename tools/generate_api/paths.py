# SPDX-License-Identifier: Apache-2.0
"""Flat lists of every field of a published kind: what the completeness test compares api/ with.

One line per field: its path and its type, `spec.containers[].ports[].protocol string`. A list has
its topology behind it, `spec.containers array map name`. For a CRD everything else that the schema
demands follows, `spec.podSets[].count integer int32 default=1 minimum=0 required`; for a built-in
kind that is not published.
"""
import hashlib
import json
import os

from builtin import LEAVES, short_name


def describe(node):
    if node.get("x-kubernetes-int-or-string") or node.get("format") == "int-or-string":
        return "int-or-string"
    kind = node.get("type", "any")
    if kind == "array":
        words = [node.get("x-kubernetes-list-type", "atomic"),
                 *node.get("x-kubernetes-list-map-keys", [])]
        return " ".join(["array", *words])
    if kind == "object" and node.get("x-kubernetes-map-type") == "atomic":
        return "object atomic"
    if node.get("format"):
        return f"{kind} {node['format']}"
    return kind


DEMANDS = ("default", "enum", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
           "minLength", "minProperties", "minimum", "pattern")


def demands(node):
    """What a CRD's schema says about values; rules are counted, their text is in the kind's file."""
    words = [f"{key}={json.dumps(node[key], separators=(',', ':'), ensure_ascii=False)}"
             for key in DEMANDS if key in node]
    if "x-kubernetes-validations" in node:
        words.append(f"rules={len(node['x-kubernetes-validations'])}")
    return words


def walk(node, path, resolve, lines, seen=(), demanded=None):
    """`demanded` is None for a built-in kind, else the words that the parent adds."""
    name, node = resolve(node)
    if path:
        words = [] if demanded is None else [*demands(node), *demanded]
        lines.append(" ".join([path, describe(node), *words]))
    below = None if demanded is None else ()
    if name in seen:
        return
    seen = (*seen, name) if name else seen
    for field, value in node.get("properties", {}).items():
        words = ("required",) if field in node.get("required", []) else ()
        walk(value, f"{path}.{field}" if path else field, resolve, lines, seen,
             None if demanded is None else words)
    if "items" in node:
        walk(node["items"], path + "[]", resolve, lines, seen, below)
    if isinstance(node.get("additionalProperties"), dict):
        walk(node["additionalProperties"], path + "{}", resolve, lines, seen, below)


def builtin_resolver(definitions):
    def resolve(node):
        reference = node.get("$ref")
        if "allOf" in node:
            reference = node["allOf"][0]["$ref"]
        if not reference:
            return None, node
        name = short_name(reference.split("/")[-1])
        if name == "resource.Quantity":
            return None, {"x-kubernetes-int-or-string": True}
        if name in LEAVES:
            return None, LEAVES[name] | {key: value for key, value in node.items()
                                         if key.startswith("x-")}
        return name, definitions.schemas[name] | {
            key: value for key, value in node.items() if key.startswith("x-")}
    return resolve


def write_builtin(folder, name, definitions):
    lines = []
    walk(definitions.schemas[name], "", builtin_resolver(definitions), lines)
    write(folder, name, lines)


def write_custom(folder, api_folder, crd):
    spec = crd["spec"]
    for version in spec["versions"]:
        lines = []
        walk(version["schema"]["openAPIV3Schema"], "", lambda node: (None, node), lines,
             demanded=())
        write(folder, f"{api_folder}.{version['name']}.{spec['names']['kind']}", folded(lines))


STEPS_SHOWN = 6


def folded(lines):
    """The lines of fields that are not deep, and one for all others: how many, and their hash. A
    pod template inside of a CRD has a thousand fields; whoever looks for the one that differs runs
    this tool."""
    lines = sorted(line for line in lines if not line.startswith("metadata"))
    shown = [line for line in lines if line.split(" ")[0].count(".") < STEPS_SHOWN]
    deep = [line for line in lines if line.split(" ")[0].count(".") >= STEPS_SHOWN]
    if not deep:
        return shown
    digest = hashlib.sha1("\n".join(deep).encode()).hexdigest()
    return [*shown, f"~deeper {len(deep)} {digest}"]


def write(folder, name, lines):
    # metadata is the same for every kind and has its own list, that of Namespace.
    if not name.endswith(".Namespace"):
        lines = [line for line in lines if not line.startswith("metadata")]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(sorted(lines)) + "\n")
