// Eleven short stories, each a script of some seconds: what a platform does most, one thing at a
// time. Short enough to be run again for every single write.
//
//   for (const Story& story : stories()) run_script(story.with("2000 crash …"), {});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "simulator/house/script.h"

namespace muster::simulator {

struct Story {
  std::string_view name;
  std::string_view stage;  // lines at 0, beside the usual ones
  std::string_view lines;  // from 1,000 on

  // With more lines, from 900 on: after the stage.
  Script with(std::string_view more, std::uint64_t seed = 1) const {
    std::string text = "seed " + std::to_string(seed) + "\n";
    text += "0 policy notes=lost\n0 namespace name=a\n0 flavor name=default\n";
    text += "0 priority name=high value=1000\n";
    text += "0 machine name=m0 cpu=4 nodes=2 pool=default\n";
    text += stage;
    text += "0 local-queue cluster-queue=q name=main namespace=a\n";
    text += lines;
    text += "30000 calm\n";
    Script script = Script::parse(text).must();
    const Script added = Script::parse("seed 1\n" + std::string(more)).must();
    script.lines.insert(script.lines.end(), added.lines.begin(), added.lines.end());
    std::ranges::stable_sort(script.lines, {}, &Line::at_milliseconds);
    return script;
  }
};

inline constexpr std::string_view plain_queue = "0 queue default=4 name=q strategy=StrictFIFO\n";

inline constexpr std::array<Story, 11> stories{{
    {"a gang of two runs and completes", plain_queue,
     "1000 submit namespace=a name=j queue=main pods=2 cpu=1 run=2000 fate=completes\n"},
    {"the second waits whole for the first", plain_queue,
     "1000 submit namespace=a name=j queue=main pods=2 cpu=2 run=1500 fate=completes\n"
     "1100 submit namespace=a name=k queue=main pods=3 cpu=1 run=500 fate=completes\n"},
    {"a job fails as often as it may", plain_queue,
     "1000 submit namespace=a name=j queue=main pods=1 cpu=1 run=300 exit=3 backoff=1 "
     "fate=fails\n"},
    {"the more important one takes the place of another",
     "0 queue default=4 name=q strategy=BestEffortFIFO within=LowerPriority\n",
     "1000 submit namespace=a name=j queue=main pods=2 cpu=2 run=4000 fate=completes\n"
     "2500 submit namespace=a name=k queue=main pods=4 cpu=1 run=500 priority=high "
     "fate=completes\n"},
    {"a running job is deleted", plain_queue,
     "1000 submit namespace=a name=j queue=main pods=2 cpu=1 run=9000 fate=completes\n"
     "2500 delete-job namespace=a name=j\n"},
    {"more quota lets in who waits", "0 queue default=1 name=q strategy=BestEffortFIFO\n",
     "1000 submit namespace=a name=j queue=main pods=2 cpu=1 run=500 fate=completes\n"
     "2500 quota name=q default=4\n"},
    {"a queue is drained and opened again", plain_queue,
     "1000 submit namespace=a name=j queue=main pods=2 cpu=1 run=3000 fate=completes\n"
     "2500 stop-policy kind=clusterqueues name=q policy=HoldAndDrain\n"
     "3500 stop-policy kind=clusterqueues name=q policy=None\n"},
    {"a group of pods runs", plain_queue,
     "1000 pod namespace=a name=p-0 queue=main cpu=1 run=1000 group=p total=2\n"
     "1000 pod namespace=a name=p-1 queue=main cpu=1 run=1000 group=p total=2\n"
     "6000 delete-plain-pods\n"},
    {"pods name their nodes, and one finds no room", plain_queue,
     "1000 pod namespace=a name=p node=m0-n0 cpu=3 run=1000\n"
     "1050 pod namespace=a name=late node=m0-n0 cpu=2 run=1000\n"
     "1050 pod namespace=a name=lost node=nowhere cpu=1 run=1000\n"
     "1100 submit namespace=a name=j queue=main pods=2 cpu=2 run=500 fate=completes\n"},
    {"two queues share, and one takes back what it lent",
     "0 queue default=2 name=q strategy=BestEffortFIFO cohort=c\n"
     "0 queue default=2 name=r strategy=BestEffortFIFO cohort=c reclaim=Any\n"
     "0 local-queue cluster-queue=r name=other namespace=a\n",
     "1000 submit namespace=a name=j queue=main pods=4 cpu=1 run=3000 fate=completes\n"
     "2500 submit namespace=a name=k queue=other pods=2 cpu=1 run=500 fate=completes\n"},
    {"a check asks for room first",
     "0 check-config name=room\n0 check name=room\n"
     "0 queue default=4 name=q strategy=BestEffortFIFO check=room\n",
     "1000 submit namespace=a name=j queue=main pods=2 cpu=1 run=1000 fate=completes\n"},
}};

}  // namespace muster::simulator
