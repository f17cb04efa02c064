#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts every fact of api/ about a built-in kind to a real kube-apiserver, and prints where they
differ. Nothing is written there: every request is a dry run.

usage: ask_server.py URL TOKEN_FILE [KIND…]

For each field with a default the object is sent without it; for each enum, range, format, required
or unique field, with a value that should be refused. A probe is a minimal object that reaches the
field, so a few answers are about something else that the server wants there: read, do not count.
"""
import copy
import glob
import http.client
import json
import os
import re
import ssl
import sys
import urllib.parse

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))

# What a kind needs beyond its schema to be accepted.
POD_SPEC = {"containers": [{"name": "c", "image": "i"}]}
ACCEPTED = {
    "Event": {"involvedObject": {"namespace": "default"}},
    "Job": {"spec": {"completionMode": "Indexed", "completions": 2, "parallelism": 2,
                     "template": {"spec": POD_SPEC | {"restartPolicy": "Never"}}}},
    "LimitRange": {"spec": {"limits": [{"type": "Container"}]}},
    "Pod": {"spec": POD_SPEC},
    "PriorityClass": {"value": 1},
    "RuntimeClass": {"handler": "h"},
    "Service": {"spec": {"ports": [{"port": 80}]}},
}
SAMPLES = {"ip": "1.2.3.4", "date-time": "2025-01-01T00:00:00Z", "byte": "YQ==",
           "micro-time": "2025-01-01T00:00:00.000000Z", "absolute-path": "/abc"}
REFUSED_FORMATS = ("dns-label", "dns-subdomain", "qualified-name", "label-value", "env-var-name",
                   "port-name", "ip")


class Api:
    def __init__(self, root):
        self.types, self.kinds = {}, {}
        for path in sorted(glob.glob(f"{root}/*/*.yaml")):
            with open(path, encoding="utf-8") as file:
                document = yaml.safe_load(file)
            self.types |= document.get("types", {})
            if document.get("spec", {}).get("x-muster-builtin"):
                self.kinds[document["spec"]["names"]["kind"]] = document["spec"]

    def at_place(self, schema):
        return self.types.get(schema.get("$ref"), {}) | schema

    def fields(self, schema, path=(), above=()):
        """(path, schema) of every field that a create request may set."""
        name = schema.get("$ref")
        if name in above:
            return
        schema = self.at_place(schema)
        yield path, schema
        above = above + (name,) if name else above
        for field, value in schema.get("properties", {}).items():
            if path or field not in ("metadata", "status", "apiVersion", "kind"):
                yield from self.fields(value, path + (field,), above)
        if "items" in schema:
            yield from self.fields(schema["items"], path + (0,), above)

    def sample(self, schema):
        """The smallest value that the schema accepts."""
        schema = self.at_place(schema)
        if schema.get("default"):
            return schema["default"]
        if "enum" in schema:
            return next(value for value in schema["enum"] if value)
        if schema.get("x-kubernetes-int-or-string"):
            return 1
        kind = schema.get("type")
        if kind == "object":
            return {field: self.sample(schema["properties"][field])
                    for field in schema.get("required", [])}
        if kind == "array":
            return [self.sample(schema["items"])]
        if kind == "integer":
            return max(1, schema.get("minimum", 1))
        return False if kind == "boolean" else SAMPLES.get(schema.get("format"), "abc")

    def place(self, root, target, path, value):
        """Sets `value` at the path in `target`, making samples on the way; its parent."""
        schema, parent = self.at_place(root), target
        for step in path[:-1]:
            schema = self.at_place(schema["properties"][step] if isinstance(step, str)
                                   else schema["items"])
            if isinstance(step, str):
                parent.setdefault(step, self.sample(schema) or ([] if "items" in schema else {}))
            elif len(parent) <= step:
                parent.append(self.sample(schema))
            parent = parent[step]
        if isinstance(path[-1], int) and len(parent) <= path[-1]:
            parent.append(None)
        parent[path[-1]] = value
        return parent


class Server:
    def __init__(self, url, token_file):
        context = ssl._create_unverified_context()
        self.connection = http.client.HTTPSConnection(
            urllib.parse.urlparse(url).netloc, context=context)
        with open(token_file, encoding="utf-8") as file:
            self.headers = {"Authorization": "Bearer " + file.read().strip(),
                            "Content-Type": "application/json"}

    def create(self, spec, body):
        version = spec["versions"][0]["name"]
        group = spec["group"]
        folder = f"/apis/{group}/{version}" if group else f"/api/{version}"
        if spec["scope"] == "Namespaced":
            folder += "/namespaces/default"
        body = {"apiVersion": f"{group}/{version}" if group else version,
                "kind": spec["names"]["kind"], "metadata": {"name": "probe"}} | body
        self.connection.request("POST", f"{folder}/{spec['names']['plural']}?dryRun=All",
                                json.dumps(body), self.headers)
        response = self.connection.getresponse()
        return response.status, json.loads(response.read())


def text_of(path):
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.lstrip(".")


def probes(api, schema):
    """(what, value to send, field to leave out, expected reason, where) for one field."""
    if "enum" in schema:
        yield "enum", "Bogus", None, "FieldValueNotSupported", ""
    if "minimum" in schema:
        low = schema["minimum"] - (0 if schema.get("exclusiveMinimum") else 1)
        yield f"value {low}", low, None, "FieldValueInvalid", ""
    if "maximum" in schema:
        yield f"value {schema['maximum'] + 1}", schema["maximum"] + 1, None, "FieldValueInvalid", ""
    if schema.get("format") in REFUSED_FORMATS:
        yield schema["format"], "Bad_=Value!", None, "FieldValueInvalid", ""
    for field in schema.get("required", []):
        yield "absence", api.sample(schema), field, "FieldValueRequired", f".{field}"
    if schema.get("x-muster-unique"):
        item = api.sample(schema["items"])
        fields = api.at_place(schema["items"])["properties"]
        item |= {key: api.sample(fields[key]) for key in schema["x-muster-unique"]}
        yield "twice", [item, copy.deepcopy(item)], None, None, ""


def ask_refusals(api, server, spec, root, accepted):
    for path, schema in api.fields(root):
        for what, value, left_out, reason, below in probes(api, schema) if path else ():
            body = copy.deepcopy(accepted)
            parent = api.place(root, body, path, value)
            if left_out:
                parent[path[-1]].pop(left_out, None)
            status, answer = server.create(spec, body)
            where = text_of(path) + below
            causes = answer.get("details", {}).get("causes", [])
            if status == 201:
                print(f"{spec['names']['kind']} {where}: {what} is accepted")
            elif reason and not any(cause.get("field") == where and cause["reason"] == reason
                                    for cause in causes):
                said = "; ".join(f"{cause.get('field')}: {cause['message']}" for cause in causes)
                print(f"{spec['names']['kind']} {where}: {what} gives: "
                      f"{(said or answer.get('message', ''))[:200]}")
            elif what == "enum":
                message = next(cause["message"] for cause in causes if cause["reason"] == reason)
                values = re.findall(r'"([^"]*)"', message.split("supported values:")[-1])
                if values != schema["enum"]:
                    print(f"{spec['names']['kind']} {where}: the values are {values}")


def ask_defaults(api, server, spec, root, accepted):
    for path, schema in api.fields(root):
        if not path or "default" not in schema:
            continue
        body = copy.deepcopy(accepted)
        api.place(root, body, path, None).pop(path[-1])
        status, answer = server.create(spec, body)
        if status != 201:
            continue
        for step in path:
            answer = answer.get(step) if isinstance(answer, dict) else answer[step]
        if answer != schema["default"]:
            print(f"{spec['names']['kind']} {text_of(path)}: the default is {answer}")


def main():
    url, token_file, *kinds = sys.argv[1:]
    api = Api(f"{HERE}/../../api")
    server = Server(url, token_file)
    for kind, spec in sorted(api.kinds.items()):
        if kinds and kind not in kinds:
            continue
        root = spec["versions"][0]["schema"]["openAPIV3Schema"]
        accepted = ACCEPTED.get(kind, {})
        status, answer = server.create(spec, accepted)
        if status != 201:
            print(f"{kind}: the smallest object is refused: {answer.get('message')}")
            continue
        ask_refusals(api, server, spec, root, accepted)
        ask_defaults(api, server, spec, root, accepted)


if __name__ == "__main__":
    main()
