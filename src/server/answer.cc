// SPDX-License-Identifier: Apache-2.0
#include "server/answer.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "objects/json.h"
#include "objects/metadata.h"
#include "objects/yaml.h"
#include "server/kind_traits.h"
#include "server/limits.h"
#include "server/list_stream.h"
#include "server/stored_object.h"

namespace muster::server {

using objects::Value;
using objects::View;

namespace {

constexpr std::size_t warning_bytes_max = 4'096;

Response whole(int status, const Form& form, std::string_view text) {
  return {.status = status,
          .content_type = std::string(content_type_of(form)),
          .body = Piece::copy_of(text)};
}

// An object as it is stored, with its revision.
Response as_stored(int status, const Form& form, const store::Bytes& stored,
                   store::Revision revision) {
  return {.status = status,
          .content_type = std::string(content_type_of(form)),
          .body = StoredPiece{stored, revision}};
}

bool is_plain_json(const AnswerForm& form) {
  return form.form.encoding == Encoding::json && form.form.shape == Shape::plain && !form.pretty;
}

// Large, and every item is shown as it lies in the store whatever happens to kinds meanwhile.
bool is_worth_a_stream(const Target& target, const Snapshot& snapshot) {
  if (!target.version->storage || !target.kind->is_built_in) return false;
  std::size_t bytes = 0;
  for (const Item& item : snapshot.items) bytes += item.bytes.size();
  return bytes > list_stream_bytes_min;
}

// Printable, with quotes and backslashes escaped: what a quoted string of a header may hold.
std::string header_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, warning_bytes_max)) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

Outcome<AnswerForm> answer_form(const Request& request, const Query& query, Answerable answerable) {
  const Accepted accepted = accepted_form(request.accept, answerable);
  if (!accepted.form) {
    return accepted.form_unknown ? failures::not_acceptable_form() : failures::not_acceptable();
  }
  AnswerForm form{.form = *accepted.form};
  form.pretty = wants_pretty(query.text_or_empty("pretty"), request.user_agent);
  const auto include = parse_include_object(query.text_or_empty("includeObject"));
  if (!include) return failures::bad_include_object(query.text_or_empty("includeObject"));
  form.include = *include;
  return form;
}

Response text_answer(int status, std::string_view text) {
  return {.status = status,
          .content_type = "text/plain; charset=utf-8",
          .headers = {{"X-Content-Type-Options", "nosniff"}},
          .body = Piece::copy_of(text)};
}

Response value_answer(int status, View value, const AnswerForm& form) {
  if (form.form.encoding == Encoding::yaml) {
    return whole(status, form.form, objects::to_yaml(value));
  }
  std::string text = form.pretty ? objects::to_pretty_json(value) : objects::to_json(value);
  text += '\n';
  return whole(status, form.form, text);
}

Response failure_answer(const Failure& failure, const AnswerForm& form) {
  const AnswerForm plain{.form = {.encoding = form.form.encoding}, .pretty = form.pretty};
  Response response = value_answer(failure.code, status_of(failure), plain);
  if (failure.details && failure.details->retry_after_seconds > 0) {
    response.headers.emplace_back("Retry-After",
                                  fmt::to_string(failure.details->retry_after_seconds));
  }
  return response;
}

Value shaped(const Context& context, const Target& target, const AnswerForm& form,
             const Value& object, bool columns) {
  if (is_table(form.form.shape)) {
    const TablePrinter printer(*target.kind, *target.version);
    return printer.object(object, {.shape = form.form.shape,
                                   .include = form.include,
                                   .columns = columns,
                                   .now = context.clock.wall()});
  }
  if (is_partial_metadata(form.form.shape)) return partial_metadata(object, form.form.shape);
  return object;
}

Response object_answer(const Context& context, const Target& target, const AnswerForm& form,
                       int status, const Value& stored) {
  const auto object = in_version(target, stored);
  if (!object) return failure_answer(object.error(), form);
  return value_answer(status, shaped(context, target, form, *object), form);
}

Response written_answer(const Context& context, const Target& target, const AnswerForm& form,
                        int status, const Written& written) {
  if (is_plain_json(form) && !written.bytes.is_none() &&
      is_shown_as_stored(target, {written.bytes, written.revision})) {
    return as_stored(status, form.form, written.bytes, written.revision);
  }
  return object_answer(context, target, form, status, shown(written));
}

Response item_answer(Context& context, const Target& target, const AnswerForm& form,
                     const Item& item) {
  if (is_plain_json(form) && is_shown_as_stored(target, item)) {
    return as_stored(200, form.form, item.bytes, item.revision);
  }
  const Value tree = with_revision(context.trees.tree_of(item.bytes), item.revision);
  return object_answer(context, target, form, 200,
                       with_managed(tree, managed_text(item.bytes.view())));
}

Response list_answer(Context& context, const Target& target, const AnswerForm& form,
                     Snapshot snapshot) {
  const bool plain = form.form.shape == Shape::plain;
  const ItemTypes types = plain ? ItemTypes::as_the_peer : ItemTypes::always;
  if (is_plain_json(form) && is_worth_a_stream(target, snapshot)) {
    std::string head = list_head(target, snapshot, types);
    const ItemForm items = has_bare_items(target, types) ? ItemForm::bare : ItemForm::typed;
    return {
        .content_type = std::string(content_type_of(form.form)),
        .body = std::make_unique<ListStream>(std::move(head), std::move(snapshot.items), items)};
  }
  auto text = list_text(context, target, snapshot, types);
  if (!text) return failure_answer(text.error(), form);
  if (is_plain_json(form)) {
    *text += '\n';
    return whole(200, form.form, *text);
  }
  const auto list = objects::parse_json(*text, {.bytes_max = text->size()});
  if (!list) return failure_answer(list.error(), form);
  return value_list_answer(context, target, form, *list);
}

Response value_list_answer(const Context& context, const Target& target, const AnswerForm& form,
                           const Value& list) {
  if (is_table(form.form.shape)) {
    const TablePrinter printer(*target.kind, *target.version);
    const Value table = printer.list(
        list, {.shape = form.form.shape, .include = form.include, .now = context.clock.wall()});
    return value_answer(200, table, form);
  }
  if (is_partial_metadata(form.form.shape)) {
    return value_answer(200, partial_metadata_list(list, form.form.shape), form);
  }
  return value_answer(200, list, form);
}

Response removed_answer(const Context& context, const Target& target, const AnswerForm& form,
                        const Written& removed) {
  if (!removed.removed || traits_of(*target.kind).answers_deleted_object) {
    return written_answer(context, target, form, 200, removed);
  }
  const Value status =
      success_status(StatusDetails{.name = target.name,
                                   .group = target.kind->group,
                                   .kind = target.kind->plural,
                                   .uid = std::string(objects::uid_of(removed.object))});
  return value_answer(200, status, {.pretty = form.pretty});
}

void add_warnings(const std::vector<std::string>& warnings, Response& response) {
  for (const std::string& warning : warnings) {
    response.headers.emplace_back("Warning", "299 - " + header_quoted(warning));
  }
}

}  // namespace muster::server
