// SPDX-License-Identifier: Apache-2.0
#include "main/https_talk.h"

#include <utility>

#include "base/os/folders.h"
#include "base/os/process.h"
#include "cli/settings.h"
#include "client/https/blocking_client.h"
#include "main/cluster_client.h"

namespace muster {

namespace {

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
  HttpsTalk(std::unique_ptr<client::BlockingClient> client, std::string name_space)
      : client_(std::move(client)), name_space_(std::move(name_space)) {}

  Result<cli::Reply> ask(const cli::Question& question) override {
    return reply_of(client_->ask(request_of(question)));
  }

  Result<cli::Reply> listen(const cli::Question& question, const cli::OnPiece& on_piece) override {
    return reply_of(client_->listen(request_of(question), on_piece));
  }

  std::string name_space() const override { return name_space_; }

 private:
  const std::unique_ptr<client::BlockingClient> client_;
  const std::string name_space_;
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
  const auto access = read_cluster_access(
      {.kubeconfig = find_kubeconfig(options.kubeconfig), .context = options.context});
  if (!access) return Error{access.error().code, "error: " + access.error().to_string()};
  auto client = client::BlockingClient::open(*access);
  if (!client) return Error{client.error().code, "error: " + client.error().to_string()};
  return std::unique_ptr<cli::Talk>(
      std::make_unique<HttpsTalk>(std::move(*client), access->name_space));
}

}  // namespace muster
