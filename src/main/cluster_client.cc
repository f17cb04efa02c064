// SPDX-License-Identifier: Apache-2.0
#include "main/cluster_client.h"

#include <future>
#include <utility>

#include "base/os/files.h"
#include "base/os/process.h"
#include "client/kubeconfig.h"

namespace muster {

namespace {

Result<std::string> find_kubeconfig(const std::string& given) {
  if (!given.empty()) return given;
  const std::string named = environment_variable("KUBECONFIG").value_or("");
  // Of a list the first one: merging several files is kubectl's art.
  if (!named.empty()) return named.substr(0, named.find(':'));
  const auto home = environment_variable("HOME");
  if (!home) return Error::invalid("HOME is not set: name the file", "--kubeconfig");
  return *home + "/.kube/config";
}

}  // namespace

Result<client::ClusterAccess> read_cluster_access(const ClusterQuestion& question) {
  const std::string path = TRY(find_kubeconfig(question.kubeconfig));
  const std::string text = TRY(read_whole_file(path, client::kubeconfig_bytes_max));
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  return client::read_kubeconfig(text, {.folder = folder, .context = question.context},
                                 [](const std::string& named) {
                                   return read_whole_file(named, client::kubeconfig_bytes_max);
                                 });
}

Result<std::unique_ptr<ClusterClient>> ClusterClient::open(const ClusterQuestion& question) {
  const client::ClusterAccess access = TRY(read_cluster_access(question));
  std::unique_ptr<ClusterClient> made(new ClusterClient());
  made->server_ = access.server;
  made->api_ = TRY(client::HttpsApi::make(access, {.house = made->house_}));
  made->network_thread_ = std::jthread([api = made->api_.get()] { api->run(); });
  made->house_thread_ = std::jthread([house = &made->house_] { house->run(); });
  return made;
}

ClusterClient::~ClusterClient() {
  if (api_) api_->stop();
  if (network_thread_.joinable()) network_thread_.join();
  house_.stop();
  if (house_thread_.joinable()) house_thread_.join();
}

Result<objects::Value> ClusterClient::ask(client::Call call) {
  std::promise<Result<objects::Value>> answered;
  house_.post([this, &answered, call = std::move(call)]() mutable {
    api_->call(std::move(call), [&answered](Result<objects::Value> answer) {
      answered.set_value(std::move(answer));
    });
  });
  return answered.get_future().get();
}

}  // namespace muster
