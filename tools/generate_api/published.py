# SPDX-License-Identifier: Apache-2.0
"""Readers of the three forms in which Kubernetes publishes its API, reduced to facts.

Only names, types, numbers and tags are kept; sentences are dropped while reading.
"""
import json
import re
from dataclasses import dataclass


def without_descriptions(node):
    """A field may itself be called "description": only a string under that key is a sentence."""
    if isinstance(node, dict):
        return {key: without_descriptions(value) for key, value in node.items()
                if not (key == "description" and isinstance(value, str))}
    if isinstance(node, list):
        return [without_descriptions(value) for value in node]
    return node


def openapi_schemas(tree, document):
    """The components of one OpenAPI v3 document, by their long names (io.k8s.api.core.v1.Pod)."""
    text = tree.read(f"api/openapi-spec/v3/{document}_openapi.json")
    return without_descriptions(json.loads(text)["components"]["schemas"])


def discovery(tree, document):
    """The resources of a group version: names, scope, verbs, subresources."""
    return json.loads(tree.read(f"api/discovery/{document}.json"))["resources"]


@dataclass
class ProtoField:
    name: str
    number: int
    type: str


def proto_messages(text):
    """Message name -> {field name: ProtoField}. generated.proto has no nested messages."""
    messages = {}
    current = None
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("message "):
            current = messages.setdefault(line.split()[1], {})
        elif line == "}":
            current = None
        elif current is not None:
            match = re.match(
                r"(?:optional|repeated|required)?\s*(map<[^>]*>|\S+)\s+(\w+)\s*=\s*(\d+);", line)
            if match:
                kind, name, number = match.groups()
                current[name] = ProtoField(name, int(number), kind.lstrip("."))
    return messages


def proto_package(text):
    return re.search(r"^package ([\w.]+);", text, re.MULTILINE).group(1)


@dataclass
class GoField:
    name: str          # the JSON name; for an inlined struct the name of the Go type
    type: str
    inline: bool
    omit_empty: bool   # left out when empty; Go never does this for a struct that is no pointer
    omit_zero: bool    # left out when zero, structs included
    number: int        # of its protobuf tag, 0 where there is none

    @property
    def pointer(self):
        return self.type.startswith("*")


def go_structs(text):
    """Struct name -> [GoField] for the fields that have a JSON tag."""
    structs = {}
    current = None
    for line in text.splitlines():
        start = re.match(r"type (\w+) struct \{", line)
        if start:
            current = structs.setdefault(start.group(1), [])
        elif line.startswith("}"):
            current = None
        elif current is not None:
            field = re.match(r'\s+(?:(\w+)\s+)?([\w.*\[\]]+)\s+`.*json:"([^"]*)"', line)
            if not field:
                continue
            _, kind, tag = field.groups()
            name, *options = tag.split(",")
            if name == "-":
                continue
            tagged = re.search(r'protobuf:"[a-z0-9]+,(\d+)', line)
            inline = name == "" and ("inline" in options or not options)
            if inline:
                name = kind.split(".")[-1]
            current.append(GoField(name, kind, inline, "omitempty" in options,
                                   "omitzero" in options,
                                   int(tagged.group(1)) if tagged else 0))
    return structs
