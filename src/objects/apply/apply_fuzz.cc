// SPDX-License-Identifier: Apache-2.0
//
// Any [live, managedFields, configuration] of a pod: an apply is refused or works, also when it is
// repeated; what it writes as managedFields can be read. An update is given owners as they are
// stored: those that a request brings are read first (server/ownership.cc).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/apply/apply.h"
#include "objects/apply/check_configuration.h"
#include "objects/json.h"
#include "objects/kind_registry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::objects;
  static const KindRegistry registry = KindRegistry::built_in().must();
  const auto input = parse_json({reinterpret_cast<const char*>(bytes), size});
  if (!input || !input->is_array() || input->view().size() != 3) return 0;
  const Value live = input->part((*input)[0]);
  const Value configuration = input->part((*input)[2]);
  if (!live.is_object() || !configuration.is_object()) return 0;
  OwnedWrite write;
  write.owner = {.manager = "m", .operation = Operation::apply, .api_version = "v1"};
  write.schema = registry.find("", "Pod")->storage_version().schema.root();
  write.force = true;
  const std::string managed = to_json((*input)[1]);
  (void)why_configuration_is_unfit(configuration, write.schema);
  const auto once = apply_configuration(live, managed, configuration, write);
  if (!once) return 0;
  CHECK(ManagedFields::parse(once->managed).has_value());
  const auto twice = apply_configuration(once->object, once->managed, configuration, write);
  CHECK(!twice || ManagedFields::parse(twice->managed).has_value());
  write.owner.operation = Operation::update;
  const auto owners = ManagedFields::parse(managed);
  const std::string stored = owners ? owners->to_json() : std::string();
  const auto updated = owners_after_update(live, configuration, stored, write);
  CHECK(!updated || ManagedFields::parse(*updated).has_value());
  return 0;
}
