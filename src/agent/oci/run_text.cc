// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/run_text.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/checked.h"

namespace muster::agent {

namespace {

using objects::Builder;
using objects::Node;
using objects::View;

constexpr std::uint32_t mode_default = 0666;

Node texts(Builder& builder, const std::vector<std::string>& list) {
  std::vector<Node> nodes;
  nodes.reserve(list.size());
  for (const std::string& text : list) nodes.push_back(builder.text(text));
  return builder.array(nodes);
}

std::vector<std::string> texts_of(View array) {
  std::vector<std::string> list;
  for (const View text : array.elements()) list.emplace_back(text.string_or(""));
  return list;
}

std::string text_of(View object, std::string_view key) {
  return std::string(object[key].string_or(""));
}

Node named(Builder& builder, std::initializer_list<Node> keys_and_values) {
  return builder.object_of_pairs({keys_and_values.begin(), keys_and_values.size()});
}

constexpr auto key = Builder::literal;

Node device_node(Builder& builder, const DeviceNode& node) {
  return named(builder, {key("path"), builder.text(node.path),                  //
                         key("hostPath"), builder.text(node.host_path),         //
                         key("kind"), builder.text(std::string(1, node.kind)),  //
                         key("major"), Builder::integer(node.major),            //
                         key("minor"), Builder::integer(node.minor),            //
                         key("mode"), Builder::integer(node.mode),              //
                         key("user"), Builder::integer(node.user),              //
                         key("group"), Builder::integer(node.group),            //
                         key("access"), builder.text(node.access)});
}

DeviceNode device_of(View view) {
  const std::string kind = text_of(view, "kind");
  const auto small = [&](std::string_view name, std::uint32_t fallback) {
    return checked_cast<std::uint32_t>(view[name].integer_or(fallback)).value_or(fallback);
  };
  return {.path = text_of(view, "path"),
          .host_path = text_of(view, "hostPath"),
          .kind = kind.empty() ? 'c' : kind.front(),
          .major = view["major"].integer_or(0),
          .minor = view["minor"].integer_or(0),
          .mode = small("mode", mode_default),
          .user = small("user", 0),
          .group = small("group", 0),
          .access = text_of(view, "access")};
}

}  // namespace

Node image_run_node(Builder& builder, const ImageRun& run) {
  return named(builder, {key("root"), builder.text(run.root_folder),                   //
                         key("capabilities"), texts(builder, run.capabilities),        //
                         key("privileged"), Builder::boolean(run.is_privileged),       //
                         key("mayGainRights"), Builder::boolean(run.may_gain_rights),  //
                         key("filtered"), Builder::boolean(run.is_filtered),           //
                         key("cpuShares"), Builder::integer(run.cpu_shares),           //
                         key("cpuQuota"), Builder::integer(run.cpu_quota_microseconds)});
}

ImageRun image_run_of(View view) {
  return {.root_folder = text_of(view, "root"),
          .capabilities = texts_of(view["capabilities"]),
          .is_privileged = view["privileged"].boolean_or(false),
          .may_gain_rights = view["mayGainRights"].boolean_or(false),
          .is_filtered = view["filtered"].boolean_or(true),
          .cpu_shares = view["cpuShares"].integer_or(0),
          .cpu_quota_microseconds = view["cpuQuota"].integer_or(0)};
}

Node devices_node(Builder& builder, const GivenDevices& devices) {
  std::vector<Node> nodes;
  for (const DeviceNode& node : devices.nodes) nodes.push_back(device_node(builder, node));
  std::vector<Node> hooks;
  for (const DeviceHook& hook : devices.hooks) {
    hooks.push_back(named(builder, {key("stage"), builder.text(hook.stage),                //
                                    key("path"), builder.text(hook.path),                  //
                                    key("arguments"), texts(builder, hook.arguments),      //
                                    key("environment"), texts(builder, hook.environment),  //
                                    key("timeout"), Builder::integer(hook.timeout_seconds)}));
  }
  return named(builder, {key("names"), texts(builder, devices.names),  //
                         key("nodes"), builder.array(nodes),           //
                         key("hooks"), builder.array(hooks)});
}

GivenDevices devices_of(View view) {
  GivenDevices devices{.names = texts_of(view["names"])};
  for (const View node : view["nodes"].elements()) devices.nodes.push_back(device_of(node));
  for (const View hook : view["hooks"].elements()) {
    devices.hooks.push_back({.stage = text_of(hook, "stage"),
                             .path = text_of(hook, "path"),
                             .arguments = texts_of(hook["arguments"]),
                             .environment = texts_of(hook["environment"]),
                             .timeout_seconds = hook["timeout"].integer_or(0)});
  }
  return devices;
}

}  // namespace muster::agent
