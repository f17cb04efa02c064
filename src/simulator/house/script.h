// Script: everything that happens to a simulated platform from outside, as a plain list: jobs
// submitted and deleted, quota edited, crashes, machines that die, clocks that jump, and how
// unreliable the network is. A seed makes one; a shrunk one can be read, kept and run again.
//
//   Script script = make_script(17);
//   std::string text = script.to_text();        // `12345 submit namespace=team-a name=job-3 …`
//   Script again = TRY(Script::parse(text));
//
// Assumes: names and values hold no spaces. Lines at 0 are the stage: queues, flavors, machines;
// shrinking leaves them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::simulator {

struct Line {
  std::int64_t at_milliseconds = 0;
  std::string verb;
  std::map<std::string, std::string, std::less<>> arguments = {};

  // Empty and 0 where it is not there.
  const std::string& text(std::string_view name) const;
  std::int64_t number(std::string_view name) const;

  std::string to_text() const;

  friend bool operator==(const Line&, const Line&) = default;
};

struct Script {
  std::uint64_t seed = 1;   // of everything that the lines leave open
  std::vector<Line> lines;  // in the order of their times

  bool has(std::string_view verb) const;

  std::string to_text() const;
  static Result<Script> parse(std::string_view text);

  friend bool operator==(const Script&, const Script&) = default;
};

// When the trouble ends; from then on everything has to come right by itself.
inline constexpr std::int64_t trouble_ends_milliseconds = 1'200'000;

// At least 200 jobs, a crash and three kinds of fault within twenty minutes.
Script make_script(std::uint64_t seed);

}  // namespace muster::simulator
