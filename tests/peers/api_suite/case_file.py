# The cases as they lie in cases/*.yaml. A document is a case; its steps begin in column 0 with
# `- request: METHOD PATH`, `- watch: PATH` or `- read: NAME`, and each ends with its recorded `answer`.
# Recording replaces the answers and leaves every other line as its author wrote it.
# SPDX-License-Identifier: Apache-2.0
import os
import re

import yaml

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
STEP = re.compile(r"^- (request|watch|read|until): ")
STEP_FIELDS = {"request", "watch", "read", "body", "text", "large", "base64", "headers", "type", "as",
               "groups", "token", "save", "until", "pick", "ignore", "shows", "count", "name",
               "answer", "differs", "patience", "sorted"}
CASE_FIELDS = {"case", "steps", "managedFields", "versions", "owner"}


class Case:
    def __init__(self, path, document):
        self.path = path
        self.file = os.path.splitext(os.path.basename(path))[0]
        self.name = document["case"]
        self.steps = document["steps"]
        self.keeps_managed_fields = document.get("managedFields", False)
        self.loose_versions = document.get("versions") == "loose"
        self.owner = document.get("owner", "")
        unknown = set(document) - CASE_FIELDS
        for each in self.steps:
            unknown |= set(each) - STEP_FIELDS
        if unknown:
            raise ValueError(f"{path}: {self.name}: unknown {sorted(unknown)}")

    @property
    def id(self):
        return f"{self.file}: {self.name}"

    def requests(self):
        return sum(1 for each in self.steps if "request" in each or "watch" in each)


def load(words=()):
    """All cases; with words only those whose id has one of them."""
    cases = []
    for name in sorted(os.listdir(FOLDER)):
        if not name.endswith(".yaml"):
            continue
        path = os.path.join(FOLDER, name)
        owner = ""
        with open(path) as file:
            for document in yaml.load_all(file, Loader):
                if document is None:
                    continue
                owner = document.get("owner", owner)
                document["owner"] = owner
                cases.append(Case(path, document))
    seen = set()
    for case in cases:
        if case.id in seen:
            raise ValueError(f"two cases are called {case.id}")
        seen.add(case.id)
    return [case for case in cases if not words or any(word in case.id for word in words)]


def write_answers(path, answers_of):
    """answers_of: the name of a case -> the answers of its steps, in order."""
    with open(path) as file:
        lines = file.read().split("\n")
    kept, name, waiting, in_answer = [], None, [], False
    trailing = []

    def finish_step():
        if waiting:
            kept.extend(answer_lines(waiting.pop()))
        kept.extend(trailing)
        trailing.clear()

    answers = iter(())
    for line in lines:
        if line.startswith("case: "):
            name = yaml.safe_load(line)["case"]
            answers = iter(answers_of.get(name, ()))
        if STEP.match(line) or line.startswith("---") or line.startswith("#"):
            finish_step()
            in_answer = False
        if line.startswith("  answer:") and name in answers_of:
            in_answer = True
        elif in_answer and line and not line.startswith("    "):
            in_answer = False
        if in_answer:
            continue
        if STEP.match(line) and name in answers_of:
            waiting.append(next(answers))
        if line.strip():
            kept.extend(trailing)
            trailing.clear()
            kept.append(line)
        else:
            trailing.append(line)
    finish_step()
    while kept and not kept[-1]:
        kept.pop()
    with open(path, "w") as file:
        file.write("\n".join(kept) + "\n")


def answer_lines(answer):
    if answer is None:
        return []
    text = yaml.dump({"answer": answer}, Dumper=Dumper, default_flow_style=None, width=92,
                     allow_unicode=True, sort_keys=False)
    return ["  " + line if line else "" for line in text.rstrip("\n").split("\n")]
