# SPDX-License-Identifier: Apache-2.0
"""Flat lists of every field of a published kind: what the completeness test compares api/ with.

One line per field: its path and its type, `spec.containers[].ports[].protocol string`. A list has
its topology behind it, `spec.containers array map name`; an any-keyed object is `object {}`.
"""
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


def walk(node, path, resolve, lines, seen=()):
    name, node = resolve(node)
    if path:
        lines.append(f"{path} {describe(node)}")
    if name in seen:
        return
    seen = (*seen, name) if name else seen
    for field, value in node.get("properties", {}).items():
        walk(value, f"{path}.{field}" if path else field, resolve, lines, seen)
    if "items" in node:
        walk(node["items"], path + "[]", resolve, lines, seen)
    if isinstance(node.get("additionalProperties"), dict):
        walk(node["additionalProperties"], path + "{}", resolve, lines, seen)


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


def write_custom(folder, crd):
    spec = crd["spec"]
    for version in spec["versions"]:
        lines = []
        walk(version["schema"]["openAPIV3Schema"], "", lambda node: (None, node), lines)
        group = spec["group"].split(".")[0]
        write(folder, f"{group}.{version['name']}.{spec['names']['kind']}", lines)


def write(folder, name, lines):
    # metadata is the same for every kind and has its own list, that of Namespace.
    if not name.endswith(".Namespace"):
        lines = [line for line in lines if not line.startswith("metadata")]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(sorted(lines)) + "\n")
