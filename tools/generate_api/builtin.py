# SPDX-License-Identifier: Apache-2.0
"""Built-in kinds: OpenAPI (shape) + generated.proto (numbers) + types.go (pointers) -> our types."""
import published

OPENAPI_PREFIXES = {
    "io.k8s.api.": "",
    "io.k8s.apimachinery.pkg.apis.meta.": "meta.",
    "io.k8s.apimachinery.pkg.api.resource.": "resource.",
    "io.k8s.apimachinery.pkg.util.intstr.": "intstr.",
    "io.k8s.apimachinery.pkg.runtime.": "runtime.",
    "io.k8s.apiextensions-apiserver.pkg.apis.": "",
    "io.k8s.kube-aggregator.pkg.apis.": "",
}

# Where the Go source of a group is, for the groups that do not live in k8s.io/api.
SOURCE_ROOTS = {
    "meta": "staging/src/k8s.io/apimachinery/pkg/apis",
    "apiextensions": "staging/src/k8s.io/apiextensions-apiserver/pkg/apis",
    "apiregistration": "staging/src/k8s.io/kube-aggregator/pkg/apis",
}

# What a reference to these becomes. The first three are plain strings with a meaning of their own;
# a protobuf reader knows from the format that a Time message is behind them.
LEAVES = {
    "meta.v1.Time": {"type": "string", "format": "date-time"},
    "meta.v1.MicroTime": {"type": "string", "format": "micro-time"},
    "meta.v1.Duration": {"type": "string", "format": "duration"},
    "intstr.IntOrString": {"x-kubernetes-int-or-string": True},
    "resource.Quantity": {"$ref": "resource.Quantity"},
}

# Types that are not structs upstream, written out here once.
GIVEN_TYPES = {
    "resource.Quantity": {"x-kubernetes-int-or-string": True, "format": "quantity"},
    "meta.v1.FieldsV1": {
        "type": "object", "x-kubernetes-preserve-unknown-fields": True,
        "x-muster-proto-type": "raw"},
    "runtime.RawExtension": {
        "type": "object", "x-kubernetes-preserve-unknown-fields": True,
        "x-muster-proto-type": "raw"},
    "apiextensions.v1.JSON": {
        "x-kubernetes-preserve-unknown-fields": True, "x-muster-proto-type": "raw"},
    # Unions that JSON tells apart by the type of the value.
    "apiextensions.v1.JSONSchemaPropsOrArray": {"x-kubernetes-preserve-unknown-fields": True},
    "apiextensions.v1.JSONSchemaPropsOrBool": {"x-kubernetes-preserve-unknown-fields": True},
    "apiextensions.v1.JSONSchemaPropsOrStringArray": {"x-kubernetes-preserve-unknown-fields": True},
}

# Message 3 inside of message 2, both inlined, is 2003.
NESTED = 1000

# Files beside types.go that hold types of the API.
MORE_SOURCES = {"apiextensions.v1": ["types_jsonschema.go"]}

COPIED_KEYS = (
    "type", "format", "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type", "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy")


def short_name(long_name):
    for prefix, replacement in OPENAPI_PREFIXES.items():
        if long_name.startswith(prefix):
            return replacement + long_name[len(prefix):]
    raise SystemExit(f"no rule for the type name {long_name}")


def source_folder(package):
    """core.v1 -> the folder that holds its generated.proto and types.go."""
    group = package.split(".")[0]
    return SOURCE_ROOTS.get(group, "staging/src/k8s.io/api") + "/" + package.replace(".", "/")


class Definitions:
    """Every published type, converted on demand."""

    def __init__(self, tree, documents):
        self.tree = tree
        self.schemas = {}
        for document in documents:
            for name, schema in published.openapi_schemas(tree, document).items():
                try:
                    self.schemas.setdefault(short_name(name), schema)
                except SystemExit:
                    continue
        self.packages = {}

    def package(self, name):
        if name not in self.packages:
            folder = source_folder(name)
            structs = {}
            for source in ["types.go", *MORE_SOURCES.get(name, [])]:
                structs |= published.go_structs(self.tree.read(f"{folder}/{source}"))
            self.packages[name] = (
                published.proto_messages(self.tree.read(f"{folder}/generated.proto")), structs)
        return self.packages[name]

    def proto_message(self, name):
        """The full name of a kind's message, such as k8s.io.api.core.v1.Pod."""
        package, _, kind = name.rpartition(".")
        text = self.tree.read(f"{source_folder(package)}/generated.proto")
        return f"{published.proto_package(text)}.{kind}"

    def references(self, name):
        """Types that the type refers to directly."""
        found = []

        def walk(node):
            if isinstance(node, dict):
                if isinstance(node.get("$ref"), str):    # JSONSchemaProps has a field of that name
                    found.append(short_name(node["$ref"].split("/")[-1]))
                for value in node.values():
                    walk(value)
            elif isinstance(node, list):
                for value in node:
                    walk(value)

        if name not in GIVEN_TYPES:
            walk(self.schemas[name])
        return [found_name for found_name in found
                if found_name not in LEAVES or found_name == "resource.Quantity"]

    def closure(self, roots):
        seen = []
        todo = list(roots)
        while todo:
            name = todo.pop(0)
            if name not in seen:
                seen.append(name)
                todo.extend(self.references(name))
        return seen

    def convert(self, name):
        """One type in our format, still without the facts that only the server's code knows."""
        if name in GIVEN_TYPES:
            return dict(GIVEN_TYPES[name])
        schema = self.schemas[name]
        result = {key: schema[key] for key in COPIED_KEYS if key in schema}
        if schema.get("required"):
            result["required"] = sorted(schema["required"])
        if "properties" in schema:
            properties = {field: convert_value(value)
                          for field, value in schema["properties"].items()}
            self._add_proto(name, properties, result)
            result["properties"] = properties
        return result

    def _add_proto(self, name, properties, result):
        package, _, kind = name.rpartition(".")
        messages, structs = self.package(package)
        inlined = self._annotate(kind, messages, structs, properties)
        if inlined:
            result["x-muster-proto-inline"] = inlined

    def _annotate(self, kind, messages, structs, properties):
        fields = messages.get(kind, {})
        inlined = []
        for go_field in structs.get(kind, []):
            if go_field.inline:
                if go_field.name in ("TypeMeta",):
                    continue
                number = next(field.number for field in fields.values()
                              if field.type.split(".")[-1] == go_field.name)
                inner = [field.name for field in structs[go_field.name] if not field.inline]
                nested = self._annotate(go_field.name, messages, structs, properties)
                inlined.append({"number": number, "name": go_field.name,
                                "fields": sorted(inner)})
                inlined += [each | {"number": number * NESTED + each["number"]}
                            for each in nested]
                continue
            schema = properties.get(go_field.name)
            if schema is None:
                continue
            if go_field.name in fields:
                schema["x-muster-proto"] = fields[go_field.name].number
            elif go_field.number:                # `$ref` has another name there
                schema["x-muster-proto"] = go_field.number
            add_go_type(go_field.type, schema)
            if go_field.pointer:
                schema["x-muster-pointer"] = True
            elif self._always_written(go_field, schema):
                schema["x-muster-always"] = True
        return inlined


    def _always_written(self, go_field, schema):
        """True where Go writes the field even when it is zero: `ready: false`, `resources: {}`, and
        null for a time or a list. omitempty has no effect on a struct, and a time is one."""
        if go_field.omit_zero:
            return False
        is_struct = "properties" in self.schemas.get(schema.get("$ref"), {})
        is_time = schema.get("format") in ("date-time", "micro-time")
        return is_struct or is_time or not go_field.omit_empty


GO_WORDS = ("string", "bool", "int32", "int64", "float64", "byte")
# Types with a decoder of their own, which does not speak of them.
GO_DECODERS = ("Time", "MicroTime", "Duration", "IntOrString", "Quantity", "FieldsV1")


def add_go_type(go_type, schema):
    """Notes a named Go type where the JSON type does not tell it: `v1.Protocol` is a string. Go's
    decoder names it when a value has the wrong type."""
    go_type = go_type.lstrip("*")
    if go_type.startswith("[]"):
        if "items" in schema:
            add_go_type(go_type[2:], schema["items"])
        return
    name = go_type.split(".")[-1]
    is_plain = name in GO_WORDS or name in GO_DECODERS or go_type.startswith("map[")
    if is_plain or "$ref" in schema:
        return
    alias = go_type.split(".")[0] if "." in go_type else "v1"
    package = "v1" if alias.endswith("v1") else alias      # corev1, metav1: imported as such
    schema["x-muster-go-type"] = f"{package}.{name}"


def convert_value(node):
    """The schema of a property, an item or a map value."""
    reference = node.get("$ref")
    if "allOf" in node:
        reference = node["allOf"][0]["$ref"]
    if reference:
        name = short_name(reference.split("/")[-1])
        result = dict(LEAVES.get(name, {"$ref": name}))
    else:
        result = {}
    result |= {key: node[key] for key in COPIED_KEYS if key in node}
    if node.get("default") and not reference:
        result["default"] = node["default"]       # {}, "" and 0 are no defaults of the server
    if "items" in node:
        result["items"] = convert_value(node["items"])
    if isinstance(node.get("additionalProperties"), dict):
        result["additionalProperties"] = convert_value(node["additionalProperties"])
    return result
