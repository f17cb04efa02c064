// How what a container has of an image and of devices is written down in its pod's folder
// (agent/shim_protocol.h).
//
//   const Node node = image_run_node(builder, container.image_run);
//   container.devices = devices_of(view["devices"]);
//
// Assumes: what is read was written by this program, but nobody trusts a file to be whole: what is
// missing reads as its default.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/pod_runtime.h"
#include "objects/builder.h"
#include "objects/value.h"

namespace muster::agent {

objects::Node image_run_node(objects::Builder& builder, const ImageRun& run);
ImageRun image_run_of(objects::View view);

objects::Node devices_node(objects::Builder& builder, const GivenDevices& devices);
GivenDevices devices_of(objects::View view);

}  // namespace muster::agent
