// TimeZones: the zones that a machine knows by name. An edge: the real one reads the machine's
// database (base/os/system_time_zones.h); where there is none, only UTC is known.
//
//   const TimeZone* zone = zones.find("Europe/Berlin");     // null: nobody knows it
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/time_zone.h"

namespace muster {

class TimeZones {
 public:
  TimeZones() = default;
  virtual ~TimeZones() = default;
  TimeZones(const TimeZones&) = delete;
  TimeZones& operator=(const TimeZones&) = delete;

  // Lives as long as this.
  virtual const TimeZone* find(std::string_view name) = 0;
};

}  // namespace muster
