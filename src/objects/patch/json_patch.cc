// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/json_patch.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "objects/field_error.h"
#include "objects/patch/draft.h"
#include "objects/patch/pointer.h"
#include "objects/patch/result_size.h"

namespace muster::objects {

namespace {

// One operation, with the words its errors are made of.
struct Operation {
  std::string_view name;
  std::string_view path;
  std::string_view from;
  View value;
};

std::string_view json_type_in_go(View view) {
  if (view.is_boolean()) return "bool";
  if (view.is_number()) return "number";
  return type_name(view.type());
}

Result<std::string_view> read_path(View operation, std::string_view name) {
  if (const auto path = operation["path"].string()) return *path;
  const bool terse = name == "add" || name == "remove";
  return Error::invalid(fmt::format("{} operation failed to decode path: {}missing value", name,
                                    terse ? "" : "operation missing path field: "));
}

Result<std::string_view> read_from(View operation, std::string_view name) {
  const View from = operation["from"];
  if (const auto path = from.string()) return *path;
  if (from.is_absent() || from.is_null()) {
    return Error::invalid(fmt::format(
        "{} operation failed to decode from: operation, missing from field: missing value", name));
  }
  return Error::invalid(fmt::format(
      "{} operation failed to decode from: json: cannot unmarshal {} into Go value of type string",
      name, json_type_in_go(from)));
}

Error in_operation(const Operation& operation, std::string_view what, std::string_view path,
                   Error cause) {
  cause.message =
      fmt::format("error in {} for {}: '{}': {}", operation.name, what, path, cause.message);
  return cause;
}

class JsonPatcher {
 public:
  JsonPatcher(const Value& document, const PatchLimits& limits)
      : limits_(limits), draft_(document, limits) {}

  Result<void> apply(View operation) {
    const auto name = operation["op"].string().value_or("unknown");
    if (name == "add") return add(TRY(read(operation, name)));
    if (name == "remove") return remove(TRY(read(operation, name)));
    if (name == "replace") return replace(TRY(read(operation, name)));
    if (name == "test") return test(TRY(read(operation, name)));
    if (name == "move") return move(TRY(read_with_from(operation, name)));
    if (name == "copy") return copy(TRY(read_with_from(operation, name)));
    return Error::invalid(fmt::format("Unexpected kind: {}", name));
  }

  Result<Value> finish() && { return std::move(draft_).finish(); }

 private:
  static Result<Operation> read(View operation, std::string_view name) {
    const std::string_view path = TRY(read_path(operation, name));
    return Operation{name, path, {}, operation["value"]};
  }

  // The library looks at `from` first.
  static Result<Operation> read_with_from(View operation, std::string_view name) {
    const std::string_view from = TRY(read_from(operation, name));
    const std::string_view path = TRY(read_path(operation, name));
    return Operation{name, path, from, {}};
  }

  struct Place {
    Pointer pointer;
    Draft::Container* holder = nullptr;
    std::string_view token() const { return pointer.tokens().back(); }
  };

  // Nothing for the root, for what is no pointer and where the way is missing.
  std::optional<Place> place(std::string_view path) {
    Result<Pointer> pointer = Pointer::parse(path);
    if (!pointer || pointer->is_root()) return std::nullopt;
    Draft::Container* holder = draft_.holder(*pointer);
    if (holder == nullptr) return std::nullopt;
    return Place{std::move(*pointer), holder};
  }

  Result<void> add(const Operation& operation) {
    const std::optional<Place> at = place(operation.path);
    if (!at) return missing_path(operation);
    return insert(operation, *at, draft_.bring(operation.value));
  }

  Result<void> remove(const Operation& operation) {
    const std::optional<Place> at = place(operation.path);
    if (!at) return missing_path(operation);
    const auto taken = draft_.take(*at->holder, at->token());
    if (!taken) return in_operation(operation, "path", operation.path, taken.error());
    return {};
  }

  Result<void> replace(const Operation& operation) {
    if (operation.path.empty()) {
      if (operation.value.is_array() || operation.value.is_object()) {
        return draft_.assign_root(draft_.bring(operation.value));
      }
      return Error::invalid("replace operation value must be object or array");
    }
    const std::optional<Place> at = place(operation.path);
    if (!at) {
      return Error::invalid(
          fmt::format("replace operation does not apply: doc is missing path: {}: missing value",
                      operation.path));
    }
    if (!draft_.find(*at->holder, at->token())) {
      return Error::invalid(
          fmt::format("replace operation does not apply: doc is missing key: {}: missing value",
                      operation.path));
    }
    return draft_.assign(*at->holder, at->pointer, draft_.bring(operation.value));
  }

  Result<void> test(const Operation& operation) {
    const Error failed =
        Error::invalid(fmt::format("testing value {} failed: test failed", operation.path));
    if (operation.path.empty()) {
      if (draft_.root_equals(operation.value)) return {};
      return failed;
    }
    const std::optional<Place> at = place(operation.path);
    if (!at) {
      return Error::invalid(fmt::format(
          "test operation does not apply: is missing path: {}: missing value", operation.path));
    }
    const auto found = draft_.find(*at->holder, at->token());
    if (!found) return in_operation(operation, "path", operation.path, found.error());
    if (!draft_.equals(*found, operation.value)) return failed;
    return {};
  }

  Result<void> move(const Operation& operation) {
    const std::optional<Place> source = place(operation.from);
    if (!source) return missing_from(operation);
    const auto taken = draft_.take(*source->holder, source->token());
    if (!taken) return in_operation(operation, "path", source->token(), taken.error());
    const std::optional<Place> target = place(operation.path);
    if (!target) return missing_destination(operation);
    return insert(operation, *target, *taken);
  }

  Result<void> copy(const Operation& operation) {
    const std::optional<Place> source = place(operation.from);
    if (!source) return missing_from(operation);
    const auto found = draft_.find(*source->holder, source->token());
    if (!found) return in_operation(operation, "from", operation.from, found.error());
    const Draft::Slot shared = draft_.share(*source->holder, source->token(), *found);
    const std::optional<Place> target = place(operation.path);
    if (!target) return missing_destination(operation);
    copied_bytes_ += Draft::json_bytes(shared);
    if (copied_bytes_ > limits_.copy_bytes_max) {
      return Error::too_large(fmt::format(
          "Unable to complete the copy, the accumulated size increase of copy is {}, exceeding "
          "the limit {}",
          copied_bytes_, limits_.copy_bytes_max));
    }
    return insert(operation, *target, shared);
  }

  Result<void> insert(const Operation& operation, const Place& at, const Draft::Slot& value) {
    Result<void> inserted = draft_.insert(*at.holder, at.pointer, value);
    if (inserted || inserted.error().code == ErrorCode::too_large) return inserted;
    if (operation.name != "copy") {
      return in_operation(operation, "path", operation.path, inserted.error());
    }
    return Error::invalid("error while adding value during copy: " + inserted.error().message);
  }

  static Error missing_path(const Operation& operation) {
    return Error::invalid(
        fmt::format("{} operation does not apply: doc is missing path: {}: missing value",
                    operation.name, go_quoted(operation.path)));
  }

  static Error missing_from(const Operation& operation) {
    return Error::invalid(
        fmt::format("{} operation does not apply: doc is missing from path: {}: missing value",
                    operation.name, operation.from));
  }

  static Error missing_destination(const Operation& operation) {
    return Error::invalid(fmt::format(
        "{} operation does not apply: doc is missing destination path: {}: missing value",
        operation.name, operation.path));
  }

  const PatchLimits& limits_;
  Draft draft_;
  std::size_t copied_bytes_ = 0;
};

// A patch that cannot be read, in the words of the decoder behind the real server.
Error undecodable(View found, std::string_view type) {
  return Error::bad_request(fmt::format("json: cannot unmarshal {} into Go value of type {}",
                                        json_type_in_go(found), type));
}

}  // namespace

Result<Value> apply_json_patch(const Value& document, const Value& patch,
                               const PatchLimits& limits) {
  const View operations = patch;
  if (operations.is_null()) return document;
  if (!operations.is_array()) return undecodable(operations, "jsonpatch.Patch");
  for (const View operation : operations.elements()) {
    if (operation.is_object() || operation.is_null()) continue;
    return undecodable(operation, "jsonpatch.Operation");
  }
  if (operations.size() > limits.operations_max) {
    return Error::too_large(
        fmt::format("The allowed maximum operations in a JSON patch is {}, got {}",
                    limits.operations_max, operations.size()));
  }
  JsonPatcher patcher(document, limits);
  for (const View operation : operations.elements()) TRY(patcher.apply(operation));
  return within_limits(TRY(std::move(patcher).finish()), limits);
}

}  // namespace muster::objects
