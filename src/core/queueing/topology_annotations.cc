// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/topology_annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/draft.h"
#include "core/queueing/go_text.h"
#include "core/words.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "objects/schema/formats.h"

namespace muster::core {

using objects::annotations_of;
using objects::FieldError;
using objects::FieldErrors;
using objects::Value;
using objects::View;

namespace {

constexpr std::size_t layers_max = 3;
constexpr std::string_view at_least_one = "must be greater than or equal to 1";

struct Layer {
  std::string topology;
  std::int64_t size = 0;
};

// strconv.ParseInt(text, 10, 32)
std::optional<std::int64_t> small_integer(std::string_view text) {
  const auto parsed = parse_go_integer(text);
  if (!parsed || *parsed < std::numeric_limits<std::int32_t>::min() ||
      *parsed > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return *parsed;
}

Error cannot_unmarshal(std::string_view what, std::string_view type) {
  return Error::invalid(
      fmt::format("json: cannot unmarshal {} into Go value of type {}", what, type));
}

std::string_view json_word(View value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  return "number";
}

Result<Layer> layer_of(View entry) {
  constexpr std::string_view type = "v1beta2.PodsetSliceRequiredTopologyConstraint";
  if (entry.is_null()) return Layer{};
  if (!entry.is_object()) return cannot_unmarshal(json_word(entry), type);
  const View topology = entry["topology"];
  const View size = entry["size"];
  if (topology && !topology.is_null() && !topology.is_string()) {
    return cannot_unmarshal(json_word(topology), "string");
  }
  if (size && !size.is_null() && !size.is_integer()) {
    return cannot_unmarshal(json_word(size), "int32");
  }
  const std::int64_t pods = size.integer_or(0);
  if (pods != static_cast<std::int32_t>(pods)) {
    return cannot_unmarshal(fmt::format("number {}", pods), "int32");
  }
  return Layer{std::string(topology.string_or("")), pods};
}

Result<std::vector<Layer>> layers_of(View annotation) {
  const Value read = TRY(objects::parse_json(annotation.string_or("")));
  const View list = read;
  std::vector<Layer> layers;
  if (list.is_null()) return layers;
  if (!list.is_array()) {
    return cannot_unmarshal(json_word(list), "[]v1beta2.PodsetSliceRequiredTopologyConstraint");
  }
  for (const View entry : list.elements()) layers.push_back(TRY(layer_of(entry)));
  return layers;
}

bool is_layer_count(std::size_t count) {
  return count >= 1 && count <= layers_max;
}

// The annotations of one pod, and what is wrong with them.
class Check {
 public:
  Check(FieldErrors& errors, std::string_view metadata_path, View pod)
      : errors_(errors),
        annotations_(annotations_of(pod)),
        path_(fmt::format("{}.annotations", metadata_path)) {}

  void all(const FeatureGates& gates) {
    if (annotations_.empty()) return;
    one_mode();
    for (const std::string_view key :
         {words::required_topology, words::preferred_topology, words::slice_required_topology}) {
      if (has(key)) label_name(annotations_[key].string_or(""), at(key));
    }
    if (has(words::pod_set_group_name)) group();
    if (has(words::unconstrained_topology) &&
        !parse_go_boolean(text(words::unconstrained_topology))) {
      invalid(words::unconstrained_topology, "must be a boolean value");
    }
    slices();
    if (has(words::slice_topology_constraints)) layers(gates);
  }

  void sizes(std::int64_t count) {
    const auto larger = [&](std::int64_t size) { return size > count; };
    const std::string why = fmt::format("must not be greater than pod set count {}", count);
    if (has(words::slice_size) && larger(small_integer(text(words::slice_size)).value_or(0))) {
      invalid(words::slice_size, why);
    }
    if (!has(words::slice_topology_constraints)) return;
    const auto found = layers_of(annotations_[words::slice_topology_constraints]);
    if (!found || found->empty() || !larger(found->front().size)) return;
    errors_.add(FieldError::invalid(at(words::slice_topology_constraints),
                                    Value::integer(found->front().size), why));
  }

 private:
  bool has(std::string_view key) const { return annotations_[key].is_string(); }
  std::string_view text(std::string_view key) const { return annotations_[key].string_or(""); }
  std::string at(std::string_view key) const { return fmt::format("{}[{}]", path_, key); }

  void invalid(std::string_view key, std::string_view why) {
    errors_.add(FieldError::invalid(at(key), annotations_[key], std::string(why)));
  }

  void forbidden_beside(std::string_view key, std::string_view other) {
    if (!has(other)) return;
    errors_.add(FieldError::forbidden(at(key),
                                      fmt::format("may not be set when '{}' is specified", other)));
  }

  void label_name(std::string_view name, const std::string& path) {
    for (std::string& why : objects::qualified_name_violations(name)) {
      errors_.add(FieldError::invalid(path, Value::string(name), std::move(why)));
    }
  }

  void one_mode() {
    const auto modes = {words::required_topology, words::preferred_topology,
                        words::unconstrained_topology};
    if (std::count_if(modes.begin(), modes.end(), [&](std::string_view key) { return has(key); }) <
        2) {
      return;
    }
    errors_.add(FieldError::invalid(
        path_, View(),
        fmt::format("must not contain more than one topology annotation: [\"{}\", \"{}\", \"{}\"]",
                    words::required_topology, words::preferred_topology,
                    words::unconstrained_topology)));
  }

  void group() {
    constexpr std::string_view key = words::pod_set_group_name;
    const std::string_view name = text(key);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) {
      invalid(key, "must not be a number");
    }
    forbidden_beside(key, words::slice_size);
    forbidden_beside(key, words::slice_required_topology);
    if (has(words::preferred_topology) || has(words::required_topology)) return;
    errors_.add(FieldError::forbidden(
        at(key), fmt::format("may not be set when neither '{}' nor '{}' is specified",
                             words::preferred_topology, words::required_topology)));
  }

  void slices() {
    const bool has_size = has(words::slice_size);
    const bool has_level = has(words::slice_required_topology);
    if (has_size) {
      const auto size = small_integer(text(words::slice_size));
      if (!size) {
        invalid(words::slice_size, "must be a numeric value");
      } else if (*size < 1) {
        invalid(words::slice_size, at_least_one);
      }
    }
    if (has_level && !has_size) {
      errors_.add(FieldError::required(
          at(words::slice_size),
          fmt::format("must be set when '{}' is specified", words::slice_required_topology)));
    }
    if (!has_level && has_size) {
      errors_.add(FieldError::forbidden(at(words::slice_size),
                                        fmt::format("may not be set when '{}' is not specified",
                                                    words::slice_required_topology)));
    }
  }

  void layers(const FeatureGates& gates) {
    constexpr std::string_view key = words::slice_topology_constraints;
    if (!gates.enabled(Gate::tas_multi_layer_topology)) {
      errors_.add(FieldError::forbidden(
          at(key),
          "the TASMultiLayerTopology feature gate must be enabled to use this annotation"));
      return;
    }
    forbidden_beside(key, words::slice_required_topology);
    forbidden_beside(key, words::slice_size);
    if (has(words::pod_set_group_name)) forbidden_beside(words::pod_set_group_name, key);
    const auto found = layers_of(annotations_[key]);
    if (!found) {
      invalid(key, fmt::format("must be a valid JSON array: {}", found.error().message));
    } else if (!is_layer_count(found->size())) {
      invalid(key, "topology constraints must contain between 1 and 3 entries");
    } else {
      each_layer(*found);
    }
  }

  void each_layer(const std::vector<Layer>& found) {
    const auto layer_path = [&](std::size_t i, std::string_view field) {
      return fmt::format("{}[{}].{}", at(words::slice_topology_constraints), i, field);
    };
    const auto size_is = [&](std::size_t i, std::string why) {
      errors_.add(FieldError::invalid(layer_path(i, "size"), Value::integer(found[i].size),
                                      std::move(why)));
    };
    for (std::size_t i = 0; i < found.size(); ++i) {
      label_name(found[i].topology, layer_path(i, "topology"));
      if (found[i].size < 1) size_is(i, std::string(at_least_one));
    }
    for (std::size_t i = 1; i < found.size(); ++i) {
      const auto first =
          std::find_if(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i),
                       [&](const Layer& each) { return each.topology == found[i].topology; });
      if (first == found.begin() + static_cast<std::ptrdiff_t>(i)) continue;
      errors_.add(FieldError::duplicate(
          layer_path(i, "topology"),
          Value::string(
              fmt::format("{} (also at index {})", found[i].topology, first - found.begin()))));
    }
    for (std::size_t i = 1; i < found.size(); ++i) {
      const std::int64_t above = found[i - 1].size;
      if (found[i].size <= 0 || above % found[i].size == 0) continue;
      size_is(i, fmt::format("must evenly divide the parent layer size {}", above));
    }
  }

  FieldErrors& errors_;
  View annotations_;
  std::string path_;
};

void set_mode(Draft& draft, View annotations) {
  if (const auto level = annotations[words::required_topology].string()) {
    draft.set({"required"}, Value::string(*level));
  } else if (const auto preferred = annotations[words::preferred_topology].string()) {
    draft.set({"preferred"}, Value::string(*preferred));
  } else if (const auto free = annotations[words::unconstrained_topology].string()) {
    const auto parsed = parse_go_boolean(*free);
    if (parsed) draft.set({"unconstrained"}, Value::boolean(*parsed));
  }
}

void set_slices(Draft& draft, View annotations) {
  if (annotations[words::slice_topology_constraints].is_string()) {
    const auto layers = layers_of(annotations[words::slice_topology_constraints]);
    if (!layers || !is_layer_count(layers->size())) return;
    std::vector<Value> list;
    for (const Layer& layer : *layers) {
      list.push_back(Value::object(
          {{"topology", Value::string(layer.topology)}, {"size", Value::integer(layer.size)}}));
    }
    draft.set({"podsetSliceRequiredTopologyConstraints"}, list_of(list));
    return;
  }
  const auto level = annotations[words::slice_required_topology].string();
  const auto size = small_integer(annotations[words::slice_size].string_or(""));
  if (!level || !size) return;
  draft.set({"podSetSliceRequiredTopology"}, Value::string(*level));
  draft.set({"podSetSliceSize"}, Value::integer(*size));
}

}  // namespace

Value topology_request(View pod, std::string_view index_label) {
  const View annotations = annotations_of(pod);
  Draft draft(Value::object({{"podIndexLabel", Value::string(index_label)}}));
  set_mode(draft, annotations);
  set_slices(draft, annotations);
  const auto group = annotations[words::pod_set_group_name].string();
  if (group && (draft.value()["required"] || draft.value()["preferred"])) {
    draft.set({"podSetGroupName"}, Value::string(*group));
  }
  return draft.value();
}

void check_topology_annotations(FieldErrors& errors, std::string_view metadata_path, View pod,
                                const FeatureGates& gates) {
  Check(errors, metadata_path, pod).all(gates);
}

void check_slice_sizes(FieldErrors& errors, std::string_view metadata_path, View pod,
                       std::int64_t count) {
  Check(errors, metadata_path, pod).sizes(count);
}

}  // namespace muster::core
