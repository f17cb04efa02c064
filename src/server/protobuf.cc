// SPDX-License-Identifier: Apache-2.0
#include "server/protobuf.h"

#include <fmt/format.h>

#include <vector>

#include "objects/builder.h"
#include "server/protobuf_decoder.h"
#include "server/protobuf_wire.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::SchemaNode;
using objects::Value;

namespace {

constexpr std::string_view magic{"k8s\0", 4};

constexpr ProtobufField preconditions_fields[] = {
    {.number = 1, .name = "uid", .leaf = ProtobufLeaf::text},
    {.number = 2, .name = "resourceVersion", .leaf = ProtobufLeaf::text},
};
constexpr ProtobufField delete_options_fields[] = {
    {.number = 1, .name = "gracePeriodSeconds", .leaf = ProtobufLeaf::integer},
    {.number = 2, .name = "preconditions", .fields = preconditions_fields},
    {.number = 3, .name = "orphanDependents", .leaf = ProtobufLeaf::boolean},
    {.number = 4, .name = "propagationPolicy", .leaf = ProtobufLeaf::text},
    {.number = 5, .name = "dryRun", .leaf = ProtobufLeaf::text, .repeated = true},
    {.number = 6,
     .name = "ignoreStoreReadErrorWithClusterBreakingPotential",
     .leaf = ProtobufLeaf::boolean},
};

// runtime.Unknown: what the bytes are.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;
  std::string_view content_encoding;
};

Result<Envelope> open(std::string_view body) {
  if (!body.starts_with(magic)) {
    return Error::bad_request("the body does not begin as Kubernetes' protobuf does");
  }
  Envelope envelope;
  WireReader reader(body.substr(magic.size()));
  std::string_view type_meta;
  while (const auto field = reader.next()) {
    if (field->type != WireType::bytes) continue;
    if (field->number == 1) type_meta = field->bytes;
    if (field->number == 2) envelope.raw = field->bytes;
    if (field->number == 3) envelope.content_encoding = field->bytes;
  }
  WireReader inner(type_meta);
  while (const auto field = inner.next()) {
    if (field->type != WireType::bytes) continue;
    if (field->number == 1) envelope.api_version = field->bytes;
    if (field->number == 2) envelope.kind = field->bytes;
  }
  const bool is_text = is_valid_utf8(envelope.api_version) && is_valid_utf8(envelope.kind);
  if (reader.is_malformed() || inner.is_malformed() || !is_text) return malformed_protobuf("");
  if (!envelope.content_encoding.empty()) {
    return Error{ErrorCode::unsupported_media_type,
                 "protobuf bodies with a content encoding are not understood"};
  }
  return envelope;
}

SchemaNode root_of(const objects::KindRegistry& registry, const Envelope& envelope) {
  const std::size_t slash = envelope.api_version.find('/');
  const bool is_core = slash == std::string_view::npos;
  const std::string_view group = is_core ? "" : envelope.api_version.substr(0, slash);
  const std::string_view version =
      is_core ? envelope.api_version : envelope.api_version.substr(slash + 1);
  const auto kind = registry.find(group, envelope.kind);
  if (!kind || kind->style != objects::SchemaStyle::native) return {};
  const objects::KindVersion* found = kind->version(version);
  return found == nullptr ? SchemaNode() : found->schema.root();
}

Result<std::vector<Node::Member>> decode_kind(const Envelope& envelope,
                                              const objects::KindRegistry& registry,
                                              ProtobufDecoder& decoder) {
  if (envelope.kind == "DeleteOptions") return decoder.message(delete_options_fields, envelope.raw);
  if (envelope.kind == "Binding" && envelope.api_version == "v1") {
    const auto pods = registry.find("", "Pod");
    const auto events = registry.find("", "Event");
    if (pods && events) {
      const ProtobufField fields[] = {
          {.number = 1,
           .name = "metadata",
           .node = pods->storage_version().schema.root().field("metadata")},
          {.number = 2,
           .name = "target",
           .node = events->storage_version().schema.root().field("involvedObject")},
      };
      return decoder.message(fields, envelope.raw);
    }
  }
  const SchemaNode root = root_of(registry, envelope);
  if (root.is_none()) {
    return Error{ErrorCode::unsupported_media_type,
                 fmt::format("{} in version \"{}\" has no protobuf form here", envelope.kind,
                             envelope.api_version)};
  }
  return decoder.message(root, envelope.raw);
}

}  // namespace

Result<Value> decode_protobuf(std::string_view body, const objects::KindRegistry& registry) {
  const Envelope envelope = TRY(open(body));
  Builder builder(body.size() * 2);
  ProtobufDecoder decoder(builder);
  std::vector<Node::Member> members = TRY(decode_kind(envelope, registry, decoder));
  const Node::Member type[] = {
      {Builder::literal("kind"), builder.text(envelope.kind)},
      {Builder::literal("apiVersion"), builder.text(envelope.api_version)}};
  members.insert(members.begin(), std::begin(type), std::end(type));
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

}  // namespace muster::server
