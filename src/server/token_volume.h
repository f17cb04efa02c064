// The volume by which programs in a pod find their service account: a token of the API, who vouches
// for the server, and the namespace, at /var/run/secrets/kubernetes.io/serviceaccount.
//
//   Rewrite spec(pod["spec"]);
//   if (wants_token_volume(account, pod["spec"])) mount_token_volume(pod["spec"], spec, builder,
//   random);
//
// Every container that mounts nothing there itself gets the mount; a volume whose name begins with
// `kube-api-access-` is taken for the one that is there already.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/random.h"
#include "objects/builder.h"
#include "objects/rewrite.h"
#include "objects/value.h"

namespace muster::server {

// What every namespace has (AccountKeeper): a config map with the certificate of our authority.
inline constexpr std::string_view root_certificate_map = "kube-root-ca.crt";
inline constexpr std::string_view root_certificate_key = "ca.crt";

// What the pod says, else what its account says, else yes.
bool wants_token_volume(objects::View account, objects::View spec);

// The builder has retained the pod.
void mount_token_volume(objects::View spec, objects::Rewrite& next, objects::Builder& builder,
                        Random& random);

}  // namespace muster::server
