// SystemTimeZones: the IANA database of the machine, in /usr/share/zoneinfo (Debian: tzdata). Its
// files are small; each is read once, when somebody first asks for it.
//
//   SystemTimeZones zones;
//   zones.find("Europe/Berlin");
//
// Assumes: the house thread. A name that cannot be read is asked for anew each time: the package
// may be installed meanwhile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/time_zones.h"

namespace muster {

class SystemTimeZones final : public TimeZones {
 public:
  explicit SystemTimeZones(std::string folder = "/usr/share/zoneinfo")
      : folder_(std::move(folder)) {}

  const TimeZone* find(std::string_view name) override;

 private:
  std::string folder_;
  std::map<std::string, TimeZone, std::less<>> known_;
};

}  // namespace muster
