# Takes out of an answer what no two servers can agree on: uids, times, resourceVersions, tokens,
# random names. Equal things stay equal: the second uid that a case meets is uid-2 wherever it is.
# SPDX-License-Identifier: Apache-2.0
import datetime
import json
import re

UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
JWT = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")
NUMBERS_IN_TEXT = (
    (re.compile(r"(too old resource version: )\d+ \(\d+\)"), r"\1N (N)"),
    (re.compile(r"(Too large resource version: \d+, current: )\d+"), r"\1N"),
    (re.compile(r'^(( "" is invalid: )?(patch: )?Invalid value: )"\{.*\}": ', re.DOTALL),
     r'\1"<the patched object>": '),
    (re.compile(r"^(\d+) \(\w+ ago\)$"), r"\1 (<age> ago)"),
    (re.compile(r"(does not match the ResourceVersion in record \()\d+"), r"\1N"),
)
AGE = re.compile(r"^(<invalid>|\d+[smhdy](\d+[smhd])?)$")
AGE_COLUMNS = ("Age", "Last Seen", "First Seen", "Duration", "Last Schedule")
PATH_PART = re.compile(r"^(.*?)\[([^=\]]+)=([^\]]*)\]$")


class Normaliser:
    """Remembers over the requests of one case which uid and which version it has met."""

    def __init__(self, namespace, keeps_managed_fields, loose_versions):
        self.namespace = namespace
        self.keeps_managed_fields = keeps_managed_fields
        self.loose_versions = loose_versions  # controllers write these objects, too
        self.uids = {}
        self.versions = {}
        self.random_bases = ["kube-api-access-"]
        self.known_texts = {}  # what only this run calls so, and what a case calls it
        self.today = datetime.datetime.now(datetime.timezone.utc).date()

    def text(self, text):
        def time(match):
            year, month, day = (int(match[n]) for n in (1, 2, 3))
            try:
                distance = abs((datetime.date(year, month, day) - self.today).days)
            except ValueError:
                return match[0]
            if distance > 400:
                return match[0]
            return "<micro time>" if match[4] else "<time>"

        def uid(match):
            return self.uids.setdefault(match[0], f"uid-{len(self.uids) + 1}")

        for known, name in self.known_texts.items():
            text = text.replace(known, name)
        text = TIME.sub(time, UID.sub(uid, JWT.sub("<jwt>", text)))
        for base in self.random_bases:
            text = re.sub(re.escape(base) + r"[bcdfghjklmnpqrstvwxz2456789]{5}\b", base + "xxxxx",
                          text)
        for pattern, replacement in NUMBERS_IN_TEXT:
            text = pattern.sub(replacement, text)
        return text.replace(self.namespace, "$ns")

    def value(self, value):
        """A JSON value, keys in order so that numbering does not depend on the writer."""
        if isinstance(value, dict):
            self.note_random_base(value)
            return {self.text(key): self.member(key, value[key], value) for key in sorted(value)
                    if key != "managedFields" or self.keeps_managed_fields}
        if isinstance(value, list):
            return [self.value(each) for each in value]
        return self.text(value) if isinstance(value, str) else value

    def note_random_base(self, value):
        base = value.get("generateName")
        if isinstance(base, str) and base and base not in self.random_bases:
            self.random_bases.append(base)

    def member(self, key, value, owner):
        if key == "managedFields" and isinstance(value, list):
            # What our controllers write in a status: the recorded server had none.
            value = [each for each in value if each.get("manager") != "muster"]
        if key == "resourceVersion" and isinstance(value, str) and value.isdigit():
            if ("uid" in owner or value == "0") and not self.loose_versions:
                return self.versions.setdefault(value, f"rv-{len(self.versions) + 1}")
            return "rv"
        if key == "continue" and value:
            return "<continue>"
        if key == "items" and isinstance(value, list):
            return [self.value(each) for each in value]
        if key == "rows" and isinstance(value, list) and "columnDefinitions" in owner:
            return self.rows(value, owner["columnDefinitions"])
        if key == "description" and "priority" in owner and "format" in owner:
            return ""  # sentences of the peer's sources are not kept
        return self.value(value)

    def rows(self, rows, columns):
        names = [column["name"] for column in columns or []] or getattr(self, "columns", [])
        self.columns = names
        made = []
        for row in rows:
            row = self.value(row)
            for index, cell in enumerate(row.get("cells") or []):
                name = names[index] if index < len(names) else ""
                if name in AGE_COLUMNS and isinstance(cell, str) and AGE.match(cell):
                    row["cells"][index] = "<age>"
            made.append(row)
        return made


def find(value, path):
    """What lies at a.b[name=x].[key.with.dots].c, or None. A `*` is every element or member (the first, here)."""
    for part in split(path):
        value = step(value, part)
        if value is None:
            return None
    return value


def split(path):
    parts, depth, current = [], 0, ""
    for letter in path:
        depth += (letter == "[") - (letter == "]")
        if letter == "." and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += letter
    return parts + [current]


def step(value, part):
    if isinstance(value, dict) and part in value:
        return value[part]
    match = PATH_PART.match(part)
    if match:
        value = step(value, match[1]) if match[1] else value
        for each in value if isinstance(value, list) else []:
            if isinstance(each, dict) and str(each.get(match[2])) == match[3]:
                return each
        return None
    if isinstance(value, list):
        return value[int(part)] if part.isdigit() and int(part) < len(value) else None
    if not isinstance(value, dict):
        return None
    return value.get(part[1:-1] if part.startswith("[") else part)  # a key that has dots


def remove(value, path):
    """Takes out what lies at the path, everywhere that a `*` leads."""
    parts = split(path) if isinstance(path, str) else path
    if isinstance(value, list) and parts[0] == "*":
        for each in value:
            if len(parts) > 1:
                remove(each, parts[1:])
        return
    if isinstance(value, dict) and parts[0] == "*":
        for each in list(value):
            remove(value, [each, *parts[1:]])
        return
    if len(parts) == 1:
        match = PATH_PART.match(parts[0])
        inner = step(value, match[1]) if match else None
        if isinstance(inner, list):
            inner[:] = [each for each in inner if str(each.get(match[2])) != match[3]]
        elif isinstance(value, dict):
            value.pop(parts[0], None)
        return
    inner = step(value, parts[0])
    if inner is not None:
        remove(inner, parts[1:])


def differences(wanted, got, path=""):
    """Sentences, each about one place where two normalised values are not the same."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        found = []
        for key in sorted(set(wanted) | set(got), key=str):
            here = f"{path}.{key}" if path else str(key)
            if key not in got:
                found.append(f"{here}: missing, wanted {short(wanted[key])}")
            elif key not in wanted:
                found.append(f"{here}: not wanted, got {short(got[key])}")
            else:
                found += differences(wanted[key], got[key], here)
        return found
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        found = []
        for index, (one, other) in enumerate(zip(wanted, got)):
            found += differences(one, other, f"{path}[{index}]")
        return found
    if wanted == got and isinstance(wanted, bool) == isinstance(got, bool):
        return []
    return [f"{path or 'body'}: wanted {short(wanted)}, got {short(got)}"]


def short(value):
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 300 else text[:297] + "..."
