// Verbs on tables: what `kubectl get` shows.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "base/timestamp.h"
#include "objects/admit.h"
#include "objects/builder.h"
#include "objects/kind_registry.h"
#include "server/table.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

const objects::KindRegistry& registry() {
  static const objects::KindRegistry all = objects::KindRegistry::built_in().must();
  return all;
}

// given: objects of one kind; now: the time. expect: the names of the columns, those of `-o wide`
// in brackets, and the cells of each row. Where `row` is asked for, the whole first row instead.
Result<Value> table(const Value& scenario) {
  const View given = scenario["given"];
  const View first = given[std::size_t{0}];
  const std::string_view api_version = first["apiVersion"].string_or("");
  const std::size_t slash = api_version.find('/');
  const bool is_core = slash == std::string_view::npos;
  const auto kind =
      registry().find(is_core ? "" : api_version.substr(0, slash), first["kind"].string_or(""));
  const objects::KindVersion* version =
      kind ? kind->version(is_core ? api_version : api_version.substr(slash + 1)) : nullptr;
  if (version == nullptr) return Error{ErrorCode::not_found, "no such kind"};
  const Timestamp now = TRY(parse_time(scenario["now"].string_or("")));
  server::TableOptions options;
  options.now = now.saturated_instant();
  options.include = server::parse_include_object(scenario["include"].string_or("None"))
                        .value_or(server::IncludeObject::none);
  const server::TablePrinter printer(*kind, *version);
  const Value list = Value::object({{"items", scenario.part(given)}});
  const Value made = printer.list(list, options);
  if (scenario["row"].boolean_or(false)) return made.part(made["rows"][std::size_t{0}]);
  Builder builder;
  builder.retain(made);
  std::vector<Node> columns;
  for (View column : made["columnDefinitions"].elements()) {
    const std::string name(column["name"].string_or(""));
    columns.push_back(builder.text(column["priority"].integer_or(0) > 0 ? "(" + name + ")" : name));
  }
  std::vector<Node> rows;
  for (View row : made["rows"].elements()) rows.push_back(row["cells"].node());
  const Node::Member members[] = {{Builder::literal("columns"), builder.array(columns)},
                                  {Builder::literal("rows"), builder.array(rows)}};
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

constexpr NamedVerb verbs[] = {{"table", table}};

}  // namespace

std::span<const NamedVerb> table_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
