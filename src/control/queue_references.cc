// SPDX-License-Identifier: Apache-2.0
#include "control/queue_references.h"

#include "control/queue_status.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::ObjectKey;
using objects::View;

namespace {

const QueueReferences::Names no_names = {};
const QueueReferences::Keys no_keys = {};

template <class Users, class User>
void add(Users& users, std::string_view name, const User& user) {
  if (!name.empty()) users[std::string(name)].insert(user);
}

template <class Users, class User>
void take(Users& users, std::string_view name, const User& user) {
  const auto found = users.find(name);
  if (found == users.end()) return;
  found->second.erase(user);
  if (found->second.empty()) users.erase(found);
}

template <class Users, class None>
const None& of(const Users& users, std::string_view name, const None& none) {
  const auto found = users.find(name);
  return found == users.end() ? none : found->second;
}

std::string_view topology_of(View flavor) {
  return flavor["spec"]["topologyName"].string_or("");
}

std::string_view cluster_queue_of(View local_queue) {
  return local_queue["spec"]["clusterQueue"].string_or("");
}

}  // namespace

void QueueReferences::replace_cluster_queue(View before, View after) {
  const std::string name(objects::name_of(after ? after : before));
  for (const std::string_view flavor : flavors_of(before)) take(flavors_, flavor, name);
  for (const std::string_view check : checks_of(before)) take(checks_, check, name);
  for (const std::string_view flavor : flavors_of(after)) add(flavors_, flavor, name);
  for (const std::string_view check : checks_of(after)) add(checks_, check, name);
}

void QueueReferences::replace_local_queue(View before, View after) {
  const ObjectKey key = objects::key_of(after ? after : before);
  take(cluster_queues_, cluster_queue_of(before), key);
  add(cluster_queues_, cluster_queue_of(after), key);
}

void QueueReferences::replace_flavor(View before, View after) {
  const std::string name(objects::name_of(after ? after : before));
  take(topologies_, topology_of(before), name);
  add(topologies_, topology_of(after), name);
}

const QueueReferences::Names& QueueReferences::uses_of_flavor(std::string_view name) const {
  return of(flavors_, name, no_names);
}

const QueueReferences::Names& QueueReferences::uses_of_check(std::string_view name) const {
  return of(checks_, name, no_names);
}

const QueueReferences::Names& QueueReferences::uses_of_topology(std::string_view name) const {
  return of(topologies_, name, no_names);
}

const QueueReferences::Keys& QueueReferences::uses_of_cluster_queue(std::string_view name) const {
  return of(cluster_queues_, name, no_keys);
}

}  // namespace muster::control
