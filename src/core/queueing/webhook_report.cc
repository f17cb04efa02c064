// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/webhook_report.h"

#include <utility>

namespace muster::core {

using objects::FieldError;
using objects::MemberOrder;
using objects::Value;
using objects::View;

void WebhookReport::invalid(std::string path, std::string value, std::string detail) {
  errors.add({FieldError::Type::invalid, std::move(path), std::move(value), std::move(detail)});
}

std::string quoted(std::string_view text) {
  return objects::go_quoted(text);
}

std::string word(std::string_view text) {
  return objects::go_json(Value::string(text), MemberOrder::as_is);
}

bool is_set(View value) {
  return !value.is_absent() && !value.is_null();
}

Quantity amount_of(View value) {
  if (const auto whole = value.integer()) return Quantity::of(*whole);
  auto parsed = value.is_real() ? Quantity::parse_field(objects::go_json(value, MemberOrder::as_is))
                                : Quantity::parse_field(value.string_or("0"));
  return parsed ? std::move(*parsed) : Quantity();
}

void check_not_negative(View value, const std::string& path, WebhookReport& report) {
  const Quantity amount = amount_of(value);
  if (amount.sign() < 0) {
    report.invalid(path, quoted(amount.to_string()), std::string(not_negative));
  }
}

}  // namespace muster::core
