# Conversations with a running pod, as kubectl leads them: commands, terminals, files, output as it
# comes, and ports.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from platform_under_test import Failed, Platform, expect, free_port, run_steps, wait_for  # noqa: E402

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  restartPolicy: Never
  containers:
  - name: main
    image: muster.dev/python
    env: [{name: GREETING, value: hello}]
    command:
    - python3
    - -u
    - -c
    - |
      import http.server, threading, time
      def count():
          n = 0
          while True:
              print("tick", n)
              n += 1
              time.sleep(0.2)
      threading.Thread(target=count, daemon=True).start()
      http.server.HTTPServer(("127.0.0.1", 8080), http.server.SimpleHTTPRequestHandler).serve_forever()
"""
BIG_BYTES = 8 * 1024 * 1024


def interactive(name, command, **more):
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "restartPolicy": "Never", "containers": [{
            "name": "main", "image": "muster.dev/x", "stdin": True,
            "command": ["sh", "-c", command], **more}]}})


def phase(platform, name):
    return (platform.get("pod", name) or {}).get("status", {}).get("phase")


class Running:
    """A kubectl that goes on until it is told to end."""

    def __init__(self, platform, *arguments):
        environment = dict(os.environ, KUBECONFIG=platform.kubeconfig,
                           KUBECACHEDIR=os.path.join(platform.folder, "cache"))
        self.process = subprocess.Popen([platform.kubectl_path, *arguments], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def __enter__(self):
        return self.process

    def __exit__(self, *_):
        self.process.terminate()  # SIGINT may be ignored where this was started in the background
        self.process.communicate()


def run(platform, *arguments, stdin=None):
    environment = dict(os.environ, KUBECONFIG=platform.kubeconfig,
                       KUBECACHEDIR=os.path.join(platform.folder, "cache"))
    return subprocess.run([platform.kubectl_path, *arguments], input=stdin, text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def the_pod_runs(platform):
    platform.up(first=True)
    platform.apply(POD)
    wait_for("the pod", lambda: (platform.get("pod", "web") or {}).get("status", {}).get("phase")
             == "Running")


def a_command_runs_in_the_container(platform):
    done = run(platform, "exec", "web", "--", "sh", "-c", "echo $GREETING; echo oops >&2; pwd; exit 3")
    expect(done.stdout == "hello\n/workspace\n", f"printed {done.stdout!r}")
    expect("oops" in done.stderr, f"complained {done.stderr!r}")
    expect(done.returncode == 3, f"ended with {done.returncode}")


def it_sees_the_processes_of_the_container_and_no_others(platform):
    done = run(platform, "exec", "web", "--", "sh", "-c", "ls -d /proc/[0-9]* | wc -l; touch /etc/x")
    expect(int(done.stdout.split()[0]) <= 6, f"sees {done.stdout!r}")
    expect("Read-only" in done.stderr, f"may write: {done.stderr!r}")


def input_reaches_it(platform):
    text = "".join(f"line {n}\n" for n in range(20000))
    done = run(platform, "exec", "-i", "web", "--", "cat", stdin=text)
    expect(done.stdout == text, f"{len(done.stdout)} of {len(text)} bytes came back")


def a_program_that_is_not_there_is_an_error(platform):
    done = run(platform, "exec", "web", "--", "no-such-program")
    expect(done.returncode == 1, f"ended with {done.returncode}")
    expect("executable file not found in $PATH" in done.stderr, done.stderr)


def a_terminal_is_one(platform):
    command = f"{platform.kubectl_path} exec -it web -- sh -c 'tty; stty -a | head -1'"
    done = subprocess.run(["script", "-qec", f"stty rows 33 cols 99; {command}", "/dev/null"],
                          env=dict(os.environ, KUBECONFIG=platform.kubeconfig), text=True, timeout=60,
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    expect("/dev/pts/" in done.stdout, done.stdout)


def files_are_copied_both_ways(platform):
    there = os.path.join(platform.folder, "there")
    back = os.path.join(platform.folder, "back")
    with open(there, "wb") as file:
        file.write(os.urandom(BIG_BYTES))
    done = run(platform, "cp", there, "web:/workspace/big")
    expect(done.returncode == 0, done.stderr)
    done = run(platform, "cp", "web:/workspace/big", back)
    expect(done.returncode == 0, done.stderr)
    with open(there, "rb") as one, open(back, "rb") as other:
        expect(one.read() == other.read(), "the copy of the copy differs")


def whoever_attaches_sees_what_comes(platform):
    with Running(platform, "attach", "web") as process:
        lines = [process.stdout.readline() for _ in range(6)]
    expect(any(line.startswith("tick ") for line in lines), f"saw {lines!r}")


def ports_are_forwarded(platform):
    port = free_port()
    with Running(platform, "port-forward", "web", f"{port}:8080") as process:
        expect("Forwarding from" in process.stdout.readline(), "it does not forward")
        for _ in range(5):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20).read()
        big = urllib.request.urlopen(f"http://127.0.0.1:{port}/big", timeout=20).read()
        expect(len(big) == BIG_BYTES, f"{len(big)} bytes came")


def a_port_that_nobody_listens_on_is_an_error(platform):
    port = free_port()
    with Running(platform, "port-forward", "web", f"{port}:9999") as process:
        process.stdout.readline()
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20)
            raise Failed("somebody answered")
        except (urllib.error.URLError, OSError):
            pass
        text = "".join(process.stdout.readline() for _ in range(3))
    expect("refused" in text, f"it says {text!r}")


def input_reaches_the_container_itself(platform):
    platform.apply(interactive("cat", "echo ready >&2; cat; echo over", stdinOnce=True))
    wait_for("the pod", lambda: phase(platform, "cat") == "Running")
    done = run(platform, "attach", "-i", "cat", stdin="hello\n")
    expect(done.stdout == "hello\nover\n", f"it printed {done.stdout!r}")
    wait_for("its end", lambda: phase(platform, "cat") == "Succeeded")
    expect(platform.kubectl("logs", "cat") == "ready\nhello\nover\n", "the log has another text")


def a_container_may_have_a_terminal(platform):
    platform.apply(interactive("shell", "exec sh", tty=True))
    wait_for("the pod", lambda: phase(platform, "shell") == "Running")
    with Running(platform, "attach", "-i", "shell") as process:
        process.stdin.write("[ -t 0 ] && [ -t 1 ] && echo is-a-$((1))-terminal $TERM\nexit 3\n")
        process.stdin.flush()
        wait_for("its end", lambda: phase(platform, "shell") == "Failed")
    expect("is-a-1-terminal xterm" in platform.kubectl("logs", "shell"), "it has no terminal")


def clients_that_speak_spdy_are_heard(platform):
    os.environ["KUBECTL_REMOTE_COMMAND_WEBSOCKETS"] = "false"
    os.environ["KUBECTL_PORT_FORWARD_WEBSOCKETS"] = "false"
    try:
        a_command_runs_in_the_container(platform)
        input_reaches_it(platform)
        ports_are_forwarded(platform)
    finally:
        del os.environ["KUBECTL_REMOTE_COMMAND_WEBSOCKETS"]
        del os.environ["KUBECTL_PORT_FORWARD_WEBSOCKETS"]


def what_is_used_is_measured(platform):
    wait_for("the pod's usage", lambda: "web" in run(platform, "top", "pods").stdout)
    words = run(platform, "top", "pods", "--containers", "--no-headers").stdout.split()
    expect(words[:2] == ["web", "main"] and words[3].endswith("Mi"), f"top says {words}")
    expect(int(words[3][:-2]) > 0, f"top says {words}")
    expect("n1" in run(platform, "top", "nodes").stdout, "the node has no usage")


def a_command_ends_with_its_client(platform):
    with Running(platform, "exec", "web", "--", "sleep", "4711"):
        wait_for("the command", lambda: "sleep 4711" in list_commands(platform))
    wait_for("its end", lambda: "sleep 4711" not in list_commands(platform))


def list_commands(platform):
    return run(platform, "exec", "web", "--", "sh", "-c",
               "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline; echo; done").stdout


def a_pod_that_has_ended_says_so(platform):
    platform.apply(POD.replace("name: web", "name: done").replace("python3", "/bin/true", 1))
    wait_for("its end", lambda: (platform.get("pod", "done") or {}).get("status", {}).get("phase")
             in ("Succeeded", "Failed"))
    done = run(platform, "exec", "done", "--", "true")
    expect("completed pod" in done.stderr, done.stderr)
    done = run(platform, "exec", "nobody", "--", "true")
    expect('pods "nobody" not found' in done.stderr, done.stderr)


def a_pod_that_was_ended_by_down_has_failed_after_up(platform):
    platform.down()
    time.sleep(0.1)
    platform.up()
    wait_for("the end", lambda: (platform.get("pod", "web") or {}).get("status", {}).get("phase")
             == "Failed")


STEPS = [
    the_pod_runs,
    a_command_runs_in_the_container,
    it_sees_the_processes_of_the_container_and_no_others,
    input_reaches_it,
    a_program_that_is_not_there_is_an_error,
    a_terminal_is_one,
    files_are_copied_both_ways,
    whoever_attaches_sees_what_comes,
    ports_are_forwarded,
    a_port_that_nobody_listens_on_is_an_error,
    what_is_used_is_measured,
    clients_that_speak_spdy_are_heard,
    input_reaches_the_container_itself,
    a_container_may_have_a_terminal,
    a_command_ends_with_its_client,
    a_pod_that_has_ended_says_so,
    a_pod_that_was_ended_by_down_has_failed_after_up,
]

if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=4,memory=4Gi"]), STEPS))
