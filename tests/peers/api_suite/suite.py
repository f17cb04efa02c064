# One API suite, two servers: replays cases/*.yaml against `muster up` and compares with what a
# real kube-apiserver answered; `--record` asks the real one anew.
#   suite.py [WORD…]            cases whose name has a WORD; all without
#   suite.py --record [WORD…]   writes the answers of a real Kubernetes into the case files
#   suite.py --mark             writes not_yet.txt: what ours does not answer like the real one
#   suite.py --report FILE      adds what differs, by owner
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import copy
import os
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
for folder in ("tests/e2e", "tests/peers/real_kubernetes"):
    sys.path.insert(0, os.path.join(ROOT, folder))
import case_file  # noqa: E402
import normalise  # noqa: E402
from conversation import Conversation, Server  # noqa: E402

NOT_YET = os.path.join(HERE, "not_yet.txt")
COMPATIBILITY = os.path.join(ROOT, "docs/compatibility.md")
DIFFERENCES_SHOWN = 12
SLOW_SECONDS = 5


def namespace_of(number):
    return f"suite-{number:04d}"


def prepare(server, case, namespace):
    """A namespace for the case, and in it the service account that pods need."""
    text = str(case.steps)
    if "$ns" not in text:
        return
    server.simple("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    if "/pods" not in text and "serviceaccounts" not in text:
        return
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
    for _ in range(100):
        status, content = server.simple("GET", path)
        if status != 404 or b"could not find the requested resource" in content:
            return
        time.sleep(0.02)


def converse(server, case, number):
    """The answers of a server to the steps of a case."""
    namespace = namespace_of(number)
    prepare(server, case, namespace)
    conversation = Conversation(server, case, namespace)
    answers = []
    try:
        for step in case.steps:
            answers.append(conversation.answer(step))
        return answers
    except OSError as error:
        raise OSError(f"step {len(answers) + 1}: {error}") from error
    finally:
        conversation.close()


def documented_differences():
    """The ids that docs/compatibility.md gives to differences of the API."""
    with open(COMPATIBILITY) as file:
        return set(re.findall(r"^\| `([a-z0-9-]+)` \|", file.read(), re.MULTILINE))


def wanted_answer(step, documented):
    """What ours has to say: the real one's answer, but for differences that are documented."""
    wanted = copy.deepcopy(step.get("answer"))
    for difference in step.get("differs", ()):
        if difference["id"] not in documented:
            raise ValueError(f"{difference['id']} is not in docs/compatibility.md")
        for path in difference.get("at", ()):
            normalise.remove(wanted, path)
        wanted = merged(wanted, difference.get("ours", {}))
    return wanted


def merged(value, patch):
    if not isinstance(patch, dict) or not isinstance(value, dict):
        return patch
    return {**value, **{key: merged(value.get(key), each) for key, each in patch.items()}}


def compare(case, answers, documented):
    """Sentences about the steps whose answers differ."""
    found = []
    for number, (step, answer) in enumerate(zip(case.steps, answers), 1):
        wanted = wanted_answer(step, documented)
        for difference in step.get("differs", ()):
            for path in difference.get("at", ()):
                normalise.remove(answer, path)
        what = step.get("request") or step.get("watch") or f"read {step['read']}"
        found += [f"{number}. {what}: {sentence}" for sentence in told(wanted, answer)]
    return found


def told(wanted, answer):
    """Where even the status differs, nobody wants to read what else does."""
    wanted = wanted or {}
    if wanted.get("status") == answer.get("status"):
        return normalise.differences(wanted, answer)

    def brief(value):
        body = value.get("body")
        message = body.get("message", "") if isinstance(body, dict) else body
        return f"{value.get('status')} {normalise.short(message)}"

    return [f"wanted {brief(wanted)}, got {brief(answer)}"]


def replay(server, cases):
    """The cases that differ, with sentences; and those that do not."""
    documented = documented_differences()
    different, same = {}, []
    for number, case in enumerate(cases, 1):
        began = time.monotonic()
        try:
            found = compare(case, converse(server, case, number), documented)
        except (OSError, ValueError) as error:
            server.close()
            found = [f"{type(error).__name__}: {error}"]
        if found:
            different[case.id] = found
        else:
            same.append(case.id)
        if time.monotonic() - began > SLOW_SECONDS:
            print(f"slow: {case.id} took {time.monotonic() - began:.1f} s", flush=True)
    return different, same


def record(cases):
    from control_plane import ControlPlane
    from real_cluster import free_ports
    peer = ControlPlane(free_ports())
    try:
        peer.up()
        server = Server(*peer.access())
        answers = collections.defaultdict(dict)
        for number, case in enumerate(cases, 1):
            try:
                answers[case.path][case.name] = converse(server, case, number)
            except OSError as error:
                raise RuntimeError(f"{case.id}: {error}") from error
        for path, by_name in answers.items():
            case_file.write_answers(path, by_name)
        requests = sum(case.requests() for case in cases)
        print(f"recorded {len(cases)} cases, {requests} requests")
    finally:
        peer.destroy()


def not_yet():
    if not os.path.exists(NOT_YET):
        return set()
    with open(NOT_YET) as file:
        return {line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")}


def mark(different):
    with open(NOT_YET, "w") as file:
        file.write("# Cases that ours does not answer like the real one yet; made by "
                   "suite.py --mark.\n")
        file.writelines(name + "\n" for name in sorted(different))


def report(path, cases, different):
    """By owner, for those who mend it."""
    by_owner = collections.defaultdict(list)
    for case in cases:
        if case.id in different:
            by_owner[case.owner or "nobody"].append(case)
    with open(path, "w") as file:
        for owner in sorted(by_owner):
            file.write(f"\n## {owner}: {len(by_owner[owner])} cases differ\n")
            for case in by_owner[owner]:
                file.write(f"- **{case.id}**\n")
                sentences = different[case.id]
                for sentence in sentences[:DIFFERENCES_SHOWN]:
                    file.write(f"  - {sentence}\n")
                if len(sentences) > DIFFERENCES_SHOWN:
                    file.write(f"  - … and {len(sentences) - DIFFERENCES_SHOWN} more\n")


def server_under_test(options):
    """Ours: a platform of its own, or the one that a kubeconfig names."""
    from access import Access
    from platform_under_test import Platform
    platform = None
    kubeconfig = options.kubeconfig
    if not kubeconfig:
        platform = Platform(["name=n1,cpu=8,memory=8Gi"], finds_kubectl=False)
        platform.up(first=True)
        kubeconfig = platform.kubeconfig
    access = Access(kubeconfig)
    return platform, Server(access.host, access.port, access.token, access.authority)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--mark", action="store_true")
    parser.add_argument("--report")
    parser.add_argument("--kubeconfig")
    options = parser.parse_args()
    cases = case_file.load(options.words)
    if options.record:
        record(cases)
        return 0
    platform, server = server_under_test(options)
    began = time.monotonic()
    try:
        different, same = replay(server, cases)
    finally:
        if platform:
            platform.destroy()
    took = time.monotonic() - began
    if options.mark:
        mark(different)
    if options.report:
        report(options.report, cases, different)
    expected = not_yet()
    failed = [name for name in different if name not in expected]
    for name in failed:
        print(f"[  FAILED  ] {name}")
        for sentence in different[name][:DIFFERENCES_SHOWN]:
            print(f"    {sentence}")
    requests = sum(case.requests() for case in cases)
    print(f"{len(cases)} cases, {requests} requests in {took:.1f} s; "
          f"{len(different) - len(failed)} are not answered yet (not_yet.txt), "
          f"{len(expected & set(same))} of those listed there are")
    print(f"{len(same)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
