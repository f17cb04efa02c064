#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes api/ files from published API definitions. README.md in this folder says how and when.

An existing file or type is never changed: api/ is the truth, and is edited by hand.
"""
import argparse
import os
import re

import builtin
import custom
import paths
import sources
import yaml
import yaml_text

HERE = os.path.dirname(os.path.abspath(__file__))


def load_yaml(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return yaml.safe_load(file)


def snake(name):
    """ClusterQueue -> cluster_queue, APIService -> api_service."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def document_name(group, version):
    return f"api__{version}" if group == "" else f"apis__{group}__{version}"


class Api:
    """The api/ folder: what is there already, and what this run adds."""

    def __init__(self, root, overwrite):
        self.root = root
        self.overwrite = overwrite
        self.types = {}
        folder = os.path.join(root, "types")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) and not overwrite else []:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                self.types |= yaml.safe_load(file)["types"]
        self.known = set(self.types)

    def write(self, path, comment, value):
        path = os.path.join(self.root, path)
        if os.path.exists(path) and not self.overwrite:
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(yaml_text.document(comment, value))
        print("wrote", path)

    def append_types(self, file_name, comment, types):
        """A new types file, or new types at the end of an existing one."""
        path = os.path.join(self.root, "types", file_name)
        types = {name: yaml_text.ordered(types[name]) for name in sorted(types)}
        if os.path.exists(path) and not self.overwrite:
            with open(path, "a", encoding="utf-8") as file:
                file.write("\n".join(yaml_text.block(types, 2)) + "\n")
            print("extended", path)
            return
        self.write(f"types/{file_name}", comment, {"kind": "Types", "types": types})


def apply_facts(name, schema, facts):
    """Adds what only the server's code knows: defaults, enums, ranges, immutability."""
    fact = facts.get(name, {})
    for key, value in fact.items():
        if key != "fields":
            schema[key] = value
    for field, keys in fact.get("fields", {}).items():
        target = schema["properties"]
        for part in field.split("/"):           # "data/additionalProperties" reaches inside
            target = target[part]
        target |= keys
    for key in [key for key, value in schema.items() if value is None]:
        del schema[key]
    return schema


def status_only_types(definitions, kinds):
    """Types that occur below `status` only: the server refuses nothing there for being absent."""
    under_status, elsewhere = set(), set()
    for name in kinds:
        for field, value in definitions.convert(name).get("properties", {}).items():
            roots = []
            node = value
            while node:
                if "$ref" in node:
                    roots.append(node["$ref"])
                node = node.get("items") or node.get("additionalProperties")
            closure = definitions.closure(roots)
            (under_status if field == "status" else elsewhere).update(closure)
    return under_status - elsewhere


def topic_of_types(definitions, names, topics):
    """Type name -> file. The first topic whose roots reach a type has it, else its group's file."""
    files = {}
    for topic in topics:
        for name in definitions.closure(topic["roots"]):
            files.setdefault(name, topic["file"])
    for name in names:
        files.setdefault(name, name.split(".")[0] + ".yaml")
    for name in names:
        if name.startswith(("meta.", "runtime.")) or name == "resource.Quantity":
            files[name] = "meta.yaml"
    return files


def builtin_document(kind, proto_message, resources, schema, facts):
    resource = next((item for item in resources
                     if item["kind"] == kind["kind"] and "/" not in item["name"]),
                    {"name": kind.get("plural"), "singularName": kind["kind"].lower(),
                     "namespaced": True, "verbs": []})
    plural = resource["name"]
    names = {"kind": kind["kind"], "listKind": kind["kind"] + "List", "plural": plural,
             "singular": resource["singularName"]}
    names |= {key: resource[key] for key in ("shortNames", "categories") if key in resource}
    version = {"name": kind["version"], "served": True, "storage": True,
               "x-muster-proto-message": proto_message}
    if any(item["name"] == f"{plural}/status" for item in resources):
        version["subresources"] = {"status": {}}
    if any(item["name"] == f"{plural}/scale" for item in resources):
        version["subresources"]["scale"] = {
            "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    for key in ("selectableFields", "additionalPrinterColumns"):
        if key in facts:
            version[key] = facts[key]
    version["schema"] = {"openAPIV3Schema": yaml_text.ordered(schema)}
    group = kind["group"]
    own = {"x-muster-builtin": True}
    if "get" not in resource["verbs"]:
        own["x-muster-verbs"] = resource["verbs"]      # nothing of it is stored
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}" if group else plural},
        "spec": {"group": group, "names": names,
                 "scope": "Namespaced" if resource["namespaced"] else "Cluster",
                 **own, "versions": [version]}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kubernetes", required=True, metavar="REPO@TAG")
    parser.add_argument("--source", action="append", default=[], metavar="NAME=REPO@TAG",
                        help="where the CRDs of a project are, e.g. kueue=/src/kueue@v0.19.2")
    parser.add_argument("--api", default=os.path.join(HERE, "../../api"))
    parser.add_argument("--paths", default=os.path.join(HERE, "../../tests/data/api_paths"))
    parser.add_argument("--overwrite", action="store_true",
                        help="forget what is in api/ and write everything anew")
    options = parser.parse_args()

    table = load_yaml("kinds.yaml")
    facts = {}
    kind_facts = {}
    for name in sorted(os.listdir(os.path.join(HERE, "facts"))):
        loaded = load_yaml(f"facts/{name}")
        kind_facts |= loaded.pop("kinds", {})
        facts |= loaded
    tree = sources.open_tree(options.kubernetes)
    documents = sorted({document_name(kind["group"], kind["version"])
                        for kind in table["builtin"]})
    definitions = builtin.Definitions(tree, documents)
    api = Api(options.api, options.overwrite)

    kind_names = [f"{kind['package']}.{kind['version']}.{kind['kind']}"
                  for kind in table["builtin"]]
    status_only = status_only_types(definitions, kind_names)
    closure = definitions.closure(kind_names + table["types"])
    # A claim is a kind, and a stateful set has templates of it.
    referred = {name for each in closure for name in definitions.references(each)}
    names = [name for name in closure if name not in kind_names or name in referred]
    unknown = set(facts) - set(names) - set(kind_names)
    if unknown:
        raise SystemExit(f"facts about types that no kind has: {sorted(unknown)}")
    native = {}
    for name in names:
        schema = definitions.convert(name)
        if name in status_only:
            schema.pop("required", None)
        native[name] = api.types.get(name) or apply_facts(name, schema, facts)
    for name, kind in zip(kind_names, table["builtin"]):
        resources = builtin.published.discovery(
            tree, document_name(kind["group"], kind["version"]))
        schema = apply_facts(name, definitions.convert(name), facts)
        document = builtin_document(kind, definitions.proto_message(name), resources, schema,
                                    kind_facts.get(name, {}))
        api.write(f"{kind['folder']}/{snake(kind['kind'])}.yaml", [], document)
        paths.write_builtin(options.paths, name, definitions)

    embedder = custom.Embedder(definitions, native)
    embedder.types |= {name: schema for name, schema in api.types.items()
                       if name.startswith("embedded.") or name == custom.QUANTITY_TEXT}
    project_trees = {name: sources.open_tree(where) for name, _, where in
                     (text.partition("=") for text in options.source)}
    for kind in table["custom"]:
        if kind["source"] not in project_trees:
            continue
        crd = yaml.safe_load(project_trees[kind["source"]].read(kind["file"]))
        for more in kind.get("more_versions", []):
            other = yaml.safe_load(project_trees[more["source"]].read(more["file"]))
            crd["spec"]["versions"] += [version | {"storage": False}
                                        for version in other["spec"]["versions"]]
        document = custom.crd_document(crd, embedder, kind.get("conversion"))
        for version in document["spec"]["versions"]:
            schema = version["schema"]
            schema["openAPIV3Schema"] = yaml_text.ordered(schema["openAPIV3Schema"])
        name = snake(document["spec"]["names"]["kind"])
        api.write(f"{kind['folder']}/{name}.yaml", [], document)
        paths.write_custom(options.paths, kind["folder"], crd)

    files = topic_of_types(definitions, native, table["topics"])
    everything = native | embedder.types
    by_file = {}
    for name in everything:
        if name in api.known:
            continue
        file_name = files.get(name) or (
            "embedded_" + files.get(custom.base_name(name), "types.yaml")
            if name.startswith("embedded.") else "meta.yaml")
        by_file.setdefault(file_name, {})[name] = everything[name]
    for file_name, types in sorted(by_file.items()):
        topic = file_name.removeprefix("embedded_")
        comment = table["comments"].get(topic, f"Types of the group {topic.removesuffix('.yaml')}.")
        if file_name.startswith("embedded_"):
            comment = f"As a CRD embeds them. {comment}"
        api.append_types(file_name, [comment], types)


if __name__ == "__main__":
    main()
