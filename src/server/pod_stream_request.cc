// SPDX-License-Identifier: Apache-2.0
#include "server/pod_stream_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "server/limits.h"
#include "server/pod_container.h"
#include "server/port_forward.h"
#include "server/read.h"
#include "server/remote_command.h"
#include "server/spdy_command.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Value;

namespace {

constexpr std::string_view spdy_protocol = "SPDY/3.1+portforward.k8s.io";
constexpr std::string_view channel_protocol = "v4.channel.k8s.io";
constexpr std::string_view forward_protocol = "portforward.k8s.io";

bool offers(const std::vector<std::string>& protocols, const std::string& protocol) {
  return std::find(protocols.begin(), protocols.end(), protocol) != protocols.end();
}

bool is_plain_spdy(const std::vector<std::string>& protocols) {
  return !protocols.empty() && protocols.front().starts_with(plain_spdy);
}

Failure no_protocol(std::vector<std::string> offered) {
  std::string_view spoken = "v5.channel.k8s.io v4.channel.k8s.io";
  if (is_plain_spdy(offered)) {
    spoken = "v4.channel.k8s.io";
    for (std::string& each : offered) each.erase(0, plain_spdy.size());
  }
  return Error::bad_request(
      fmt::format("unable to upgrade: unable to negotiate protocol: client supports [{}], server "
                  "accepts [{}]",
                  fmt::join(offered, " "), spoken));
}

Outcome<> check_running(const Value& pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  if (phase != "Succeeded" && phase != "Failed") return {};
  return Error::bad_request(
      fmt::format("cannot exec into a container in a completed pod; current phase is {}", phase));
}

struct CommandOptions {
  bool has_input = false;
  bool has_terminal = false;
  RemoteCommandOptions shown = {};
};

Outcome<CommandOptions> read_options(const Query& query) {
  CommandOptions options;
  options.has_input = query.boolean("stdin").value_or(false);
  options.has_terminal = query.boolean("tty").value_or(false);
  options.shown.has_output = query.boolean("stdout").value_or(false);
  options.shown.has_error = query.boolean("stderr").value_or(false) && !options.has_terminal;
  if (!options.has_input && !options.shown.has_output && !options.shown.has_error) {
    return Error::bad_request("you must specify at least one of stdin, stdout, stderr");
  }
  for (const std::string_view word : query.all("command")) {
    options.shown.command.emplace_back(word);
  }
  if (options.shown.command.size() > command_words_max) {
    return Error::bad_request("the command has too many words");
  }
  return options;
}

// A pod, and what is wanted of it.
struct Wish {
  const Value& pod;
  const Target& target;
  const Query& query;
  std::string container = {};  // of a command
  const std::optional<std::vector<std::string>>& protocols;
};

Outcome<Upgrade> open_command(Context& context, const Wish& wish) {
  CommandOptions options = ALLOWED(read_options(wish.query));
  const bool is_exec = wish.target.subresource == "exec";
  if (is_exec && options.shown.command.empty()) {
    return Error::bad_request("you must specify at least 1 command for the container");
  }
  const bool is_spdy = is_plain_spdy(*wish.protocols);
  const std::string spdy_command = std::string(plain_spdy) + std::string(channel_protocol);
  std::string protocol = !is_spdy ? choose_command_protocol(*wish.protocols)
                         : offers(*wish.protocols, spdy_command) ? spdy_command
                                                                 : std::string();
  if (protocol.empty()) return no_protocol(*wish.protocols);
  const std::string uid(objects::uid_of(wish.pod));
  auto stream = is_exec ? TRY(context.streams->exec({.pod_uid = uid,
                                                     .container = wish.container,
                                                     .command = options.shown.command,
                                                     .has_input = options.has_input,
                                                     .has_terminal = options.has_terminal}))
                        : TRY(context.streams->attach(uid, wish.container));
  if (is_spdy) {
    return Upgrade{std::move(protocol), std::make_unique<SpdyCommand>(
                                            std::move(stream), std::move(options.shown),
                                            SpdyCommand::Expected{.input = options.has_input,
                                                                  .resize = options.has_terminal})};
  }
  return Upgrade{std::move(protocol),
                 std::make_unique<RemoteCommand>(std::move(stream), std::move(options.shown))};
}

Outcome<std::vector<std::uint16_t>> read_ports(const Query& query) {
  std::vector<std::uint16_t> ports;
  for (const std::string_view list : query.all("ports")) {
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      const std::string_view text = list.substr(begin, end - begin);
      std::uint16_t port = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
      if (read.ec != std::errc() || read.ptr != text.data() + text.size() || port == 0) {
        return Error::bad_request(fmt::format("\"{}\" is no port", text));
      }
      ports.push_back(port);
      begin = end + 1;
    }
  }
  if (ports.empty()) return Error::bad_request("query parameter \"ports\" is required");
  if (ports.size() > forwarded_ports_max) return Error::bad_request("too many ports");
  return ports;
}

Outcome<Upgrade> open_forward(Context& context, const Wish& wish) {
  const Value& pod = wish.pod;
  const std::vector<std::string>& protocols = *wish.protocols;
  ConnectRequest request{.pod_uid = std::string(objects::uid_of(pod)),
                         .container = {},
                         .address = std::string(pod["status"]["podIP"].string_or(""))};
  for (const objects::View status : pod["status"]["containerStatuses"].elements()) {
    if (status["state"]["running"]) request.container = status["name"].string_or("");
  }
  ConnectToPort connect = [streams = context.streams, request](std::uint16_t port) mutable {
    request.port = port;
    return streams->connect(request);
  };
  for (const std::string& protocol :
       {std::string(spdy_protocol), std::string(plain_spdy) + std::string(forward_protocol)}) {
    if (!offers(protocols, protocol)) continue;
    return Upgrade{protocol, make_spdy_forward(context.house, std::move(connect))};
  }
  if (!offers(protocols, std::string(channel_protocol))) return no_protocol(protocols);
  const auto ports = ALLOWED(read_ports(wish.query));
  return Upgrade{std::string(channel_protocol),
                 make_channel_forward(context.house, std::move(connect), ports)};
}

}  // namespace

bool is_pod_stream(const Target& target) {
  return target.is("", "pods") && (target.subresource == "exec" || target.subresource == "attach" ||
                                   target.subresource == "portforward");
}

Value pod_stream_options(const Target& target, const Query& query) {
  const bool is_forward = target.subresource == "portforward";
  Builder builder;
  std::vector<Node::Member> members = {
      {Builder::literal("kind"),
       Builder::literal(is_forward                     ? "PodPortForwardOptions"
                        : target.subresource == "exec" ? "PodExecOptions"
                                                       : "PodAttachOptions")},
      {Builder::literal("apiVersion"), Builder::literal("v1")}};
  for (const std::string_view name : {"stdin", "stdout", "stderr", "tty"}) {
    if (query.boolean(name).value_or(false)) {
      members.push_back({Builder::literal(name), Builder::boolean(true)});
    }
  }
  if (const auto container = query.find("container")) {
    members.push_back({Builder::literal("container"), builder.text(*container)});
  }
  std::vector<Node> words;
  for (const std::string_view word : query.all("command")) words.push_back(builder.text(word));
  if (!words.empty()) members.push_back({Builder::literal("command"), builder.array(words)});
  const Node node = builder.object(members);
  return std::move(builder).finish(node);
}

Outcome<Upgrade> open_pod_stream(Context& context, const Target& target, const Query& query,
                                 const std::optional<std::vector<std::string>>& protocols) {
  const Item item = ALLOWED(get(context, {.kind = target.kind,
                                          .version = target.version,
                                          .name_space = target.name_space,
                                          .name = target.name}));
  const Value pod = context.trees.tree_of(item.bytes);
  const bool is_forward = target.subresource == "portforward";
  Wish wish{.pod = pod, .target = target, .query = query, .protocols = protocols};
  if (!is_forward) {
    wish.container = ALLOWED(container_of(pod, query.text_or_empty("container")));
  }
  if (pod["spec"]["nodeName"].string_or("").empty()) {
    return Error::bad_request(fmt::format("pod {} does not have a host assigned", target.name));
  }
  ALLOWED(check_running(pod));
  if (!protocols) return Error::bad_request("Upgrade request required");
  if (context.streams == nullptr) {
    return Error{ErrorCode::unavailable, "no node of this server runs pods"};
  }
  return is_forward ? open_forward(context, wish) : open_command(context, wish);
}

}  // namespace muster::server
