// SPDX-License-Identifier: Apache-2.0
#include "agent/gang.h"

#include <fmt/format.h>

#include <charconv>

#include "agent/downward.h"
#include "agent/limits.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

namespace words = core::words;
using objects::Value;
using objects::View;

// Who a pod is in its gang: its index where it has one.
std::string member_identity(View pod) {
  const std::string_view index =
      objects::annotations_of(pod)[words::completion_index].string_or("");
  if (index.empty()) return std::string(objects::uid_of(pod));
  return fmt::format("{}/{}", objects::controller_of(pod)["uid"].string_or(""), index);
}

bool has_place(View pod) {
  return is_received(pod) && !objects::is_being_deleted(pod);
}

// `rank-0.train.team-a.svc.cluster.local rank-0.train.team-a.svc … rank-0`
std::string names_of(View pod) {
  std::string hostname = hostname_of(pod);
  const std::string_view subdomain = pod["spec"]["subdomain"].string_or("");
  if (subdomain.empty()) return hostname;
  const std::string_view name_space = objects::namespace_of(pod);
  return fmt::format("{0}.{1}.{2}.svc.cluster.local {0}.{1}.{2}.svc {0}.{1}.{2} {0}.{1} {0}",
                     hostname, subdomain, name_space);
}

}  // namespace

std::string gang_of(View pod) {
  const View annotations = objects::annotations_of(pod);
  const std::string_view gang = annotations[words::gang].string_or("");
  if (gang.empty() || !annotations[words::gang_size]) return {};
  return fmt::format("{}/{}", objects::namespace_of(pod), gang);
}

bool is_received(View pod) {
  return !pod["spec"]["nodeName"].string_or("").empty() &&
         !objects::annotations_of(pod)[words::pod_ip].string_or("").empty();
}

std::int64_t gang_size_of(View pod) {
  const std::string_view text = objects::annotations_of(pod)[words::gang_size].string_or("");
  std::int64_t size = 1;
  std::from_chars(text.data(), text.data() + text.size(), size);
  return size;
}

bool GangIndex::apply(View before, View after) {
  if (const std::string gang = gang_of(before); !gang.empty()) {
    const auto at = gangs_.find(gang);
    if (at != gangs_.end()) {
      at->second.pods.erase(objects::key_of(before));
      const auto place = at->second.places.find(member_identity(before));
      if (has_place(before) && place != at->second.places.end() && --place->second == 0) {
        at->second.places.erase(place);
      }
      if (at->second.pods.empty()) gangs_.erase(at);
    }
  }
  const std::string gang = gang_of(after);
  if (gang.empty()) return false;
  Gang& joined = gangs_[gang];
  joined.pods.insert(objects::key_of(after));
  if (!has_place(after)) return false;
  const bool is_new = joined.places[member_identity(after)]++ == 0;
  const bool was_placed = has_place(before) && member_identity(before) == member_identity(after);
  return is_new && !was_placed && is_bound(after);
}

bool GangIndex::is_bound(View pod) const {
  const std::string gang = gang_of(pod);
  if (gang.empty()) return true;
  const auto at = gangs_.find(gang);
  const std::size_t bound = at == gangs_.end() ? 0 : at->second.places.size();
  return static_cast<std::int64_t>(bound) >= gang_size_of(pod);
}

std::vector<objects::ObjectKey> GangIndex::members_of(View pod) const {
  const auto at = gangs_.find(gang_of(pod));
  if (at == gangs_.end()) return {};
  return {at->second.pods.begin(), at->second.pods.end()};
}

std::string_view address_of(View pod) {
  const std::string_view chosen = objects::annotations_of(pod)[words::pod_ip].string_or("");
  if (!chosen.empty() && chosen != words::no_address) return chosen;
  const bool is_machines = pod["spec"]["hostNetwork"].boolean_or(false);
  return is_machines ? pod["status"]["hostIP"].string_or("") : std::string_view();
}

std::string hosts_of(View pod, std::span<const Value> members) {
  std::string hosts =
      "# Written by muster.\n"
      "127.0.0.1\tlocalhost\n"
      "::1\tlocalhost ip6-localhost ip6-loopback\n"
      "fe00::0\tip6-localnet\n"
      "fe00::0\tip6-mcastprefix\n"
      "fe00::1\tip6-allnodes\n"
      "fe00::2\tip6-allrouters\n";
  const auto add = [&hosts](View member) {
    const std::string_view address = address_of(member);
    if (!address.empty()) hosts += fmt::format("{}\t{}\n", address, names_of(member));
  };
  add(pod);
  if (members.size() <= hosts_members_max) {
    for (const Value& member : members) {
      const bool is_found = !member["spec"]["subdomain"].string_or("").empty();
      const bool is_other = objects::uid_of(member) != objects::uid_of(pod);
      if (is_found && is_other && !objects::is_being_deleted(member)) add(member);
    }
  }
  for (View alias : pod["spec"]["hostAliases"].elements()) {
    std::string names;
    for (View name : alias["hostnames"].elements()) {
      names += '\t';
      names += name.string_or("");
    }
    hosts += fmt::format("{}{}\n", alias["ip"].string_or(""), names);
  }
  return hosts;
}

}  // namespace muster::agent
