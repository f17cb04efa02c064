// SPDX-License-Identifier: Apache-2.0
#include "server/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "objects/builder.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/continue_token.h"
#include "server/stored_object.h"
#include "server/write.h"

namespace muster::server {

using objects::FieldError;
using objects::FieldErrors;
using objects::FieldSelector;
using objects::LabelSelector;
using objects::SchemaStyle;
using objects::Value;

namespace {

// Which state is asked for. None: the newest.
struct At {
  store::Revision exactly = {};
  std::string after = {};  // the last item of the page before
};

// The options must fit each other.
Outcome<> check_options(const ListRequest& request) {
  FieldErrors errors;
  const std::string field = "resourceVersionMatch";
  const std::string& match = request.resource_version_match;
  if (!match.empty()) {
    if (request.resource_version.empty()) {
      errors.add(FieldError::forbidden(
          field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (!request.continue_token.empty()) {
      errors.add(FieldError::forbidden(
          field, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match != "Exact" && match != "NotOlderThan") {
      const std::string supported[] = {"Exact", "NotOlderThan", ""};
      errors.add(FieldError::not_supported(field, Value::string(match), supported));
    }
    if (match == "Exact" && request.resource_version == "0") {
      errors.add(FieldError::forbidden(
          field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    }
  }
  if (request.says_initial_events) {
    errors.add(
        FieldError::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (errors.empty()) return {};
  return failures::invalid("meta.k8s.io", "ListOptions", "", errors);
}

Outcome<At> at_token(const Context& context, const ListRequest& request) {
  ContinueToken token = TRY(read_continue_token(request.continue_token));
  if (!request.resource_version.empty() && request.resource_version != "0") {
    return Error::bad_request("specifying resource version is not allowed when using continue");
  }
  const store::Revision now = context.cache.revision();
  if (token.revision > now) {
    return failures::too_large_resource_version(token.revision.value, now.value);
  }
  return At{token.revision, std::move(token.after)};
}

Outcome<At> at_version(const Context& context, const ListRequest& request) {
  const std::string& version = request.resource_version;
  const std::string& match = request.resource_version_match;
  if (version.empty()) return At();
  const auto revision = parse_revision(version);
  if (!revision) {
    return Error::bad_request(
        fmt::format("invalid resource version: resourceVersion: Invalid value: {0}: "
                    "strconv.ParseUint: parsing {0}: invalid syntax",
                    objects::go_quoted(version)));
  }
  if (*revision > context.cache.revision()) {
    return failures::too_large_resource_version(revision->value, context.cache.revision().value);
  }
  // A page of a version that is named is a page of exactly that one.
  const bool exact = match == "Exact" || (match.empty() && request.limit > 0);
  return exact ? At{.exactly = *revision} : At();
}

// A field that cannot be selected by: the words depend on how the kind was written upstream.
Failure unknown_field(const Target& target, const SelectableFields& offered, const Error& error) {
  const std::size_t colon = error.message.rfind(": ");
  const std::string_view field =
      colon == std::string::npos ? "" : std::string_view(error.message).substr(colon + 2);
  if (target.kind->style == SchemaStyle::custom) return error;
  if (target.is("batch", "jobs")) {
    return Error::bad_request(
        fmt::format("field label {} not supported for Job", objects::go_quoted(field)));
  }
  if (offered.names().size() > 2) return error;
  return Error::bad_request(fmt::format(
      "{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
      objects::go_quoted(field)));
}

void end_page(const std::string& last, std::uint64_t remaining, bool selects_all, Snapshot& page) {
  page.continue_token = write_continue_token({page.revision, last});
  if (selects_all) page.remaining = remaining;
}

// The newest state, from the cache.
Snapshot list_now(Context& context, const ListRequest& request, const Selection& selection,
                  const At& at) {
  const Target& target = request.target;
  const bool pages = request.limit > 0 && request.resource_version != "0";
  Snapshot page{.items = {}, .revision = context.cache.revision()};
  std::string last;
  std::uint64_t remaining = 0;
  for (const auto& [key, object] : context.cache.all_in(*target.kind, target.name_space)) {
    if (!at.after.empty() && key <= at.after) continue;
    if (!context.cache.matches(object, selection.labels, selection.fields)) continue;
    if (pages && page.items.size() >= static_cast<std::size_t>(request.limit)) {
      ++remaining;
      continue;
    }
    page.items.push_back({object.bytes, object.revision});
    last = key;
  }
  if (remaining > 0) end_page(last, remaining, selection.selects_all(), page);
  return page;
}

// A state of before, from the store's history.
Outcome<Snapshot> list_past(Context& context, const ListRequest& request,
                            const Selection& selection, const At& at) {
  const Target& target = request.target;
  const std::string prefix = prefix_of(*target.kind, target.name_space);
  const std::string whole = prefix_of(*target.kind);
  std::string start = at.after.empty() ? std::string() : whole + at.after + '\0';
  Snapshot page{.items = {}, .revision = at.exactly};
  std::string last;
  std::uint64_t remaining = 0;
  while (true) {
    auto entries = context.store.list({.prefix = prefix, .at = at.exactly, .start = start});
    if (!entries && entries.error().code == ErrorCode::expired) {
      Failure expired = failures::expired(
          "The provided continue parameter is too old to display a consistent list result. You "
          "can start a new list without the continue parameter, or use the continue token in this "
          "response to retrieve the remainder of the results.");
      if (!at.after.empty()) expired.continue_token = write_continue_token({{}, at.after});
      return expired;
    }
    const store::ListPage found = TRY(std::move(entries));
    for (const store::Entry& entry : found.entries) {
      if (!selects(context, target, selection, entry.value)) continue;
      if (request.limit > 0 && page.items.size() >= static_cast<std::size_t>(request.limit)) {
        ++remaining;
        continue;
      }
      page.items.push_back({entry.value, entry.revision});
      last = std::string(entry.key.view().substr(whole.size()));
    }
    if (found.remaining == 0) break;
    start = std::string(found.entries.back().key.view()) + '\0';
  }
  if (remaining > 0) end_page(last, remaining, selection.selects_all(), page);
  return page;
}

// As items of a list of built-in kinds are.
Value without_type(const Value& object) {
  objects::Builder builder;
  builder.retain(object);
  objects::Rewrite root(object);
  root.drop("kind");
  root.drop("apiVersion");
  const objects::Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

}  // namespace

Outcome<Item> get(Context& context, const Target& target) {
  context.cache.catch_up();
  const CachedObject* found = context.cache.find(*target.kind, target.name_space, target.name);
  if (found == nullptr) return not_found(target);
  return Item{found->bytes, found->revision};
}

bool is_shown_as_stored(const Target& target, const Item& item) {
  if (!target.version->storage) return false;
  if (target.kind->is_built_in) return true;
  if (item.revision.value <= target.kind->since_revision) return false;
  const std::string beginning =
      fmt::format(R"({{"kind":"{}","apiVersion":"{}",)", target.kind->kind, target.api_version());
  return item.bytes.view().starts_with(beginning);
}

Outcome<Selection> parse_selection(const Target& target, std::string_view labels,
                                   std::string_view fields) {
  Selection selection;
  selection.labels = TRY(LabelSelector::parse(labels));
  selection.fields = TRY(FieldSelector::parse(fields));
  if (selection.fields.matches_everything()) return selection;
  const SelectableFields offered(*target.kind, *target.version);
  const auto known = selection.fields.check_supported(offered.names());
  if (!known) return unknown_field(target, offered, known.error());
  if (target.kind->stored_as == nullptr) return selection;
  selection.fields = selection.fields.renamed(
      [&](std::string_view field) { return std::string(offered.stored_name(field)); });
  return selection;
}

bool selects(Context& context, const Target& target, const Selection& selection,
             const store::Bytes& bytes) {
  if (selection.selects_all()) return true;
  const Value tree = context.trees.tree_of(bytes);
  if (!selection.labels.matches(objects::labels_of(tree))) return false;
  if (selection.fields.matches_everything()) return true;
  const SelectableFields fields(*target.kind);
  const std::vector<std::string> values = fields.read(tree);
  return selection.fields.matches_by([&](std::string_view field) -> std::string_view {
    if (field == "metadata.name") return objects::name_of(tree);
    if (field == "metadata.namespace") return objects::namespace_of(tree);
    return fields.value(values, field);
  });
}

Outcome<Snapshot> list(Context& context, const ListRequest& request) {
  context.cache.catch_up();
  ALLOWED(check_options(request));
  const Selection selection =
      ALLOWED(parse_selection(request.target, request.label_selector, request.field_selector));
  const At at = request.continue_token.empty() ? ALLOWED(at_version(context, request))
                                               : ALLOWED(at_token(context, request));
  const bool past = !at.exactly.is_none() && at.exactly != context.cache.revision();
  if (past) return list_past(context, request, selection, at);
  return list_now(context, request, selection, at);
}

bool has_bare_items(const Target& target, ItemTypes types) {
  return types == ItemTypes::as_the_peer && target.kind->style == SchemaStyle::native;
}

std::string list_head(const Target& target, const Snapshot& snapshot, ItemTypes types) {
  std::string out =
      fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{{"resourceVersion":"{}")",
                  target.kind->list_kind, target.api_version(), snapshot.revision.value);
  // In plain lists of kinds of definitions it is there also where there is no more.
  const bool always = types == ItemTypes::as_the_peer && target.kind->style == SchemaStyle::custom;
  if (always || !snapshot.continue_token.empty()) {
    out += fmt::format(R"(,"continue":"{}")", snapshot.continue_token);
  }
  if (snapshot.remaining) out += fmt::format(R"(,"remainingItemCount":{})", *snapshot.remaining);
  return out + R"(},"items":[)";
}

Outcome<std::string> list_text(Context& context, const Target& target, const Snapshot& snapshot,
                               ItemTypes types) {
  std::string out = list_head(target, snapshot, types);
  const bool bare = has_bare_items(target, types);
  bool first = true;
  for (const Item& item : snapshot.items) {
    if (!first) out += ',';
    first = false;
    const std::string_view stored =
        types == ItemTypes::without_owners ? object_text(item.bytes.view()) : item.bytes.view();
    if (!is_shown_as_stored(target, item)) {
      const Value tree = with_revision(context.trees.tree_of(item.bytes), item.revision);
      const Value item_shown =
          ALLOWED(in_version(target, with_managed(tree, managed_text(stored))));
      objects::append_json(bare ? without_type(item_shown) : item_shown, out);
    } else if (bare) {
      append_item(stored, item.revision, out);
    } else {
      append_with_revision(stored, item.revision, out);
    }
  }
  out += "]}";
  return out;
}

}  // namespace muster::server
