// Check: hand-written validation of native types that no schema key can say, by the names that
// x-muster-check gives them in api/. A check sees one object (and, on update, the old one), and
// adds errors at paths below it, in the words of kube-apiserver.
//
//   void check_role_ref(CheckScope& scope) {
//     if (scope["name"].string_or("").empty()) scope.required(".name");
//   }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "objects/field_error.h"
#include "objects/schema/formats.h"
#include "objects/value.h"

namespace muster::objects {

class CheckScope {
 public:
  CheckScope(View value, View old_value, View root, const PathFrame& path, FieldErrors& errors)
      : value_(value), old_value_(old_value), root_(root), path_(path), errors_(errors) {}

  View value() const { return value_; }
  View old_value() const { return old_value_; }  // absent on create
  View root() const { return root_; }
  bool is_create() const { return old_value_.is_absent(); }
  View operator[](std::string_view key) const { return value_[key]; }
  std::string_view text(std::string_view key) const { return value_[key].string_or(""); }

  // The place is written as it follows this object's path: `.name`, `.data[tls.crt]`, `[0].kind`.
  void required(std::string_view place, std::string detail = {});
  void invalid(std::string_view place, View bad, std::string detail);
  void invalid(std::string_view place, std::string_view bad_text, std::string detail);
  // With a value as it is printed.
  void invalid_printed(std::string_view place, std::string printed, std::string detail);
  void forbidden(std::string_view place, std::string detail);
  void not_supported(std::string_view place, std::string_view bad,
                     std::initializer_list<std::string_view> supported);
  void duplicate(std::string_view place, View bad);
  void too_long(std::string_view place, std::size_t bytes_max);
  // One error per sentence of the format.
  void format(std::string_view place, std::string_view text, Format format);
  void add(FieldError error);
  // About what has changed: told after all that is wrong with what is there.
  void add_change(FieldError error);

  // `spec` and `.name` make `spec.name`.
  std::string at(std::string_view place) const;

 private:
  View value_;
  View old_value_;
  View root_;
  const PathFrame& path_;
  FieldErrors& errors_;
};

using Check = void (*)(CheckScope& scope);

// Null where there is none of that name.
Check find_check(std::string_view name);

struct NamedCheck {
  std::string_view name;
  Check check;
};

// The tables by topic (checks_<topic>.cc).
std::span<const NamedCheck> access_checks();
std::span<const NamedCheck> api_service_checks();
std::span<const NamedCheck> autoscaler_checks();
std::span<const NamedCheck> device_checks();
std::span<const NamedCheck> device_slice_checks();
std::span<const NamedCheck> flow_checks();
std::span<const NamedCheck> ingress_checks();
std::span<const NamedCheck> job_checks();
std::span<const NamedCheck> network_checks();
std::span<const NamedCheck> placement_checks();
std::span<const NamedCheck> pod_checks();
std::span<const NamedCheck> quota_checks();
std::span<const NamedCheck> storage_checks();
std::span<const NamedCheck> volume_checks();
std::span<const NamedCheck> workload_checks();

}  // namespace muster::objects
