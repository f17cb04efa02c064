# A platform under pressure, as a whole: a disk that fills and empties again, a thousand watchers that
# never read, a flood of one tenant, a webhook over real HTTPS, and an end that watchers are told of.
# SPDX-License-Identifier: Apache-2.0
import base64
import concurrent.futures
import http.client
import http.server
import json
import os
import ssl
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from access import Access  # noqa: E402
from platform_under_test import Platform, expect, run_steps, wait_for  # noqa: E402

MAPS = "/api/v1/namespaces/default/configmaps"
WATCHERS = 1000
DISK_MEGABYTES = 48


class Client:
    """One kept connection that says what it got."""

    def __init__(self, platform):
        self.access = Access(platform.kubeconfig)

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPSConnection(self.access.host, self.access.port,
                                                 context=self.access.context, timeout=60)
        headers = {"Authorization": f"Bearer {self.access.token}", **headers}
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
            body = json.dumps(body)
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def create_map(self, name, size=10):
        return self.ask("POST", MAPS, {"metadata": {"name": name}, "data": {"x": "x" * size}})


class PressedPlatform(Platform):
    """Its data lie on a small disk of their own."""

    def __init__(self):
        super().__init__(["name=n1,cpu=8,memory=8Gi,runtime=pretend"], finds_kubectl=False)
        os.mkdir(self.data)
        self.has_small_disk = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", self.data],
            stderr=subprocess.DEVNULL).returncode == 0

    def destroy(self):
        self.down()
        if self.has_small_disk:
            subprocess.run(["umount", "-l", self.data])
        super().destroy()


def it_comes_up(platform):
    platform.up(first=True)
    status, text = Client(platform).ask("GET", "/readyz?verbose")
    expect(status == 200 and "readyz check passed" in text, text)


def a_full_disk_refuses_writes_and_answers_reads(platform):
    if not platform.has_small_disk:
        print("skipped: this user may not mount a small disk")
        return
    client = Client(platform)
    expect(client.create_map("before")[0] == 201, "a write before")
    ballast = os.path.join(platform.data, "ballast")
    with open(ballast, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"0" * 65536)
        except OSError:
            pass
    refused = None
    for i in range(400):
        status, text = client.create_map(f"full-{i}", 60_000)
        if status != 201:
            refused = (status, text)
            break
    expect(refused, "400 writes of 60 KB on a full disk were all taken")
    expect(refused[0] in (500, 503, 507), f"refused with {refused}")
    expect(json.loads(refused[1])["kind"] == "Status", refused[1])
    expect(client.ask("GET", MAPS + "/before")[0] == 200, "reads go on")
    os.remove(ballast)
    wait_for("writes again", lambda: client.create_map(f"after-{time.monotonic_ns()}")[0] == 201, 30)
    wait_for("ready again", lambda: client.ask("GET", "/readyz")[0] == 200, 10)
    expect(os.path.exists(f"/proc/{platform.pid()}"), "the process lives")


def what_was_acknowledged_survives_the_full_disk(platform):
    client = Client(platform)
    names = {item["metadata"]["name"]
             for item in json.loads(client.ask("GET", MAPS)[1])["items"]}
    platform.kill()
    platform.up()
    again = {item["metadata"]["name"]
             for item in json.loads(Client(platform).ask("GET", MAPS)[1])["items"]}
    expect(names == again, f"lost or new: {names ^ again}")


def a_thousand_watchers_never_read(platform):
    access = Access(platform.kubeconfig)
    client = Client(platform)
    idle = [access.open_watch_and_never_read(MAPS) for _ in range(WATCHERS)]
    began = time.monotonic()
    for i in range(50):
        expect(client.create_map(f"seen-{i}", 2_000)[0] == 201, "writes go on")
    expect(time.monotonic() - began < 30, "fifty writes beside them take seconds")
    with open(f"/proc/{platform.pid()}/status") as file:
        kilobytes = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
    expect(kilobytes < 1_000_000, f"{kilobytes} KB for a thousand watchers")
    for each in idle:
        each.close()
    expect(client.ask("GET", "/livez")[0] == 200, "alive")


def giants_and_dribbles_are_sent_away(platform):
    access = Access(platform.kubeconfig)
    expect(access.send_endless_body(MAPS, 50_000_000) == 413, "a body of 50 MB")
    slow = access.connect()
    slow.sendall(b"GET /api HTTP/1.1\r\nHost: x\r\n")
    slow.settimeout(20)
    began = time.monotonic()
    expect(slow.recv(1) == b"", "a head that does not end is cut off")
    expect(8 < time.monotonic() - began < 16, "after ten seconds")
    metrics = Client(platform).ask("GET", "/metrics")[1]
    expect('muster_http_limit_total{limit="body_bytes"} 1' in metrics, "the giant is counted")
    expect('muster_http_limit_total{limit="read_time"} 1' in metrics, "the dribble is counted")


def a_hundred_creates_never_pass_a_quota(platform):
    client = Client(platform)
    quota = {"metadata": {"name": "q"}, "spec": {"hard": {"count/secrets": "10"}}}
    expect(client.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "few"}})[0] == 201, "ns")
    expect(client.ask("POST", "/api/v1/namespaces/few/resourcequotas", quota)[0] == 201, "quota")

    def create(i):
        return client.ask("POST", "/api/v1/namespaces/few/secrets", {"metadata": {"name": f"s{i}"}})

    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(create, range(100)))
    made = [status for status, _ in answers if status == 201]
    expect(len(made) == 10, f"{len(made)} were let in")
    expect(all("exceeded quota: q, requested: count/secrets=1" in text
               for status, text in answers if status != 201), "in the words of the peer")
    used = json.loads(client.ask("GET", "/api/v1/namespaces/few/resourcequotas/q")[1])
    expect(used["status"]["used"] == {"count/secrets": "10"}, str(used["status"]))


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = review["request"]
        response = {"uid": request["uid"], "allowed": request["name"] != "bad"}
        if request["name"] == "bad":
            response["status"] = {"message": "no", "code": 403}
        patch = json.dumps([{"op": "add", "path": "/data/hooked", "value": "yes"}])
        if self.path.startswith("/change"):
            response.update(patchType="JSONPatch", patch=base64.b64encode(patch.encode()).decode())
        text = json.dumps({**review, "request": None, "response": response}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def serve_hook(folder):
    key, certificate = os.path.join(folder, "hook.key"), os.path.join(folder, "hook.crt")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key,
                    "-out", certificate, "-days", "1", "-subj", "/CN=127.0.0.1", "-addext",
                    "subjectAltName=IP:127.0.0.1"], check=True, stderr=subprocess.DEVNULL)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with open(certificate) as file:
        return server, base64.b64encode(file.read().encode()).decode()


def configuration(name, url, authority):
    return {"metadata": {"name": name}, "webhooks": [{
        "name": f"{name}.test.dev", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": url, "caBundle": authority}, "timeoutSeconds": 5,
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                   "resources": ["configmaps"]}]}]}


def webhooks_change_and_refuse(platform):
    client = Client(platform)
    server, authority = serve_hook(platform.folder)
    url = f"https://127.0.0.1:{server.server_port}"
    root = "/apis/admissionregistration.k8s.io/v1"
    expect(client.ask("POST", f"{root}/mutatingwebhookconfigurations",
                      configuration("change", url + "/change", authority))[0] == 201, "configured")
    expect(client.ask("POST", f"{root}/validatingwebhookconfigurations",
                      configuration("check", url + "/check", authority))[0] == 201, "configured")
    status, text = client.create_map("good")
    expect(status == 201 and json.loads(text)["data"].get("hooked") == "yes", text)
    status, text = client.create_map("bad")
    expect(status == 403 and json.loads(text)["message"]
           == 'admission webhook "change.test.dev" denied the request: no', text)
    server.shutdown()
    server.server_close()
    status, text = client.create_map("alone")
    expect(status == 500 and json.loads(text)["message"]
           == 'Internal error occurred: failed calling webhook "change.test.dev": failed to call '
           f'webhook: Post "{url}/change?timeout=5s": dial tcp 127.0.0.1:{server.server_port}: '
           'connect: connection refused', text)
    for kind in ("mutating", "validating"):
        client.ask("DELETE", f"{root}/{kind}webhookconfigurations/"
                   + ("change" if kind == "mutating" else "check"))
    expect(client.create_map("free")[0] == 201, "without them")


def watchers_are_told_of_the_end(platform):
    access = Access(platform.kubeconfig)
    watch = access.open_watch_and_never_read(MAPS)
    watch.settimeout(30)
    first = watch.recv(65536)
    expect(b"200 OK" in first, "a watch")
    platform.down()
    text = first
    while True:
        piece = watch.recv(65536)
        if not piece:
            break
        text += piece
    expect(text.endswith(b"0\r\n\r\n"), f"the last chunk: {text[-60:]}")


sys.exit(run_steps(PressedPlatform(), [
    it_comes_up,
    a_full_disk_refuses_writes_and_answers_reads,
    what_was_acknowledged_survives_the_full_disk,
    a_thousand_watchers_never_read,
    giants_and_dribbles_are_sent_away,
    a_hundred_creates_never_pass_a_quota,
    webhooks_change_and_refuse,
    watchers_are_told_of_the_end,
]))
