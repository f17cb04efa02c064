# SPDX-License-Identifier: Apache-2.0
"""Writes api/ files: block YAML, with flow style for what fits on a line and is not a tree.

PyYAML could write these files, but not in the shape a reader wants: short leaves on one line,
keys in the order in which a schema is read, nothing wider than 100 columns where avoidable.
"""
import re

import yaml

WIDTH = 100

KEY_ORDER = [
    "$ref", "type", "format", "enum", "default", "pattern", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems",
    "minProperties", "maxProperties", "nullable", "required",
    "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource", "x-kubernetes-map-type", "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys", "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy",
    "x-muster-proto", "x-muster-proto-type", "x-muster-proto-inline", "x-muster-go-type",
    "x-muster-pointer",
    "x-muster-always", "x-muster-immutable", "x-muster-unique", "x-muster-key-format",
    "x-muster-name-format", "x-muster-default-rule", "x-muster-check", "x-muster-update-rule",
    "x-kubernetes-validations",
    "anyOf", "oneOf", "allOf", "not", "additionalProperties", "items", "properties",
]


def ordered(schema):
    """A schema with its keys in reading order (unknown keys last, alphabetically)."""
    rank = {key: index for index, key in enumerate(KEY_ORDER)}
    result = {}
    for key in sorted(schema, key=lambda key: (rank.get(key, len(rank)), key)):
        value = schema[key]
        if key == "properties":
            result[key] = {name: ordered(value[name]) for name in sorted(value)}
        elif key in ("items", "additionalProperties", "not") and isinstance(value, dict):
            result[key] = ordered(value)
        elif key in ("anyOf", "oneOf", "allOf"):
            result[key] = [ordered(option) for option in value]
        elif key == "x-kubernetes-validations":
            result[key] = [{name: rule[name] for name in ("rule", "message") if name in rule}
                           | {name: rule[name] for name in sorted(rule)
                              if name not in ("rule", "message")} for rule in value]
        else:
            result[key] = value
    return result


def scalar(value):
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None:
        return "null"
    if isinstance(value, (int, float)):
        return str(value)
    plain = re.fullmatch(r"[A-Za-z0-9_./$*+-][A-Za-z0-9_./$ *+()-]*", value) and value == value.strip()
    # Go's YAML reader knows two booleans more than PyYAML.
    plain = plain and value[0] not in "-*" and value not in ("y", "Y", "n", "N")
    if plain and yaml.safe_load(value) == value:
        return value
    if "'" in value and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return "'" + value.replace("'", "''") + "'"


def flow(value):
    if isinstance(value, dict):
        inner = ", ".join(f"{scalar(key)}: {flow(item)}" for key, item in value.items())
        return "{" + inner + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return scalar(value)


def is_tree(value):
    """A schema with properties is shown as a block even when it would fit on one line."""
    if isinstance(value, dict):
        return "properties" in value or "versions" in value or any(map(is_tree, value.values()))
    return isinstance(value, list) and any(map(is_tree, value))


def folded(head, text, indent):
    """A long scalar as a folded block; lines break at single spaces only, so nothing changes."""
    lines = [head + ">-"]
    current = ""
    for word in re.split(r"(?<! ) (?! )", text):
        if current and indent + len(current) + 1 + len(word) > WIDTH:
            lines.append(" " * indent + current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    return lines + [" " * indent + current]


def block(value, indent=0):
    """Lines of `value` as a block at the given indentation."""
    pad = " " * indent
    lines = []
    items = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for key, item in items:
        head = f"{pad}- " if key is None else f"{pad}{scalar(key)}: "
        text = flow(item)
        scalar_item = not isinstance(item, (dict, list)) or not item
        if isinstance(item, str) and key is not None and len(head) + len(text) > WIDTH:
            lines.extend(folded(head, item, indent + 2))
        elif scalar_item or (len(head) + len(text) <= WIDTH and not is_tree(item)):
            lines.append(head + text)
        elif key is None:
            nested = block(item, indent + 2)
            lines.append(head + nested[0][indent + 2:])
            lines.extend(nested[1:])
        else:
            lines.append(head.rstrip())
            lines.extend(block(item, indent + (0 if isinstance(item, list) else 2)))
    return lines


def document(comment, value):
    head = [f"# {line}" for line in ["SPDX-License-Identifier: Apache-2.0", *comment]]
    return "\n".join(head + block(value)) + "\n"
