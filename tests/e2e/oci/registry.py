# A registry on this machine that wants a name and a password: it serves the images of a layout.
# SPDX-License-Identifier: Apache-2.0
import base64
import http.server
import os
import threading

MANIFEST = "application/vnd.oci.image.manifest.v1+json"


class Registry:
    def __init__(self, layout, user, password):
        wanted = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        by_tag = {each["annotations"]["org.opencontainers.image.ref.name"].rpartition(":")[2]:
                  each["digest"] for each in layout.manifests}
        manifests = {each["digest"] for each in layout.manifests}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, code, body=b"", **headers):
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def do_GET(self):
                if self.headers.get("Authorization") != wanted:
                    return self.answer(401, WWW_Authenticate='Basic realm="the registry"')
                reference = self.path.rpartition("/")[2]
                digest = by_tag.get(reference, reference)
                path = os.path.join(layout.folder, "blobs", digest.replace(":", "/"))
                if self.path == "/v2/":
                    return self.answer(200, b"{}")
                if not digest.startswith("sha256:") or not os.path.exists(path):
                    return self.answer(404)
                with open(path, "rb") as file:
                    kind = MANIFEST if digest in manifests else "application/octet-stream"
                    return self.answer(200, file.read(), Content_Type=kind,
                                       Docker_Content_Digest=digest)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.name = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
