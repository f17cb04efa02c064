# SPDX-License-Identifier: Apache-2.0
"""Kinds that are CustomResourceDefinitions upstream -> our kind files.

Structs of Kubernetes inside a CRD (a pod template, a label selector) become references. They refer
to the native type where the two shapes agree to the last key, else to a type `embedded.<name>`:
a CRD's pod template has no server-side defaults, enums or formats, only what its own schema says.
"""
import re

from published import without_descriptions

QUANTITY_TEXT = "resource.QuantityText"

# Structs recognised by their set of fields wherever they appear; the rest is found by walking the
# native type beside the CRD's schema.
ANCHORS = (
    "core.v1.PodTemplateSpec", "core.v1.PodSpec", "core.v1.Toleration", "core.v1.Taint",
    "core.v1.ResourceRequirements", "meta.v1.LabelSelector", "meta.v1.Condition",
)

VARIANTS_MAX = 40
RESEMBLANCE = 0.7
POD_FIELDS = {"containers", "volumes", "restartPolicy", "tolerations"}

# Keys that say something about the native server or about patches of built-in kinds only.
NATIVE_ONLY = ("x-muster-", "x-kubernetes-patch-")


def bare(node):
    """A schema without the keys that mean nothing to a CRD."""
    if isinstance(node, dict):
        return {key: bare(value) for key, value in node.items()
                if not key.startswith(NATIVE_ONLY)}
    if isinstance(node, list):
        return [bare(value) for value in node]
    return node


PUBLISHED_FORMATS = ("int32", "int64", "double", "byte", "date-time")


def demands_anything(node):
    """True for what a CRD's schema says beyond the shape. Such a type is never taken from the
    native ones: those may change their defaults and checks without asking the CRDs."""
    if isinstance(node, list):
        return any(map(demands_anything, node))
    if not isinstance(node, dict):
        return False
    if node.get("format", "int32") not in PUBLISHED_FORMATS:
        return True
    demands = ("default", "enum", "pattern", "minimum", "maximum", "minLength", "maxLength",
               "minItems", "maxItems", "x-kubernetes-validations")
    shape = {key: value for key, value in node.items() if key != "properties"}
    return (any(key in shape for key in demands)
            or any(map(demands_anything, node.get("properties", {}).values()))
            or any(demands_anything(node[key]) for key in ("items", "additionalProperties")
                   if isinstance(node.get(key), dict)))


class Embedder:
    def __init__(self, definitions, native_types):
        self.definitions = definitions
        self.native_types = native_types
        self.types = {}
        self.by_fields = {self._fields(name): name for name in ANCHORS
                          if name in definitions.schemas}

    def _fields(self, name):
        return frozenset(self.definitions.schemas[name].get("properties", {}))

    def convert(self, node, expected=None):
        if node.get("x-kubernetes-int-or-string") and "pattern" in node:
            return self._quantity(node)
        if node.get("type") == "object" and "properties" in node:
            name = self._recognise(node, expected)
            if name:
                return self._as_type(name, node)
            return self._with_children(node, None)
        return self._with_children(node, expected)

    def _quantity(self, node):
        body = {key: node[key] for key in ("anyOf", "pattern", "x-kubernetes-int-or-string")}
        if self.types.setdefault(QUANTITY_TEXT, body) != body:
            return dict(node)
        return {"$ref": QUANTITY_TEXT} | {key: value for key, value in node.items()
                                          if key not in body}

    def _recognise(self, node, expected):
        fields = frozenset(node["properties"])
        if expected and self._resembles(fields, expected):
            return expected
        if fields >= POD_FIELDS and self._resembles(fields, "core.v1.PodSpec"):
            return "core.v1.PodSpec"
        return self.by_fields.get(fields)

    def _resembles(self, fields, name):
        """Another release of a struct lacks some fields, and may have one that is gone."""
        native = self._fields(name)
        return fields == native or len(fields & native) >= RESEMBLANCE * len(fields)

    def _as_type(self, name, node):
        at_place = {key: node[key] for key in ("default",) if key in node}
        body = self._with_children(
            {key: value for key, value in node.items() if key not in at_place}, name)
        if bare(self.native_types.get(name, {})) == body and not demands_anything(body):
            return {"$ref": name} | at_place
        # Projects embed different releases of the same struct: the second one is `…-2`.
        for variant in range(1, VARIANTS_MAX + 1):
            embedded = f"embedded.{name}" + (f"-{variant}" if variant > 1 else "")
            if self.types.setdefault(embedded, body) == body:
                return {"$ref": embedded} | at_place
        return body | at_place

    def _with_children(self, node, struct):
        """The node with its children converted; `struct` is the native type it corresponds to."""
        result = dict(node)
        if "required" in node:
            result["required"] = sorted(node["required"])
        if "properties" in node:
            result["properties"] = {
                field: self.convert(value, self._child_type(struct, field))
                for field, value in node["properties"].items()}
        for key in ("items", "additionalProperties"):
            if isinstance(node.get(key), dict):
                result[key] = self.convert(node[key], struct)
        return result

    def _child_type(self, struct, field):
        """The native struct behind a field, looking through lists and maps."""
        if not struct or "properties" not in self.definitions.schemas[struct]:
            return None
        converted = self.definitions.convert(struct)["properties"].get(field, {})
        while "$ref" not in converted:
            converted = converted.get("items") or converted.get("additionalProperties")
            if not converted:
                return None
        name = converted["$ref"]
        return name if "properties" in self.definitions.schemas.get(name, {}) else None


def base_name(embedded):
    """embedded.core.v1.PodSpec-2 -> core.v1.PodSpec"""
    return re.sub(r"-\d+$", "", embedded.removeprefix("embedded."))


def crd_document(crd, embedder, conversion):
    crd = without_descriptions(crd)
    spec = crd["spec"]
    names = {key: spec["names"][key] for key in
             ("kind", "listKind", "plural", "singular", "shortNames", "categories")
             if key in spec["names"]}
    result = {"group": spec["group"], "names": names, "scope": spec["scope"]}
    if conversion:
        result["conversion"] = {"strategy": "Webhook"}
        result["x-muster-conversion"] = conversion
    result["versions"] = [version_document(version, embedder) for version in spec["versions"]]
    return {"apiVersion": crd["apiVersion"], "kind": crd["kind"],
            "metadata": {"name": crd["metadata"]["name"]}, "spec": result}


def version_document(version, embedder):
    schema = embedder.convert(version["schema"]["openAPIV3Schema"])
    schema["properties"]["metadata"] = {"$ref": "meta.v1.ObjectMeta"}
    result = {key: version[key] for key in
              ("name", "served", "storage", "deprecated", "deprecationWarning", "subresources",
               "selectableFields")
              if key in version}
    columns = version.get("additionalPrinterColumns")
    if columns:
        result["additionalPrinterColumns"] = [
            {key: column[key] for key in ("name", "type", "format", "priority", "jsonPath")
             if key in column} for column in columns]
    return result | {"schema": {"openAPIV3Schema": schema}}
