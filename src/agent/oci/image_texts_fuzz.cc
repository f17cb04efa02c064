// Whatever an image, an archive or a vendor's specification says of itself: it is read or refused.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/oci/cdi.h"
#include "agent/oci/find_devices.h"
#include "agent/oci/image_config.h"
#include "agent/oci/image_fetch.h"
#include "agent/oci/image_name.h"
#include "agent/oci/image_users.h"
#include "agent/oci/oci_process.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::agent;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(parse_image_manifest(text));
  static_cast<void>(parse_image_config(text));
  static_cast<void>(parse_layout_index(text));
  static_cast<void>(parse_archive_tags(text));
  static_cast<void>(runc_complaint(text));
  static_cast<void>(last_complaint(text));
  static_cast<void>(driver_libraries(text));
  static_cast<void>(resolve_image_user("name:group", {}, {}, text, text));
  if (const auto name = parse_image_name(text)) {
    CHECK(parse_image_name(name->to_string()).must().to_string() == name->to_string());
  }
  if (const auto spec = parse_cdi(text)) {
    CHECK(!spec->devices.empty() && spec->kind.find('/') != std::string::npos);
  }
  return 0;
}
