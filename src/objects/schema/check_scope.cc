// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "objects/schema/checks.h"
#include "objects/schema/error_order.h"

namespace muster::objects {

std::string CheckScope::at(std::string_view place) const {
  std::string path = path_.to_string();
  if (path.empty() && place.starts_with('.')) place.remove_prefix(1);
  path += place;
  return path;
}

void CheckScope::add(FieldError error) {
  errors_.add(std::move(error));
}

void CheckScope::add_change(FieldError error) {
  error.pass = error_pass_of_changes;
  add(std::move(error));
}

void CheckScope::required(std::string_view place, std::string detail) {
  errors_.add(FieldError::required(at(place), std::move(detail)));
}

void CheckScope::invalid(std::string_view place, View bad, std::string detail) {
  errors_.add(FieldError::invalid(at(place), bad, std::move(detail)));
}

void CheckScope::invalid(std::string_view place, std::string_view bad_text, std::string detail) {
  errors_.add(FieldError::invalid(at(place), Value::string(bad_text), std::move(detail)));
}

void CheckScope::invalid_printed(std::string_view place, std::string printed, std::string detail) {
  errors_.add({FieldError::Type::invalid, at(place), std::move(printed), std::move(detail)});
}

void CheckScope::forbidden(std::string_view place, std::string detail) {
  errors_.add(FieldError::forbidden(at(place), std::move(detail)));
}

void CheckScope::not_supported(std::string_view place, std::string_view bad,
                               std::initializer_list<std::string_view> supported) {
  std::vector<std::string> choices;
  for (const std::string_view choice : supported) choices.emplace_back(choice);
  errors_.add(FieldError::not_supported(at(place), Value::string(bad), choices));
}

void CheckScope::duplicate(std::string_view place, View bad) {
  errors_.add(FieldError::duplicate(at(place), bad));
}

void CheckScope::too_long(std::string_view place, std::size_t bytes_max) {
  errors_.add(FieldError::too_long(at(place), bytes_max));
}

void CheckScope::format(std::string_view place, std::string_view text, Format format) {
  for (std::string& sentence : native_violations(format, text)) {
    invalid(place, text, std::move(sentence));
  }
}

}  // namespace muster::objects
