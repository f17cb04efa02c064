// The maxima of this folder. Beyond each there is a typed refusal, never growth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::objects {

// One JSON or YAML document, as kube-apiserver limits a request body.
inline constexpr std::size_t document_bytes_max = std::size_t{3} * 1024 * 1024;

// Nesting of arrays and objects. Recursion over a Value is bounded by it.
inline constexpr std::size_t depth_max = 256;

// Working memory of a JSON reader that is kept for the next text: that for a text of this size.
inline constexpr std::size_t json_text_bytes_kept_max = std::size_t{128} * 1024;

// Documents in one YAML text.
inline constexpr std::size_t yaml_documents_max = 1'000'000;

// Places that a diff lists.
inline constexpr std::size_t differences_max = 1000;

// Arenas that an edited value may keep alive before it is copied into one of its own.
inline constexpr std::size_t arenas_retained_max = 8;

// Domains that a topology assignment may unpack to. A few bytes can stand for 100,000,000 of them;
// Kueue measures itself with 150,000 nodes.
inline constexpr std::size_t topology_domains_max = 250'000;

// The text of one CEL expression, and how deeply its parts may be nested: parsing, checking and
// evaluation recurse no further than that.
inline constexpr std::size_t cel_source_bytes_max = std::size_t{16} * 1024;
inline constexpr std::size_t cel_depth_max = 100;
inline constexpr std::size_t cel_mistakes_told_max = 100;
inline constexpr std::size_t cel_mistakes_bytes_max = std::size_t{64} * 1024;  // of their text

// Steps of evaluation, as kube-apiserver limits the cost of one expression and of one object.
inline constexpr std::uint64_t cel_steps_per_expression_max = 1'000'000;
inline constexpr std::uint64_t cel_steps_per_object_max = 10'000'000;

// A label or field selector: its text, its requirements, and the values of all of them together.
inline constexpr std::size_t selector_bytes_max = std::size_t{64} * 1024;
inline constexpr std::size_t selector_requirements_max = 1'000;
inline constexpr std::size_t selector_values_max = 10'000;

// A JSONPath template: its text, how deeply ranges, unions and filters nest, how many results one
// evaluation keeps, and how many values it looks at.
inline constexpr std::size_t json_path_bytes_max = std::size_t{16} * 1024;
inline constexpr std::size_t json_path_depth_max = 16;
inline constexpr std::size_t json_path_results_max = 100'000;
inline constexpr std::size_t json_path_visits_max = 2'000'000;

// Errors that validation of one object reports; the rest is not collected.
inline constexpr std::size_t field_errors_max = 1000;

// All annotations of one object, keys and values.
inline constexpr std::size_t annotation_bytes_max = std::size_t{256} * 1024;

// Unknown fields that decoding of one object names; the rest is dropped without a word.
inline constexpr std::size_t unknown_fields_max = 100;

// One version's schema of a kind: Kueue's Workload, the largest known, has 2,756 nodes.
inline constexpr std::size_t schema_nodes_max = 20'000;
inline constexpr std::size_t schema_versions_max = 100;
inline constexpr std::size_t schema_depth_max = 100;
inline constexpr std::size_t schema_fields_per_node_max = 4'000;
inline constexpr std::size_t schema_pattern_bytes_max = 4'096;
inline constexpr std::size_t schema_pattern_program_max = 65'536;  // bytes of a compiled pattern
inline constexpr std::size_t schema_rules_max = 2'000;
inline constexpr std::size_t schema_enum_values_max = 10'000;
inline constexpr std::size_t schema_default_bytes_max = std::size_t{1024} * 1024;

}  // namespace muster::objects
