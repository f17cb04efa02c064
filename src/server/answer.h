// Answers as a transport sends them: objects, lists and failures in the form that the client asked
// for. What is stored in the version and form that is wanted is sent as it lies there.
//
//   AnswerForm form = ALLOWED(answer_form(request, route.query, Answerable::objects));
//   respond(object_answer(context, target, form, written));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "objects/value.h"
#include "server/context.h"
#include "server/negotiation.h"
#include "server/outcome.h"
#include "server/read.h"
#include "server/request.h"
#include "server/route.h"
#include "server/table.h"
#include "server/target.h"
#include "server/write.h"

namespace muster::server {

struct AnswerForm {
  Form form = {};
  IncludeObject include = IncludeObject::metadata;
  bool pretty = false;
};

Outcome<AnswerForm> answer_form(const Request& request, const Query& query, Answerable answerable);

Response text_answer(int status, std::string_view text);
Response failure_answer(const Failure& failure, const AnswerForm& form = {});
Response value_answer(int status, objects::View value, const AnswerForm& form);

// `stored` is in the storage version, with its resourceVersion.
Response object_answer(const Context& context, const Target& target, const AnswerForm& form,
                       int status, const objects::Value& stored);
Response written_answer(const Context& context, const Target& target, const AnswerForm& form,
                        int status, const Written& written);
Response item_answer(Context& context, const Target& target, const AnswerForm& form,
                     const Item& item);
Response list_answer(Context& context, const Target& target, const AnswerForm& form,
                     Snapshot snapshot);
// A list that is a value already.
Response value_list_answer(const Context& context, const Target& target, const AnswerForm& form,
                           const objects::Value& list);

// The object while it is still there, and of kinds that always show it; otherwise a Status.
Response removed_answer(const Context& context, const Target& target, const AnswerForm& form,
                        const Written& removed);

void add_warnings(const std::vector<std::string>& warnings, Response& response);

// One object as a table or as its metadata alone.
objects::Value shaped(const Context& context, const Target& target, const AnswerForm& form,
                      const objects::Value& object, bool columns = true);

}  // namespace muster::server
