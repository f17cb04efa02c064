#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks Kueue itself how it converts, and writes its answers into the conversion scenarios.

usage: record_conversions.py KUEUE_ORACLE [FILE…]     (default: tests/scenarios/conversion/*.yaml)

A scenario without `expect` gets one; a scenario whose `expect` is an error is left alone, because
Kueue panics there. Everything above `expect` stays as it is, byte for byte.
"""
import glob
import json
import os
import subprocess
import sys

import yaml
import yaml_text

HERE = os.path.dirname(os.path.abspath(__file__))


def ask(oracle, scenario):
    request = {"id": 1, "verb": "convert", "object": scenario["given"],
               "to": "kueue.x-k8s.io/" + scenario["to"]}
    answer = json.loads(subprocess.run([oracle, "serve"], input=json.dumps(request) + "\n",
                                       text=True, capture_output=True, check=True).stdout)
    if not answer["ok"]:
        raise SystemExit(f"{scenario['name']}: {answer['error']}")
    return answer["result"]


def without_nulls(node):
    """Go writes null for a list that is not there; an API server drops it on the way."""
    if isinstance(node, dict):
        return {key: without_nulls(value) for key, value in node.items() if value is not None}
    if isinstance(node, list):
        return [without_nulls(value) for value in node]
    return node


def record(oracle, text):
    scenario = yaml.safe_load(text)
    if "error" in (scenario.get("expect") or {}):
        return text
    head = text[:text.index("\nexpect:") + 1] if "\nexpect:" in text else text.rstrip("\n") + "\n"
    expect = without_nulls(ask(oracle, scenario))
    return head + "\n".join(yaml_text.block({"expect": expect})) + "\n"


def main():
    oracle, *files = sys.argv[1:]
    for path in files or sorted(glob.glob(f"{HERE}/../../tests/scenarios/conversion/*.yaml")):
        with open(path, encoding="utf-8") as file:
            documents = file.read().split("---\n")
        recorded = [record(oracle, document) for document in documents]
        with open(path, "w", encoding="utf-8") as file:
            file.write("---\n".join(recorded))
        print("recorded", path)


if __name__ == "__main__":
    main()
