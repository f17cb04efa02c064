// SPDX-License-Identifier: Apache-2.0
#include "cli/get.h"

#include <fmt/format.h>

#include <utility>

#include "cli/object_text.h"
#include "cli/table_text.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::Value;
using objects::View;

namespace {

constexpr std::string_view table_form =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
constexpr std::size_t event_bytes_max = std::size_t{64} * 1024 * 1024;

using Objects = std::vector<std::pair<ServedKind, Value>>;

bool is_absence(const Error& error) {
  return error.code == ErrorCode::not_found;
}

// Calls `on_object` with the object of each event of a watch.
Result<> follow(ObjectSession& session, const std::string& target, std::string_view form,
                const std::function<Result<>(View)>& on_object) {
  std::string partial;
  Result<> fault;
  const auto on_piece = [&](std::string_view piece) {
    partial += piece;
    std::size_t start = 0;
    for (std::size_t end = partial.find('\n'); end != std::string::npos && fault;
         end = partial.find('\n', start)) {
      const auto event = objects::parse_json(std::string_view(partial).substr(start, end - start),
                                             {.bytes_max = event_bytes_max});
      start = end + 1;
      if (!event) {
        fault = Error::internal("error: the server sent an event that is not JSON");
      } else if ((*event)["type"].string_or("") == "ERROR") {
        fault =
            Error::internal(fmt::format("error: {}", (*event)["object"]["message"].string_or("")));
      } else if ((*event)["type"].string_or("") != "BOOKMARK") {
        fault = on_object((*event)["object"]);
      }
    }
    partial.erase(0, start);
    return fault.has_value();
  };
  const Reply reply =
      TRY(session.listen({.target = target, .accept = std::string(form)}, on_piece));
  TRY(std::move(fault));
  if (reply.status >= 300) return server_error(reply);
  return {};
}

class Getter {
 public:
  Getter(ObjectSession& session, const GetOptions& options, ObjectText form)
      : session_(session), options_(options), form_(std::move(form)) {}

  Result<> run(const std::vector<Target>& targets);

 private:
  TableForm table_form_of(const Target& target, bool with_prefix) const;
  Result<bool> print_table(const Target& target, TableText& text, std::string_view before);
  Result<> print_tables(const std::vector<Target>& targets);
  Result<> print_objects(const std::vector<Target>& targets);
  Result<> watch(const Target& target);
  void say_nothing_found(const std::vector<Target>& targets) const;

  ObjectSession& session_;
  const GetOptions options_;
  const ObjectText form_;
};

TableForm Getter::table_form_of(const Target& target, bool with_prefix) const {
  return {.is_wide = form_.is_wide(),
          .with_headers = !options_.without_headers,
          .with_namespace = session_.options().all_namespaces && target.kind.is_namespaced,
          .with_labels = options_.shows_labels,
          .name_prefix = with_prefix ? target.kind.qualified() + "/" : ""};
}

// Answers whether there was a row; the text before it is printed only then.
Result<bool> Getter::print_table(const Target& target, TableText& text, std::string_view before) {
  const bool is_one = !target.name.empty();
  const std::string path = is_one ? session_.object_path(target) : session_.list_path(target.kind);
  std::string next;
  bool any = false;
  do {
    const std::string more = next.empty() ? "" : "&continue=" + escaped(next);
    const auto table =
        session_.ask_value({.target = path + more, .accept = std::string(table_form)});
    if (!table && is_absence(table.error()) && session_.options().ignores_not_found) return any;
    if (!table) return table.error();
    if (!any && (*table)["rows"].size() > 0) {
      session_.out(std::string(before));
      any = true;
    }
    session_.out(text.lines(*table));
    next = (*table)["metadata"]["continue"].string_or("");
  } while (!next.empty() && !is_one);
  return any;
}

void Getter::say_nothing_found(const std::vector<Target>& targets) const {
  if (session_.options().ignores_not_found) return;
  const bool in_one = !session_.options().all_namespaces && targets.front().kind.is_namespaced;
  session_.error(in_one
                     ? fmt::format("No resources found in {} namespace.\n", session_.name_space())
                     : "No resources found\n");
}

// Objects of one kind share a table, each further kind has one of its own.
Result<> Getter::print_tables(const std::vector<Target>& targets) {
  bool several_kinds = false;
  for (const Target& target : targets) {
    several_kinds = several_kinds || target.kind.plural != targets.front().kind.plural;
  }
  bool any = false;
  std::optional<Error> first_fault;
  std::unique_ptr<TableText> text;
  std::string plural;
  for (const Target& target : targets) {
    std::string_view before;
    if (text == nullptr || plural != target.kind.plural) {
      if (text != nullptr && any && several_kinds) before = "\n";
      text = std::make_unique<TableText>(table_form_of(target, several_kinds));
      plural = target.kind.plural;
    }
    const auto found = print_table(target, *text, before);
    if (!found) {
      if (first_fault) session_.error(first_fault->message + "\n");
      first_fault = found.error();
    }
    any = any || (found && *found);
  }
  if (first_fault) return *first_fault;
  if (!any) say_nothing_found(targets);
  return {};
}

Result<> Getter::print_objects(const std::vector<Target>& targets) {
  Objects objects;
  bool is_list = targets.size() > 1;
  const auto take = [&](const ServedKind& kind, const Value& object) {
    objects.emplace_back(kind,
                         options_.shows_managed_fields ? object : without_managed_fields(object));
  };
  for (const Target& target : targets) {
    if (target.name.empty()) {
      is_list = true;
      for (const Value& object : TRY(session_.list(target.kind))) take(target.kind, object);
      continue;
    }
    const auto object = session_.ask_value({.target = session_.object_path(target)});
    if (!object && is_absence(object.error()) && session_.options().ignores_not_found) continue;
    if (!object) return object.error();
    take(target.kind, *object);
  }
  if (objects.empty() && !is_list) return {};
  session_.out(TRY(form_.text(objects, is_list)));
  return {};
}

Result<> Getter::watch(const Target& target) {
  std::string path = session_.list_path(target.kind);
  if (!target.name.empty()) path += "&fieldSelector=" + escaped("metadata.name=" + target.name);
  const Value list = TRY(session_.ask_value({.target = path, .accept = std::string(table_form)}));
  TableText text(table_form_of(target, false));
  if (form_.is_table() && !options_.only_watches) session_.out(text.lines(list));
  const std::string version(list["metadata"]["resourceVersion"].string_or(""));
  const std::string from = path + "&watch=true&resourceVersion=" + version;
  if (form_.is_table()) {
    return follow(session_, from, table_form, [&](View table) -> Result<> {
      session_.out(text.lines(table));
      return {};
    });
  }
  if (!options_.only_watches) TRY(print_objects({target}));
  return follow(session_, from, "application/json", [&](View object) -> Result<> {
    const Objects one = {{target.kind, without_managed_fields(Value::copy_of(object))}};
    session_.out(TRY(form_.text(one, false)));
    return {};
  });
}

Result<> Getter::run(const std::vector<Target>& targets) {
  if (options_.watches || options_.only_watches) {
    if (targets.size() != 1) {
      return Error::bad_request("error: you may only specify a single resource type");
    }
    return watch(targets.front());
  }
  return form_.is_table() ? print_tables(targets) : print_objects(targets);
}

}  // namespace

Result<> get(ObjectSession& session, const GetOptions& options) {
  ObjectText form = TRY(ObjectText::parse(session.options().output));
  std::vector<Target> targets;
  if (!session.options().files.empty()) {
    for (const Manifest& manifest : TRY(session.manifests(session.options().files))) {
      targets.push_back({.kind = manifest.kind,
                         .name = std::string(objects::name_of(manifest.object)),
                         .name_space = std::string(objects::namespace_of(manifest.object))});
    }
  } else {
    targets = TRY(session.targets(session.options().words));
  }
  return Getter(session, options, std::move(form)).run(targets);
}

Result<> events(ObjectSession& session, const std::string& of, bool watches) {
  const ServedKind kind = TRY(session.names().find("events"));
  const Target target{.kind = kind};
  ObjectText form = TRY(ObjectText::parse(session.options().output));
  if (of.empty()) return Getter(session, {.watches = watches}, std::move(form)).run({target});
  const std::vector<Target> about = TRY(session.targets({of}));
  const std::string path = session.list_path(target.kind) + "&fieldSelector=" +
                           escaped(fmt::format("involvedObject.kind={},involvedObject.name={}",
                                               about.front().kind.kind, about.front().name));
  const Value table = TRY(session.ask_value({.target = path, .accept = std::string(table_form)}));
  TableText text({.with_namespace = session.options().all_namespaces});
  if (table["rows"].size() == 0) {
    session.error(fmt::format("No events found in {} namespace.\n", session.name_space()));
  }
  session.out(text.lines(table));
  return {};
}

}  // namespace muster::cli
