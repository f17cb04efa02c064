// SPDX-License-Identifier: Apache-2.0
#include "main/https_talk.h"

#include <optional>
#include <utility>

#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/process.h"
#include "base/os/terminal.h"
#include "cli/settings.h"
#include "client/https/blocking_client.h"
#include "client/https/pod_command.h"
#include "main/cluster_client.h"

namespace muster {

namespace {

constexpr std::size_t input_bytes_max = std::size_t{256} * 1024 * 1024;

client::HttpRequest request_of(const cli::Question& question) {
  return {.method = question.method,
          .target = question.target,
          .content_type = question.content_type,
          .body = question.body,
          .accept = question.accept};
}

Result<cli::Reply> reply_of(Result<client::WholeAnswer> answer) {
  if (!answer) {
    return Error{answer.error().code, "Unable to connect to the server: " + answer.error().message};
  }
  return cli::Reply{.status = answer->status,
                    .body = std::move(answer->body),
                    .warnings = std::move(answer->warnings)};
}

class HttpsTalk final : public cli::Talk {
 public:
  HttpsTalk(std::unique_ptr<client::BlockingClient> client, client::ClusterAccess access)
      : client_(std::move(client)), access_(std::move(access)) {}

  Result<cli::Reply> ask(const cli::Question& question) override {
    return reply_of(client_->ask(request_of(question)));
  }

  Result<cli::Reply> listen(const cli::Question& question, const cli::OnPiece& on_piece) override {
    return reply_of(client_->listen(request_of(question), on_piece));
  }

  Result<int> execute(const std::string& target, const cli::Conversation& with) override {
    client::PodCommandStreams streams{
        .out = with.out, .error = with.error, .follows_standard_input = with.reads_input};
    std::optional<RawTerminal> raw;
    if (with.has_terminal && is_input_a_terminal()) {
      if (with.reads_input) raw.emplace();
      streams.terminal_size = [] {
        const auto sides = own_terminal_size();
        return sides ? std::pair(sides->columns, sides->rows) : std::pair(0, 0);
      };
    }
    auto done = client::run_pod_command(access_, target, streams);
    // A file cannot be followed: it is read first.
    if (!done && done.error().code == ErrorCode::unsupported_media_type && with.reads_input) {
      streams.input = TRY(read_standard_input(input_bytes_max));
      done = client::run_pod_command(access_, target, streams);
    }
    if (!done) return Error{done.error().code, "error: " + done.error().message};
    return done;
  }

  std::string name_space() const override { return access_.name_space; }
  bool is_on_terminal() const override { return is_input_a_terminal(); }

 private:
  const std::unique_ptr<client::BlockingClient> client_;
  const client::ClusterAccess access_;
};

std::string find_kubeconfig(const std::string& given) {
  if (!given.empty() || !environment_variable("KUBECONFIG").value_or("").empty()) return given;
  const auto data = cli::data_folder("");
  if (!data) return given;
  const auto settings = cli::load_settings(*data);
  if (!settings) return given;
  const std::string path = cli::kubeconfig_path(*data, *settings);
  return path_exists(path) ? path : given;
}

}  // namespace

Result<std::unique_ptr<cli::Talk>> open_https_talk(const cli::TalkOptions& options) {
  auto access = read_cluster_access(
      {.kubeconfig = find_kubeconfig(options.kubeconfig), .context = options.context});
  if (!access) return Error{access.error().code, "error: " + access.error().to_string()};
  auto client = client::BlockingClient::open(*access);
  if (!client) return Error{client.error().code, "error: " + client.error().to_string()};
  return std::unique_ptr<cli::Talk>(
      std::make_unique<HttpsTalk>(std::move(*client), std::move(*access)));
}

}  // namespace muster
