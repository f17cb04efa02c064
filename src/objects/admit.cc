// SPDX-License-Identifier: Apache-2.0
#include "objects/admit_patched.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "objects/complaint_order.h"
#include "objects/schema/metadata.h"
#include "objects/schema/normalizer.h"
#include "objects/schema/rules.h"
#include "objects/schema/tables.h"
#include "objects/schema/validator.h"

namespace muster::objects {

namespace {

struct Normalized {
  Value object;
  NormalizeReport report;
};

Normalized normalize(const Schema& schema, const Value& object, Normalizer::Defaults defaults) {
  Normalized result;
  const PathFrame root;
  Normalizer normalizer(*schema.tables(), result.report, defaults);
  result.object = normalizer.run(schema.root().index(), object, root);
  return result;
}

// The complaints about fields that the schema does not have, or that the text had twice. Go's
// decoder tells both as it meets them; apiextensions and the converter of trees read the whole text
// first, and then tell what is unknown, sorted.
std::vector<std::string> complaints(const Schema& schema, View object, NormalizeReport& report,
                                    std::span<const std::string> duplicate_fields,
                                    const PatchOrigin& origin) {
  std::vector<std::string> all(origin.complaints.begin(), origin.complaints.end());
  const auto tell = [&](std::span<const std::string> unknown, std::span<const std::string> twice) {
    for (const Complaint& each : in_text_order(object, unknown, twice)) {
      all.push_back(fmt::format("{} field {}", each.is_duplicate ? "duplicate" : "unknown",
                                go_quoted(each.path)));
    }
  };
  if (schema.root().style() == SchemaStyle::custom || origin.is_strategic) {
    tell({}, duplicate_fields);
    std::sort(report.unknown_fields.begin(), report.unknown_fields.end());
    for (const std::string& path : report.unknown_fields) {
      all.push_back(fmt::format("unknown field {}", go_quoted(path)));
    }
  } else {
    tell(report.unknown_fields, duplicate_fields);
  }
  return all;
}

Result<std::vector<std::string>> judge(const Schema& schema, View object, NormalizeReport& report,
                                       FieldValidation field_validation,
                                       std::span<const std::string> duplicate_fields,
                                       const PatchOrigin& origin = {}) {
  if (!report.type_error.empty()) {
    return Error::bad_request(origin.is_strategic ? std::move(report.conversion_error)
                                                  : std::move(report.type_error));
  }
  if (field_validation == FieldValidation::ignore) return std::vector<std::string>{};
  std::vector<std::string> all = complaints(schema, object, report, duplicate_fields, origin);
  if (field_validation == FieldValidation::strict && !all.empty()) {
    return Error::bad_request(fmt::format("strict decoding error: {}", fmt::join(all, ", ")));
  }
  return all;
}

Format name_format_of(const NodeRecord& root) {
  return root.name_format == Format::none ? Format::dns_subdomain : root.name_format;
}

// After one of these an expression may meet values of a type it was not written for.
bool stops_rules(const FieldErrors& errors) {
  return std::any_of(errors.begin(), errors.end(), [](const FieldError& error) {
    return error.type == FieldError::Type::not_supported ||
           error.type == FieldError::Type::required || error.type == FieldError::Type::too_long ||
           error.type == FieldError::Type::too_many || error.type == FieldError::Type::type_invalid;
  });
}

}  // namespace

Result<Decoded> decode(const Schema& schema, const Value& object, FieldValidation field_validation,
                       std::span<const std::string> duplicate_fields) {
  Normalized normalized = normalize(schema, object, Normalizer::Defaults::leave);
  auto warnings = TRY(judge(schema, object, normalized.report, field_validation, duplicate_fields));
  return Decoded{std::move(normalized.object), std::move(warnings)};
}

Value apply_defaults(const Schema& schema, const Value& object) {
  return normalize(schema, object, Normalizer::Defaults::fill).object;
}

Value apply_defaults_keeping_nulls(const Schema& schema, const Value& object) {
  return normalize(schema, object, Normalizer::Defaults::fill_keeping_nulls).object;
}

FieldErrors validate(const Schema& schema, View object, View old_object, Scope scope) {
  const SchemaTables& tables = *schema.tables();
  const std::uint32_t root = schema.root().index();
  const NodeRecord& node = tables.node(root);
  FieldErrors errors;
  check_metadata(object["metadata"], {scope, name_format_of(node), node.style}, errors);
  if (old_object) check_metadata_update(object["metadata"], old_object["metadata"], errors);
  const PathFrame path;
  Validator(tables, errors, object, old_object).check(root, object, old_object, path);
  if (!node.has_rules || node.style == SchemaStyle::native) return errors;
  if (stops_rules(errors)) {
    errors.add(FieldError::invalid(
        {}, Value::null(),
        "some validation rules were not checked because the object was invalid; correct the "
        "existing errors to complete validation"));
    return errors;
  }
  check_rules(tables, root, object, old_object, errors);
  return errors;
}

FieldErrors check_values(const Schema& schema, View object) {
  FieldErrors errors;
  const PathFrame path;
  Validator(*schema.tables(), errors, object, {}).check(schema.root().index(), object, {}, path);
  return errors;
}

FieldErrors check_expressions(const Schema& schema, View object, View old_object) {
  FieldErrors errors;
  check_rules(*schema.tables(), schema.root().index(), object, old_object, errors,
              Ratcheting::everything_counts);
  return errors;
}

Result<Admitted> admit(const Schema& schema, const AdmitRequest& request) {
  return admit_patched(schema, request, {});
}

Result<Admitted> admit_patched(const Schema& schema, const AdmitRequest& request,
                               const PatchOrigin& origin) {
  Normalized normalized = normalize(schema, request.object, Normalizer::Defaults::fill);
  auto warnings = TRY(judge(schema, request.object, normalized.report, request.field_validation,
                            request.duplicate_fields, origin));
  FieldErrors errors = validate(schema, normalized.object, request.old_object, request.scope);
  return Admitted{std::move(normalized.object), std::move(warnings), std::move(errors)};
}

}  // namespace muster::objects
