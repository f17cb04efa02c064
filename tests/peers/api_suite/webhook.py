# A webhook for cases that need one: HTTPS on loopback, with a key of its own. Its path says what
# it answers; /tell refuses everything and says what it was asked, so that a case shows the review.
# SPDX-License-Identifier: Apache-2.0
import base64
import http.server
import json
import os
import ssl
import subprocess
import tempfile
import threading

SHOWN = ("operation", "subResource", "name", "namespace", "dryRun")


def verdict(path, review):
    """The response of an AdmissionReview, or something that is none."""
    request = review["request"]
    uid = request["uid"]
    if path == "/allow":
        return {"uid": uid, "allowed": True}
    if path == "/warn":
        return {"uid": uid, "allowed": True, "warnings": ["mind the gap", "and the \"step\""]}
    if path == "/deny":
        return {"uid": uid, "allowed": False}
    if path == "/refuse":
        return {"uid": uid, "allowed": False, "status": {"code": 409, "reason": "Conflict",
                                                         "message": "not today"}}
    if path == "/label":
        labels = (request.get("object") or {}).get("metadata", {}).get("labels")
        patch = [] if labels else [{"op": "add", "path": "/metadata/labels", "value": {}}]
        patch.append({"op": "add", "path": "/metadata/labels/seen", "value": "yes"})
        return {"uid": uid, "allowed": True, "patchType": "JSONPatch",
                "patch": base64.b64encode(json.dumps(patch).encode()).decode()}
    if path == "/spoil":
        patch = [{"op": "remove", "path": "/nothing/here"}]
        return {"uid": uid, "allowed": True, "patchType": "JSONPatch",
                "patch": base64.b64encode(json.dumps(patch).encode()).decode()}
    if path == "/stranger":
        return {"uid": "another", "allowed": True}
    return {"uid": uid, "allowed": False, "status": {"message": told(request)}}


def told(request):
    parts = [f"{name}={request[name]}" for name in SHOWN if name in request]
    for name in ("kind", "requestKind"):
        parts.append(f"{name}={'/'.join(request[name][each] for each in sorted(request[name]))}")
    parts.append(f"resource={request['resource']['resource']}")
    for name in ("object", "oldObject"):
        value = request.get(name)
        parts.append(f"{name}={','.join(sorted(value)) if value else 'none'}")
    options = request.get("options") or {}
    parts.append(f"options={options.get('kind', 'none')}")
    return "; ".join(parts)


class Answerer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.split("?")[0]
        if path == "/broken":
            return self.say(500, b"broken", "text/plain")
        if path == "/nonsense":
            return self.say(200, b"nonsense")
        answer = {"apiVersion": review["apiVersion"], "kind": "AdmissionReview",
                  "response": verdict(path, review)}
        return self.say(200, json.dumps(answer).encode())

    def say(self, status, content, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Webhook:
    """Runs as long as the program that made it."""

    def __init__(self):
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = (os.path.join(folder, name) for name in ("key", "crt"))
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
                            "/CN=webhook", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                            key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            with open(certificate, "rb") as file:
                self.authority = base64.b64encode(file.read()).decode()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answerer)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        self.address = f"127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
