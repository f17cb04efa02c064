// FieldError: one thing wrong with one field of an object, in the words of a Kubernetes Status.
// FieldErrors collects them up to field_errors_max. PathFrame is the place a walk has reached: a
// chain on the stack that costs nothing until an error makes it a string.
//
//   errors.add(FieldError::required(path.to_string()));
//   errors.message("Pod", "x");   // Pod "x" is invalid: spec.containers: Required value
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/limits.h"
#include "objects/value.h"

namespace muster::objects {

// Go's %q, which is how every message quotes a string.
std::string go_quoted(std::string_view text);

// A bad value as messages show it: strings quoted, numbers plain, the rest as Go's JSON (keys
// sorted, <, > and & escaped).
std::string go_printed(View value);

// A value as Go's JSON, which shows maps by key and structs in the order of their fields.
enum class MemberOrder : std::uint8_t { sorted, as_is };
std::string go_json(View value, MemberOrder order);

// A bound of whole numbers inside a sentence: 2147483647, without an exponent.
std::string bound_text(double bound);

struct PathFrame {
  enum class Step : std::uint8_t {
    root,
    field,    // .name
    map_key,  // [name]
    element,  // [3]
  };

  const PathFrame* parent = nullptr;
  std::string_view name = {};
  std::size_t index = 0;
  Step step = Step::root;

  PathFrame field(std::string_view key) const { return {this, key, 0, Step::field}; }
  PathFrame map_key(std::string_view key) const { return {this, key, 0, Step::map_key}; }
  PathFrame element(std::size_t at) const { return {this, {}, at, Step::element}; }

  // `spec.containers[0].image`; empty at the root.
  std::string to_string() const;

  // The same with `.key` where the path has `[key]`: how CRD validation names a map's values.
  std::string to_dotted_string() const;
};

struct FieldError {
  enum class Type : std::uint8_t {
    required,
    duplicate,
    invalid,
    type_invalid,
    not_supported,
    forbidden,
    too_long,
    too_many,
    too_few,
    not_found,
    internal,
  };

  Type type = Type::invalid;
  std::string path;   // empty prints as <nil>
  std::string value;  // as printed; empty where it is not shown
  std::string detail;
  std::uint8_t pass = 0;  // how late the peer says it (schema/error_order.h)
  bool late = false;      // said after all else of the struct around it

  static FieldError required(std::string path, std::string detail = {});
  static FieldError invalid(std::string path, View value, std::string detail);
  static FieldError type_invalid(std::string path, View value, std::string detail);
  static FieldError duplicate(std::string path, View value);
  static FieldError not_supported(std::string path, View value,
                                  std::span<const std::string> supported);
  static FieldError forbidden(std::string path, std::string detail);
  static FieldError too_long(std::string path, std::size_t bytes_max);
  static FieldError too_many(std::string path, std::size_t count, std::size_t count_max);
  static FieldError not_found(std::string path, View value);
  static FieldError internal(std::string path, std::string detail);

  // `Invalid value: "P_": must …`, which is a cause's message.
  std::string body() const;

  // `metadata.name: Invalid value: …`
  std::string to_string() const;

  // A cause's reason, such as FieldValueInvalid.
  std::string_view reason() const;

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

class FieldErrors {
 public:
  // Beyond field_errors_max an error is counted but not kept.
  void add(FieldError error);
  void add_all(FieldErrors errors);
  std::vector<FieldError> take() && { return std::move(errors_); }
  // Forgets all but the first ones.
  void truncate(std::size_t count);

  bool empty() const { return errors_.empty(); }
  std::size_t size() const { return errors_.size(); }
  bool is_full() const { return errors_.size() >= field_errors_max; }
  const FieldError& operator[](std::size_t index) const { return errors_[index]; }
  auto begin() const { return errors_.begin(); }
  auto end() const { return errors_.end(); }

  // One error bare, several as `[a, b]`, each text once.
  std::string to_string() const;

  // `Pod "x" is invalid: …`; the kind is `ClusterQueue.kueue.x-k8s.io` for grouped kinds.
  std::string message(std::string_view kind, std::string_view name) const;

  // Status.details.causes: [{reason, message, field}, …]
  Value causes() const;

 private:
  std::vector<FieldError> errors_;
};

}  // namespace muster::objects
