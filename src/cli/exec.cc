// SPDX-License-Identifier: Apache-2.0
#include "cli/exec.h"

#include <fmt/format.h>

namespace muster::cli {

namespace {

Error wrong(std::string sentence) {
  return Error::bad_request("error: " + std::move(sentence));
}

}  // namespace

Result<int> exec(ObjectSession& session, const ExecOptions& options) {
  const std::vector<std::string>& words = session.options().words;
  if (words.empty()) return wrong("pod or type/name must be specified");
  if (words.size() == 1) return wrong("you must specify at least one command for the container");
  std::string name = words.front();
  if (name.starts_with("pod/") || name.starts_with("pods/")) name.erase(0, name.find('/') + 1);
  const ServedKind pods = TRY(session.names().find("pods"));
  const std::string path = pods.path(session.name_space(), name);
  const objects::Value pod =
      TRY(session.ask_value({.target = path}));  // its absence is said as such
  std::string container = options.container;
  if (container.empty()) {
    container = pod["spec"]["containers"][std::size_t{0}]["name"].string_or("");
    if (pod["spec"]["containers"].size() > 1) {
      session.error(fmt::format("Defaulted container \"{}\"\n", container));
    }
  }
  std::string query = "?";
  for (std::size_t at = 1; at < words.size(); ++at) query += "command=" + escaped(words[at]) + "&";
  query += "container=" + escaped(container);
  if (options.reads_input) query += "&stdin=true";
  bool has_terminal = options.has_terminal;
  if (has_terminal && options.reads_input && !session.is_on_terminal()) {
    session.error("Unable to use a TTY - input is not a terminal or the right kind of file\n");
    has_terminal = false;
  }
  // On a terminal there is one output.
  query += has_terminal ? "&stdout=true&tty=true" : "&stdout=true&stderr=true";
  return session.execute(
      path + "/exec" + query,
      {.out = {}, .error = {}, .reads_input = options.reads_input, .has_terminal = has_terminal});
}

}  // namespace muster::cli
