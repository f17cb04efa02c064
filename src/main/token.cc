// SPDX-License-Identifier: Apache-2.0
#include "main/token.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/duration.h"
#include "base/os/system_clock.h"
#include "base/os/system_random.h"
#include "base/timestamp.h"
#include "main/cluster_client.h"
#include "objects/metadata.h"
#include "server/account_keeper.h"

namespace muster {

namespace {

using objects::Value;
using objects::View;

constexpr objects::Resource secrets{"", "v1", "secrets", "Secret"};

client::Call about_secrets(client::Verb verb) {
  return {.verb = verb, .resource = secrets, .name_space = std::string(server::token_namespace)};
}

Result<std::unique_ptr<ClusterClient>> open_client(const cli::TokenOptions& options) {
  std::string kubeconfig = options.kubeconfig;
  if (kubeconfig.empty()) kubeconfig = TRY(cli::data_folder(options.data)) + "/kubeconfig";
  return ClusterClient::open({.kubeconfig = std::move(kubeconfig), .context = options.context});
}

Result<> create(const cli::TokenOptions& options, const cli::Output& output) {
  if (options.user.find_first_of("\r\n") != std::string::npos) {
    return Error::bad_request("a user has a name of one line");
  }
  const Span lifetime = TRY(parse_duration(options.lifetime));
  if (lifetime < Span()) return Error::bad_request("a token cannot have ended already");
  SystemRandom random;
  const Secret made = server::make_token(random);
  server::TokenRecord record{.digest = server::digest_of(made.reveal()),
                             .identity = {.name = options.user, .groups = options.groups}};
  if (lifetime > Span()) record.expires = SystemClock().wall() + lifetime;
  auto client = TRY(open_client(options));
  client::Call call = about_secrets(client::Verb::create);
  call.body = server::token_secret(record, options.description);
  const Value kept = TRY(client->ask(std::move(call)));
  output.error(fmt::format(
      "{} for {}, {}\n", objects::name_of(kept), options.user,
      record.expires ? "until " + format_time(Timestamp::of(*record.expires)) : "without an end"));
  output.out(fmt::format("{}\n", made.reveal()));
  return {};
}

// One token a line, in columns as wide as they must be.
std::string table_of(const std::vector<std::array<std::string, 4>>& rows) {
  std::array<std::size_t, 4> widths{};
  for (const auto& row : rows) {
    for (std::size_t at = 0; at < row.size(); ++at) {
      widths[at] = std::max(widths[at], row[at].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) {
      line += fmt::format("{:<{}}   ", row[at], widths[at]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

Result<> list(const cli::TokenOptions& options, const cli::Output& output) {
  auto client = TRY(open_client(options));
  client::Call call = about_secrets(client::Verb::list);
  call.field_selector = fmt::format("type={}", server::token_secret_type);
  const Value kept = TRY(client->ask(std::move(call)));
  const Instant now = SystemClock().wall();
  std::vector<std::array<std::string, 4>> rows = {{"NAME", "USER", "GROUPS", "EXPIRES"}};
  for (const View secret : kept["items"].elements()) {
    const auto record = server::read_token_secret(secret);
    if (!record) continue;
    std::string expires = "never";
    if (record->expires) {
      expires = *record->expires <= now ? "expired" : format_time(Timestamp::of(*record->expires));
    }
    rows.push_back({std::string(objects::name_of(secret)), record->identity.name,
                    fmt::format("{}", fmt::join(record->identity.groups, ",")), expires});
  }
  output.out(rows.size() == 1 ? "There are no tokens.\n" : table_of(rows));
  return {};
}

Result<> revoke(const cli::TokenOptions& options, const cli::Output& output) {
  auto client = TRY(open_client(options));
  for (const std::string& name : options.names) {
    client::Call look = about_secrets(client::Verb::get);
    look.name = name;
    const Value secret = TRY(client->ask(std::move(look)));
    if (secret["type"].string_or("") != server::token_secret_type) {
      return Error::bad_request(fmt::format("\"{}\" is a Secret, but no token", name));
    }
    client::Call call = about_secrets(client::Verb::remove);
    call.name = name;
    TRY(client->ask(std::move(call)));
    output.out(fmt::format("{} revoked\n", name));
  }
  return {};
}

}  // namespace

int token(const cli::TokenOptions& options, const cli::Output& output) {
  const auto done = options.action == cli::TokenAction::create ? create(options, output)
                    : options.action == cli::TokenAction::list ? list(options, output)
                                                               : revoke(options, output);
  return done ? cli::exit_done : cli::fail(output, done.error());
}

}  // namespace muster
