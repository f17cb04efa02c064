# etcd, kube-apiserver and those controllers of Kubernetes that belong to its API (garbage
# collection, namespaces, service accounts, quota, budgets, role aggregation), unmodified and
# without nodes: the peer that the API suite is recorded from.
# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import ssl
import subprocess
import tempfile
import time
import urllib.request

KUBERNETES = "v1.36.3"
ETCD = "v3.6.16"
BUILT = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")),
                     "real-kubernetes")
BIN = os.path.join(BUILT, "bin")
CONTROLLERS = ("garbage-collector-controller", "namespace-controller", "serviceaccount-controller",
               "serviceaccount-token-controller", "resourcequota-controller",
               "disruption-controller", "clusterrole-aggregation-controller")
TOKEN = "recorder-of-the-api-suite"


def build():
    """Compiles from the Go modules what is not there yet; some minutes, once."""
    os.makedirs(BIN, exist_ok=True)
    if not os.path.exists(os.path.join(BIN, "etcd")):
        compile_module("etcd", "go.etcd.io/etcd/server/v3", ETCD, ["go.etcd.io/etcd/server/v3"],
                       os.path.join(BIN, "etcd"))
    if not os.path.exists(os.path.join(BIN, "kube-controller-manager")):
        programs = [f"k8s.io/kubernetes/cmd/{name}" for name in
                    ("kube-apiserver", "kube-controller-manager")]
        compile_module("kubernetes", "k8s.io/kubernetes", KUBERNETES, programs, BIN + "/")


def compile_module(name, module, version, packages, output):
    folder = os.path.join(BUILT, "modules", name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)

    def go(*arguments):
        environment = dict(os.environ, GOWORK="off", GOFLAGS="-mod=mod", CGO_ENABLED="0")
        return subprocess.run(["go", *arguments], cwd=folder, check=True, env=environment,
                              stdout=subprocess.PIPE, text=True).stdout

    go("mod", "init", f"muster.invalid/{name}")
    go("mod", "edit", f"-require={module}@{version}")
    flags = "-s -w"
    if name == "kubernetes":
        pin_published_libraries(go, module, version)
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
            flags += (f" -X {package}.gitVersion={version} -X {package}.gitMajor=1"
                      f" -X {package}.gitMinor={version.split('.')[1]}")
    go("build", "-trimpath", f"-ldflags={flags}", "-o", output, *packages)


def pin_published_libraries(go, module, version):
    """Its go.mod points at folders that the module does not carry; they are published as 0.N.P."""
    found = go("mod", "download", "-json", f"{module}@{version}")
    with open(found.split('"GoMod": "')[1].split('"')[0]) as file:
        for line in file:
            library, arrow, place = line.strip().partition(" => ")
            if arrow and place.startswith("./staging/"):
                go("mod", "edit", f"-replace={library}={library}@v0.{version.split('.', 1)[1]}")


class ControlPlane:
    def __init__(self, port):
        self.folder = tempfile.mkdtemp(prefix="muster-recording-")
        self.port = port
        self.processes = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def up(self):
        build()
        self.make_keys()
        self.start_etcd()
        self.start_api_server()
        self.wait_until_ready()
        self.start("kube-controller-manager", f"--kubeconfig={self.path('controllers.yaml')}",
                   f"--authentication-kubeconfig={self.path('controllers.yaml')}",
                   f"--authorization-kubeconfig={self.path('controllers.yaml')}",
                   "--leader-elect=false", "--use-service-account-credentials",
                   f"--service-account-private-key-file={self.path('accounts.key')}",
                   f"--root-ca-file={self.path('ca.crt')}",
                   f"--secure-port={self.port + 3}", "--bind-address=127.0.0.1",
                   "--controllers=" + ",".join(CONTROLLERS))

    def destroy(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, name, *flags):
        with open(self.path(name + ".log"), "w") as log:
            self.processes.append(subprocess.Popen([os.path.join(BIN, name), *flags], stdout=log,
                                                   stderr=subprocess.STDOUT,
                                                   stdin=subprocess.DEVNULL))

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def make_keys(self):
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        self.openssl("req", "-x509", *curve, "-days", "30", "-subj", "/CN=ca", "-keyout", "ca.key",
                     "-out", "ca.crt")
        with open(self.path("names"), "w") as file:
            file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        self.openssl("req", "-new", *curve, "-subj", "/CN=server", "-keyout", "server.key",
                     "-out", "server.csr")
        self.openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
                     "-CAcreateserial", "-days", "30", "-out", "server.crt", "-extfile", "names")
        self.openssl("genrsa", "-out", "accounts.key", "2048")
        self.openssl("rsa", "-in", "accounts.key", "-pubout", "-out", "accounts.pub")
        controllers = TOKEN + "-controllers"
        with open(self.path("tokens"), "w") as file:
            file.write(f"{TOKEN},admin,admin,system:masters\n"
                       f"{controllers},system:kube-controller-manager,controllers\n")
        with open(self.path("controllers.yaml"), "w") as file:
            file.write("{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, "
                       "context: {cluster: c, user: c}}], clusters: [{name: c, cluster: {server: "
                       f"'https://127.0.0.1:{self.port}', certificate-authority: "
                       f"{self.path('ca.crt')}}}}}], users: [{{name: c, user: {{token: "
                       f"{controllers}}}}}]}}")

        with open(self.path("authentication.yaml"), "w") as file:
            file.write("apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n"
                       "anonymous: {enabled: true, conditions: [{path: /livez}, {path: /readyz}, "
                       "{path: /healthz}, {path: /version}]}\n")

    def start_etcd(self):
        clients = f"http://127.0.0.1:{self.port + 1}"
        peers = f"http://127.0.0.1:{self.port + 2}"
        self.start("etcd", f"--data-dir={self.path('etcd')}", f"--listen-client-urls={clients}",
                   f"--advertise-client-urls={clients}", f"--listen-peer-urls={peers}",
                   f"--initial-advertise-peer-urls={peers}", f"--initial-cluster=default={peers}",
                   "--unsafe-no-fsync")

    def start_api_server(self):
        self.start("kube-apiserver", "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
                   f"--secure-port={self.port}", "--endpoint-reconciler-type=none",
                   f"--tls-cert-file={self.path('server.crt')}",
                   f"--tls-private-key-file={self.path('server.key')}",
                   f"--etcd-servers=http://127.0.0.1:{self.port + 1}",
                   "--authorization-mode=Node,RBAC", "--allow-privileged",
                   f"--authentication-config={self.path('authentication.yaml')}",
                   f"--client-ca-file={self.path('ca.crt')}",
                   f"--token-auth-file={self.path('tokens')}",
                   "--service-account-issuer=https://kubernetes.default.svc",
                   f"--service-account-key-file={self.path('accounts.pub')}",
                   f"--service-account-signing-key-file={self.path('accounts.key')}",
                   "--service-cluster-ip-range=10.0.0.0/16")

    def wait_until_ready(self):
        context = ssl.create_default_context(cafile=self.path("ca.crt"))
        request = urllib.request.Request(f"https://127.0.0.1:{self.port}/readyz",
                                         headers={"Authorization": f"Bearer {TOKEN}"})
        deadline = time.monotonic() + 120
        while True:
            try:
                urllib.request.urlopen(request, context=context, timeout=5).read()
                return
            except OSError as error:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{self.path('kube-apiserver.log')}: {error}") from error
            time.sleep(0.2)

    def access(self):
        """Host, port, token and the authority, as the suite wants them."""
        with open(self.path("ca.crt")) as file:
            return "127.0.0.1", self.port, TOKEN, file.read()
