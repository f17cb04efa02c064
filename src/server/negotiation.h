// Negotiation: in which form a client wants its answer, and in which form its body comes.
//
//   const Accepted accepted = accepted_form(request.accept, Answerable::objects);
//   if (!accepted.form) return failures::not_acceptable();
//   if (is_table(accepted.form->shape)) …
//   auto body = body_form(request.content_type);
//
// Assumes: clauses are tried in the order of their q values, then of the text, as kube-apiserver
// does; the first that can be met wins. Protobuf and CBOR are never answered, so a client that
// names JSON or */* beside them gets JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::server {

enum class Encoding : std::uint8_t { json, yaml };

enum class Shape : std::uint8_t {
  plain,     // the object or the list itself
  table_v1,  // meta.k8s.io Table
  table_v1beta1,
  partial_metadata,  // PartialObjectMetadata, or its list
  partial_metadata_v1beta1,
  discovery_v2,  // apidiscovery.k8s.io APIGroupDiscoveryList
  discovery_v2beta1,
};

inline bool is_table(Shape shape) {
  return shape == Shape::table_v1 || shape == Shape::table_v1beta1;
}
inline bool is_partial_metadata(Shape shape) {
  return shape == Shape::partial_metadata || shape == Shape::partial_metadata_v1beta1;
}

struct Form {
  Encoding encoding = Encoding::json;
  Shape shape = Shape::plain;
  bool of_one = false;   // the metadata of one object was asked for
  bool of_many = false;  // or of a list

  friend bool operator==(const Form&, const Form&) = default;
};

// What a path can answer with.
enum class Answerable : std::uint8_t {
  objects,    // one object, or a Status: PartialObjectMetadata in the singular
  lists,      // PartialObjectMetadata in the plural
  watches,    // whose events show one object each: both names are understood
  discovery,  // /api and /apis
  plain,      // everything else
};

// Nothing where no clause can be met; `form_unknown` tells which of the two sentences applies
// (failures::not_acceptable, failures::not_acceptable_form).
struct Accepted {
  std::optional<Form> form;
  bool form_unknown = false;
};
Accepted accepted_form(std::string_view accept, Answerable answerable);

// As kube-apiserver: asked for by `?pretty=`, otherwise for people with curl and browsers.
bool wants_pretty(std::string_view pretty_parameter, std::string_view user_agent);

// The content type of an answer, such as `application/json`.
std::string_view content_type_of(const Form& form);

enum class BodyForm : std::uint8_t { json, yaml, protobuf };

// An absent content type is JSON. Nothing: failures::unsupported_body.
std::optional<BodyForm> body_form(std::string_view content_type);

enum class PatchForm : std::uint8_t { json, merge, strategic_merge, apply };

// Nothing: failures::unsupported_patch.
std::optional<PatchForm> patch_form(std::string_view content_type);

// A boolean of a query, as Go reads it: 1 t T true TRUE True, and their opposites.
std::optional<bool> parse_query_boolean(std::string_view text);

}  // namespace muster::server
