// Objects that nobody in their right mind would send: most are refused, and what is not must harm
// nobody else.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <string_view>

#include "objects/json.h"
#include "simulator/house/requests.h"

namespace muster::simulator {

namespace resources = objects::resources;

namespace {

struct Nonsense {
  const objects::Resource& resource;
  std::string_view text;  // NAME stands for the name of the line
};

constexpr std::string_view job_head = R"({"metadata":{"name":"NAME","labels":{
    "kueue.x-k8s.io/queue-name":"side"}},"spec":)";

constexpr std::array nonsense{
    Nonsense{resources::jobs, R"({"parallelism":-1,"completions":-1,"template":{"spec":{
        "restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})"},
    // Three times the most that fits into a number: a sum that overflows would be small.
    Nonsense{resources::jobs, R"({"parallelism":3,"completions":3,"template":{"spec":{
        "restartPolicy":"Never","containers":[{"name":"c","image":"i","resources":{"requests":{
        "cpu":"9223372036854775"}}}]}}}})"},
    Nonsense{resources::jobs, R"({"parallelism":2147483647,"completions":2147483647,"template":{
        "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i","resources":{
        "requests":{"cpu":"4"}}}]}}}})"},
    Nonsense{resources::jobs, R"({"parallelism":1,"template":{"spec":{"restartPolicy":"Never",
        "containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"-2"}}}]}}}})"},
    Nonsense{resources::jobs, R"({"parallelism":1,"template":{"spec":{"containers":[]}}}})"},
    Nonsense{resources::jobs, R"({"parallelism":1,"template":{"metadata":{"annotations":{
        "kueue.x-k8s.io/podset-required-topology":"///"}},"spec":{"restartPolicy":"Never",
        "containers":[{"name":"c","image":"i"}]}}}})"},
    Nonsense{resources::jobs, R"({"template":[[[[[[[[[[[[{"spec":null}]]]]]]]]]]]]}})"},
    Nonsense{resources::workloads, R"({"metadata":{"name":"NAME"},"spec":{"queueName":"side",
        "podSets":[{"name":"main","count":-5,"template":{"spec":{"containers":[{"name":"c",
        "image":"i","resources":{"requests":{"cpu":"1"}}}]}}}]}})"},
    Nonsense{resources::workloads, R"({"metadata":{"name":"NAME"},"spec":{"queueName":"side",
        "podSets":[]}})"},
    Nonsense{resources::pods, R"({"metadata":{"name":"NAME","labels":{
        "kueue.x-k8s.io/queue-name":"side","kueue.x-k8s.io/pod-group-name":"NAME"},"annotations":{
        "kueue.x-k8s.io/pod-group-total-count":"-1"}},"spec":{"containers":[{"name":"c",
        "image":"i"}]}})"},
    Nonsense{resources::cluster_queues, R"({"metadata":{"name":"NAME"},"spec":{"resourceGroups":[{
        "coveredResources":["cpu"],"flavors":[{"name":"default","resources":[{"name":"cpu",
        "nominalQuota":"-1"}]}]}]}})"},
    Nonsense{resources::local_queues, R"({"metadata":{"name":"NAME"},"spec":{
        "clusterQueue":"NAME/..//"}})"},
};

}  // namespace

std::size_t nonsense_count() {
  return nonsense.size();
}

client::Call nonsense_of(const Line& line) {
  const auto which = static_cast<std::size_t>(line.number("which"));
  const Nonsense& chosen = nonsense[which % nonsense.size()];
  std::string text(chosen.resource == resources::jobs ? job_head : "");
  text += chosen.text;
  for (std::size_t at = text.find("NAME"); at != std::string::npos; at = text.find("NAME")) {
    text.replace(at, 4, line.text("name"));
  }
  return creation(chosen.resource, chosen.resource.is_namespaced() ? "team-a" : "", text);
}

}  // namespace muster::simulator
