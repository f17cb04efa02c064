// InProcessApi: the server as client::Api, for the controllers and agents of the same process. The
// same road as over HTTP, authorisation and admission included, but values stay values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "client/api.h"
#include "server/context.h"
#include "server/request.h"

namespace muster::server {

// The context outlives it and every watch.
std::unique_ptr<client::Api> make_in_process_api(Context& context, Identity identity);

}  // namespace muster::server
