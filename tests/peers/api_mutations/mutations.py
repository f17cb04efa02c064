# Takes, empties and bends every field of the objects in objects.yaml, sends each result as a dry
# run to a real kube-apiserver and to Muster, and compares: codes, messages and warnings of
# creations, codes and messages of updates, and the objects that were accepted, defaults included.
#
#   mutations.py [--kind Pod] [--peer KUBECONFIG --ours KUBECONFIG] [--show]
#
# Without kubeconfigs it starts both servers itself (MUSTER_REAL_KUBERNETES, build/release).
# SPDX-License-Identifier: Apache-2.0
import argparse
import base64
import copy
import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BINARIES = os.environ.get("MUSTER_BINARIES", os.path.join(ROOT, "build/release/bin"))
PEER_PORT = 17553
# What may differ: structs printed as Go prints them, lists that are empty and not absent, and what
# docs/compatibility.md lists.
AGREEMENT_MIN = {"create": 0.98, "update": 0.95, "answer": 0.95}
ABSENT = object()


def in_file(text):
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(base64.b64decode(text))
    return file.name


class Server:
    """One API server, and who talks to it."""

    def __init__(self, kubeconfig):
        with open(kubeconfig) as file:
            config = yaml.safe_load(file)
        user = config["users"][0]["user"]
        self.host = config["clusters"][0]["cluster"]["server"].split("//")[1]
        self.headers = {"Content-Type": "application/json"}
        self.context = ssl.create_default_context()
        self.context.check_hostname = False
        self.context.verify_mode = ssl.CERT_NONE
        self.connection = None
        if "token" in user:
            self.headers["Authorization"] = "Bearer " + user["token"]
            return
        paths = [user.get(name) or in_file(user[name + "-data"])
                 for name in ("client-certificate", "client-key")]
        self.context.load_cert_chain(*paths)

    def ask(self, method, path, body=None):
        """(code, body, warnings); code 0: it hung up."""
        for _ in range(2):
            if self.connection is None:
                self.connection = http.client.HTTPSConnection(self.host, context=self.context,
                                                              timeout=20)
            try:
                text = None if body is None else json.dumps(body)
                self.connection.request(method, path, body=text, headers=self.headers)
                answer = self.connection.getresponse()
                return answer.status, answer.read(), answer.headers.get_all("Warning") or []
            except (OSError, http.client.HTTPException):
                self.connection = None
        return 0, b"", []


class Pair:
    def __init__(self, peer, ours, show):
        self.peer, self.ours, self.show = peer, ours, show
        self.same = {name: 0 for name in AGREEMENT_MIN}
        self.asked = dict(self.same)
        self.plurals = {}

    def url(self, obj):
        version = obj["apiVersion"]
        base = "/api/" + version if "/" not in version else "/apis/" + version
        if version not in self.plurals:
            resources = json.loads(self.peer.ask("GET", base)[1])["resources"]
            self.plurals[version] = {each["kind"]: each for each in resources
                                     if "/" not in each["name"]}
        resource = self.plurals[version][obj["kind"]]
        middle = "/namespaces/default" if resource["namespaced"] else ""
        return f"{base}{middle}/{resource['name']}"

    def compare(self, what, where, peer, ours):
        self.asked[what] += 1
        if peer == ours:
            self.same[what] += 1
        elif self.show:
            print(f"{what} {where}\n  peer {peer}\n  ours {ours}")


def places(value, at=()):
    yield at
    children = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, at + (key,))


def at(value, place):
    for key in place:
        value = value[key]
    return value


def bent(obj, place, value):
    obj = copy.deepcopy(obj)
    around = at(obj, place[:-1])
    if value is ABSENT:
        del around[place[-1]]
    else:
        around[place[-1]] = value
    return obj


def bends(old):
    yield ABSENT
    if isinstance(old, str):
        yield from ("", "UP_per!", "1abc", "a" * 300, 5, None, "-x", "a b")
    elif isinstance(old, bool):
        yield from ("x", None)
    elif isinstance(old, int):
        yield from (-1, 0, 1, 70000, 99999999999, "x", None, 1.5)
    elif isinstance(old, list):
        yield from ([], None, "x", [None])
        if old:
            yield old + [copy.deepcopy(old[-1])]
    else:
        yield from ({}, None, "x", dict(old, unknownField="x"))


def mutations(obj):
    for place in list(places(obj)):
        if not place or place[0] in ("apiVersion", "kind") or place == ("metadata",):
            continue
        for value in bends(at(obj, place)):
            yield f"{obj['kind']} {'.'.join(map(str, place))} = {value!r:.40}", bent(obj, place, value)


def message(code, body):
    if code < 300:
        return ""
    try:
        text = json.loads(body).get("message", "")
    except ValueError:
        text = body.decode(errors="replace")
    # Behind the sentence the peer prints a diff of its structs.
    return text.split("\n")[0].rstrip("]")


def plain(body):
    obj = json.loads(body)
    for key in ("uid", "creationTimestamp", "resourceVersion", "managedFields"):
        obj.get("metadata", {}).pop(key, None)
    text = json.dumps(obj, sort_keys=True)
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID", text)
    return re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME", text)


def create(pair, obj):
    url = pair.url(obj) + "?dryRun=All&fieldValidation=Strict"
    for where, each in mutations(obj):
        peer, ours = pair.peer.ask("POST", url, each), pair.ours.ask("POST", url, each)
        if peer[0] == 0:
            continue  # it has fallen over this one
        pair.compare("create", where, (peer[0], message(*peer[:2]), peer[2]),
                     (ours[0], message(*ours[:2]), ours[2]))
        if peer[0] == ours[0] == 201:
            pair.compare("answer", where, plain(peer[1]), plain(ours[1]))


def update(pair, obj):
    obj = copy.deepcopy(obj)
    for key in ("finalizers", "ownerReferences"):
        obj["metadata"].pop(key, None)
    url = f"{pair.url(obj)}/{obj['metadata']['name']}"
    stored = []
    for server in (pair.peer, pair.ours):
        server.ask("POST", pair.url(obj), obj)
        stored.append(json.loads(server.ask("GET", url)[1]))
        for key in ("resourceVersion", "managedFields"):
            stored[-1].get("metadata", {}).pop(key, None)
    for place in places(obj):
        if len(place) < 2 or place[:2] in (("metadata", "name"), ("metadata", "namespace")):
            continue
        try:
            old = at(stored[0], place)
            at(stored[1], place)
        except (KeyError, IndexError, TypeError):
            continue
        for value in bends(old):
            answers = [server.ask("PUT", url + "?dryRun=All&fieldValidation=Strict",
                                  bent(own, place, value))
                       for server, own in zip((pair.peer, pair.ours), stored)]
            if answers[0][0] == 0:
                continue
            pair.compare("update", f"{obj['kind']} {'.'.join(map(str, place))} = {value!r:.40}",
                         *[(each[0], message(*each[:2])) for each in answers])
    for server in (pair.peer, pair.ours):
        server.ask("DELETE", url + "?gracePeriodSeconds=0")


def compare_all(pair, kind):
    with open(os.path.join(HERE, "objects.yaml")) as file:
        objects = [each for each in yaml.safe_load_all(file) if each]
    for obj in objects:
        if kind and obj["kind"] != kind:
            continue
        create(pair, obj)
        # Its objects stay: it has no controllers that would take their finalizers away.
        if obj["kind"] not in ("Namespace", "PersistentVolume", "PersistentVolumeClaim", "Job"):
            update(pair, obj)
    failed = 0
    for what, least in AGREEMENT_MIN.items():
        share = pair.same[what] / max(pair.asked[what], 1)
        failed += share < least
        print(f"{what}: {pair.same[what]} of {pair.asked[what]} agree, {share:.2%} (at least {least:.0%})")
    print(f"{len(AGREEMENT_MIN) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description="Bent objects, two servers, the same answers")
    parser.add_argument("--kind")
    parser.add_argument("--peer")
    parser.add_argument("--ours")
    parser.add_argument("--show", action="store_true", help="print every difference")
    arguments = parser.parse_args()
    if arguments.peer:
        return compare_all(Pair(Server(arguments.peer), Server(arguments.ours), arguments.show),
                           arguments.kind)
    folder = tempfile.mkdtemp(prefix="muster-mutations-")
    tool, muster = os.environ["MUSTER_REAL_KUBERNETES"], os.path.join(BINARIES, "muster")
    try:
        subprocess.run([tool, "up", "--dir", f"{folder}/peer", "--port", str(PEER_PORT)],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([muster, "up", "--data", f"{folder}/ours", "--listen", "127.0.0.1:0", "--node",
                        "name=n1,cpu=8,memory=8Gi,runtime=pretend"], check=True,
                       stdout=subprocess.DEVNULL)
        return compare_all(Pair(Server(f"{folder}/peer/kubeconfig"),
                                Server(f"{folder}/ours/kubeconfig"), arguments.show),
                           arguments.kind)
    finally:
        subprocess.run([muster, "down", "--data", f"{folder}/ours"], stdout=subprocess.DEVNULL)
        subprocess.run([tool, "down", "--dir", f"{folder}/peer"], stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
