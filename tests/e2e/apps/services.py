# Services with an address of their own: reached by name, by address and by variable, from pods;
# each endpoint in turn; through a rollout; and refused when there is nobody.
# SPDX-License-Identifier: Apache-2.0
from platform_under_test import expect, wait_for

RESPONDER = """
import http.server, socket, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = (sys.argv[1] + " " + socket.gethostname()).encode()
        self.send_response(200); self.send_header("Content-Length", str(len(body)))
        self.end_headers(); self.wfile.write(body)
    def log_message(self, *a): pass
http.server.ThreadingHTTPServer(("0.0.0.0", 8080), Answer).serve_forever()
"""
ASK = """
import sys, urllib.request
for _ in range(int(sys.argv[2])):
    print(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())
"""
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: answer}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: answer}}}}
  strategy: {{rollingUpdate: {{maxUnavailable: 0}}}}
  template:
    metadata: {{labels: {{app: answer}}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: m
        image: busybox
        command: [python3, -c, {script}, {version}]
        ports: [{{name: http, containerPort: 8080}}]
        readinessProbe: {{tcpSocket: {{port: http}}, periodSeconds: 1}}
"""
CLIENT = """
apiVersion: v1
kind: Pod
metadata: {name: client}
spec:
  terminationGracePeriodSeconds: 0
  containers: [{name: m, image: busybox, command: [sleep, "1000"]}]
"""


def deploy(platform, version):
    import json
    platform.apply(WEB.format(script=json.dumps(RESPONDER), version=version))
    platform.kubectl("rollout", "status", "deployment/answer", "--timeout=60s")


def ask(platform, url, times=1):
    out = platform.kubectl("exec", "client", "--", "python3", "-c", ASK, url, str(times),
                           check=False)
    return out.splitlines()


def a_service_is_reached_by_name_and_address(platform):
    deploy(platform, "v1")
    out = platform.kubectl("expose", "deployment", "answer", "--port=80", "--target-port=http")
    expect("Warning" not in out, out)
    platform.apply(CLIENT)
    platform.kubectl("wait", "--for=condition=Ready", "pod/client", "--timeout=30s")
    service = platform.get("service", "answer")["spec"]
    expect(service["clusterIPs"] == [service["clusterIP"]] and service["ipFamilies"] == ["IPv4"],
           service)
    names = sorted(f"v1 {p['metadata']['name']}" for p in platform.items("pods", "-l", "app=answer"))
    for host in ["answer", "answer.default.svc.cluster.local", service["clusterIP"]]:
        wait_for(f"both replicas behind {host}",
                 lambda host=host: sorted(set(ask(platform, f"http://{host}", 6))) == names)


def it_goes_on_through_a_rollout(platform):
    deploy(platform, "v2")
    heard = ask(platform, "http://answer", 4)
    expect(len(heard) == 4 and all(line.startswith("v2 ") for line in heard), heard)


def it_is_reached_on_a_node_port(platform):
    platform.kubectl("patch", "service", "answer", "-p", '{"spec":{"type":"NodePort"}}')
    port = platform.get("service", "answer")["spec"]["ports"][0]["nodePort"]
    expect(30000 <= port <= 32767, port)
    node = platform.items("nodes")[0]["status"]["addresses"]
    address = next(a["address"] for a in node if a["type"] == "InternalIP")
    wait_for("an answer on the node", lambda: ask(
        platform, f"http://{address}:{port}")[0].startswith("v2 "))


def it_refuses_when_nobody_is_there(platform):
    platform.kubectl("scale", "deployment", "answer", "--replicas=0")
    wait_for("nobody", lambda: not platform.items("pods", "-l", "app=answer"))
    wait_for("a refusal", lambda: "refused" in " ".join(ask(platform, "http://answer")))
    platform.kubectl("scale", "deployment", "answer", "--replicas=1")
    platform.kubectl("rollout", "status", "deployment/answer", "--timeout=60s")
    wait_for("an answer again", lambda: ask(platform, "http://answer")[0].startswith("v2 "))


def an_address_is_given_once(platform):
    address = platform.get("service", "answer")["spec"]["clusterIP"]
    out = platform.kubectl("create", "service", "clusterip", "other", "--tcp=80",
                           f"--clusterip={address}", check=False)
    expect("provided IP is already allocated" in out, out)
    platform.kubectl("delete", "service/answer", "deployment/answer", "pod/client", "--wait=false")
    platform.kubectl("create", "service", "clusterip", "other", "--tcp=80",
                     f"--clusterip={address}")
    out = platform.kubectl("create", "service", "loadbalancer", "lb", "--tcp=80")
    expect("nothing here makes load balancers" in out, out)
    expect("<pending>" in platform.kubectl("get", "service", "lb"), "no address outside")


STEPS = [
    a_service_is_reached_by_name_and_address,
    it_goes_on_through_a_rollout,
    it_is_reached_on_a_node_port,
    it_refuses_when_nobody_is_there,
    an_address_is_given_once,
]
