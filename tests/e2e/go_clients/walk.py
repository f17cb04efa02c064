# Runs the programs of tests/peers/go_clients against a platform of their own.
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from platform_under_test import ROOT, Failed, Platform, run_steps  # noqa: E402


def run_client(platform, name):
    tool = os.path.join(ROOT, "tests/peers/tool")
    program = subprocess.run([tool, "client", name], check=True, stdout=subprocess.PIPE, text=True)
    done = subprocess.run([program.stdout.strip()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env=dict(os.environ, KUBECONFIG=platform.kubeconfig),
                          timeout=180)
    print(done.stdout)
    if done.returncode != 0:
        raise Failed(done.stdout[-2000:])


def the_platform_comes_up(platform):
    platform.up(first=True)


def informers_leader_election_and_events_of_client_go(platform):
    run_client(platform, "informer")


def a_manager_of_controller_runtime(platform):
    run_client(platform, "manager")


if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=8,memory=8Gi"], finds_kubectl=False), [
        the_platform_comes_up,
        informers_leader_election_and_events_of_client_go,
        a_manager_of_controller_runtime,
    ]))
