// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "objects/apply/apply.h"
#include "objects/apply/compare.h"
#include "objects/json.h"
#include "objects/kind_registry.h"
#include "tests/suites/arbitrary_value.h"

namespace muster::objects {
namespace {

// A kind with every topology there is.
const Kind& gear() {
  static const std::shared_ptr<const Kind> kind = [] {
    KindRegistry registry = KindRegistry::built_in().must();
    const FieldErrors errors = registry.add(parse_json(R"({
      "apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"gears.t.dev"},"spec":{"group":"t.dev","scope":"Namespaced",
      "names":{"kind":"Gear","plural":"gears","singular":"gear","listKind":"GearList"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
      "type":"object","properties":{"spec":{"type":"object","properties":{
        "list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
          "items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},
          "size":{"type":"integer"}}}},
        "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
        "plain":{"type":"array","items":{"type":"string"}},
        "whole":{"type":"object","x-kubernetes-map-type":"atomic",
                 "additionalProperties":{"type":"string"}},
        "map":{"type":"object","additionalProperties":{"type":"string"}},
        "size":{"type":"integer"}}}}}}}]}})")
                                                .must());
    EXPECT_TRUE(errors.empty()) << errors.to_string();
    return registry.find("t.dev", "Gear");
  }();
  return *kind;
}

// Some of four words, in one of four orders.
std::vector<std::string> words_of(int drawn) {
  static const std::vector<std::string> all = {"a", "b", "c", "d"};
  std::vector<std::string> out;
  const std::size_t first = static_cast<std::size_t>(drawn / 16) % 4;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t at = (first + i) % 4;
    if ((drawn >> at & 1) != 0) out.push_back(all[at]);
  }
  return out;
}

rc::Gen<Value> words() {
  return rc::gen::map(rc::gen::inRange(0, 64), [](int drawn) {
    std::vector<Value> out;
    for (const std::string& each : words_of(drawn)) out.push_back(Value::string(each));
    return array_of(out);
  });
}

rc::Gen<Value> word_map() {
  return rc::gen::map(rc::gen::inRange(0, 128), [](int drawn) {
    std::vector<std::pair<std::string, Value>> out;
    for (const std::string& key : words_of(drawn)) {
      out.emplace_back(key, Value::string(drawn < 64 ? "x" : "y"));
    }
    return object_of(out);
  });
}

rc::Gen<Value> keyed_list() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0, 64), rc::gen::inRange(0, 16)),
      [](const std::pair<int, int>& drawn) {
        std::vector<Value> out;
        int bits = drawn.second;
        for (const std::string& name : words_of(drawn.first)) {
          const Value text = Value::string(name);
          out.push_back(bits % 2 == 0
                            ? Value::object({{"name", text}})
                            : Value::object({{"name", text}, {"size", Value::integer(bits)}}));
          bits /= 2;
        }
        return array_of(out);
      });
}

// A configuration with some of the fields.
rc::Gen<Value> configuration() {
  const auto drawn = rc::gen::tuple(rc::gen::inRange(0, 64), keyed_list(), words(), words(),
                                    word_map(), word_map());
  return rc::gen::map(drawn, [](const std::tuple<int, Value, Value, Value, Value, Value>& all) {
    const auto& [mask, list, set, plain, whole, map] = all;
    std::vector<std::pair<std::string, Value>> spec;
    if ((mask & 1) != 0) spec.emplace_back("list", list);
    if ((mask & 2) != 0) spec.emplace_back("set", set);
    if ((mask & 4) != 0) spec.emplace_back("plain", plain);
    if ((mask & 8) != 0) spec.emplace_back("whole", whole);
    if ((mask & 16) != 0) spec.emplace_back("map", map);
    if ((mask & 32) != 0) spec.emplace_back("size", Value::integer(mask));
    return Value::object({{"apiVersion", Value::string("t.dev/v1")},
                          {"kind", Value::string("Gear")},
                          {"metadata", Value::object({{"name", Value::string("x")}})},
                          {"spec", object_of(spec)}});
  });
}

OwnedWrite write_by(const std::string& manager, Operation operation, bool force = false) {
  OwnedWrite write;
  write.owner = {.manager = manager, .operation = operation, .api_version = "t.dev/v1"};
  write.time = "2026-01-01T00:00:00Z";
  write.schema = gear().storage_version().schema.root();
  write.force = force;
  return write;
}

Applied applied(const Value& live, const std::string& managed, const Value& configuration,
                const std::string& manager) {
  return apply_configuration(live, managed, configuration,
                             write_by(manager, Operation::apply, true))
      .must();
}

RC_GTEST_PROP(apply, twice_is_once, ()) {
  const Value first = *configuration();
  const Value second = *configuration();
  const Applied base = applied(Value(), "", first, "m1");
  const Applied once = applied(base.object, base.managed, second, "m2");
  const Applied twice = applied(once.object, once.managed, second, "m2");
  RC_ASSERT(twice.object.view() == once.object.view());
  RC_ASSERT(twice.managed == once.managed);
}

// What somebody applied is owned by that manager until another one takes or changes it.
RC_GTEST_PROP(apply, everything_that_is_applied_has_its_owner, ()) {
  const Value first = *configuration();
  const Value second = *configuration();
  const Applied base = applied(Value(), "", first, "m1");
  const Applied next = applied(base.object, base.managed, second, "m2");
  const SchemaNode root = gear().storage_version().schema.root();
  const FieldSet claim = without_identity(claimed_fields(second, root).must());
  ManagedFields owners = ManagedFields::parse(next.managed).must();
  const ManagedEntry* own = owners.find(write_by("m2", Operation::apply).owner);
  RC_ASSERT((own == nullptr ? FieldSet() : own->fields) == claim);
  // Nobody owns what is not there.
  const FieldSet there = new_fields(next.object, root, {}).must();
  for (const ManagedEntry& entry : owners.entries()) {
    RC_ASSERT(difference(entry.fields, there).empty());
  }
}

// Whoever applies, and then applies nothing, leaves what others own as it was.
RC_GTEST_PROP(apply, dropping_everything_gives_back_what_others_own, ()) {
  const Value first = *configuration();
  const Value second = *configuration();
  const Applied base = applied(Value(), "", first, "m1");
  // An empty list that somebody adds stays, as it does in kube-apiserver, and an object that was
  // claimed because it was empty is then claimed no more.
  if (base.object["spec"].empty()) return;
  const Applied other =
      apply_configuration(base.object, base.managed, second, write_by("m2", Operation::apply))
          .must();
  if (!other.conflicts.empty()) return;
  const Value nothing =
      Value::object({{"apiVersion", Value::string("t.dev/v1")},
                     {"kind", Value::string("Gear")},
                     {"metadata", Value::object({{"name", Value::string("x")}})}});
  const Applied left = applied(other.object, other.managed, nothing, "m2");
  const SchemaNode root = gear().storage_version().schema.root();
  const FieldSet before = claimed_fields(base.object, root).must();
  const FieldSet after = claimed_fields(left.object, root).must();
  RC_ASSERT(difference(before, after).empty());
}

// The text that a create writes says what a comparison with nothing says.
RC_GTEST_PROP(new_fields, are_what_a_comparison_with_nothing_finds, ()) {
  const Value object = *configuration();
  const SchemaNode root = gear().storage_version().schema.root();
  const Comparison all = compare(Value::object({}), object, root).must();
  RC_ASSERT(new_fields(object, root, {}).must() == without_identity(all.added));
}

RC_GTEST_PROP(update, whoever_changes_owns, ()) {
  const Value first = *configuration();
  const Value second = *configuration();
  const std::string created = owners_of_new(first, write_by("u1", Operation::update)).must();
  const std::string managed =
      owners_after_update(first, second, created, write_by("u2", Operation::update)).must();
  if (created.empty()) return;
  ManagedFields owners = ManagedFields::parse(managed).must();
  const SchemaNode root = gear().storage_version().schema.root();
  const Comparison changed = compare(first, second, root).must();
  const FieldSet taken = without_identity(united(changed.added, changed.modified));
  const ManagedEntry* own = owners.find(write_by("u2", Operation::update).owner);
  RC_ASSERT((own == nullptr ? FieldSet() : own->fields) == taken);
  FieldSet all;
  for (const ManagedEntry& entry : owners.entries()) all = united(all, entry.fields);
  RC_ASSERT(all == new_fields(second, root, {}).must());
}

}  // namespace
}  // namespace muster::objects
