# Pods that run from images: made here of busybox, imported, run by runc, looked into, attacked,
# removed; devices by CDI; kill -9 of the platform.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from images import Layout, busybox_layer, layer, program_layer  # noqa: E402
from registry import Registry  # noqa: E402
from platform_under_test import BINARIES, MUSTER, Platform, expect, run_steps, wait_for  # noqa: E402

NODES = ["name=n1,cpu=8,memory=8Gi,nvidia.com/gpu=2,example.com/null=2"]
IMAGE = "docker.io/library/demo:v1"


def muster(platform, *arguments, check=True):
    done = subprocess.run([MUSTER, *arguments, "--data", platform.data], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if check:
        expect(done.returncode == 0, f"muster {' '.join(arguments)}: {done.stdout}")
    return done.stdout if check else (done.returncode, done.stdout)


def pod(name, script=None, image="demo:v1", **more):
    container = {"name": "main", "image": image}
    if script:
        container["command"] = ["sh", "-c", script]
    spec = more.pop("spec", {})
    container.update(more)
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
        "containers": [container], **spec}})


def status(platform, name):
    return (platform.get("pod", name) or {}).get("status", {})


def container(platform, name):
    return status(platform, name).get("containerStatuses", [{}])[0]


def wait_phase(platform, name, phase):
    wait_for(f"pod {name} to be {phase}", lambda: status(platform, name).get("phase") == phase)


def output(platform, name, script, **more):
    """Runs a pod to its end; its log."""
    platform.apply(pod(name, script, **more))
    wait_for(f"the end of {name}",
             lambda: status(platform, name).get("phase") in ("Succeeded", "Failed"))
    return platform.kubectl("logs", name)


def images_are_imported_listed_and_named(platform):
    folder = os.path.join(platform.folder, "layout")
    images = Layout(folder)
    base = busybox_layer()
    images.add(IMAGE, [base, layer({"greeting": (b"hello from the image\n", 0o644)})],
               Cmd=["sh", "-c", "cat /greeting; sleep 1000"], Env=["PATH=/bin", "FROM=image"],
               WorkingDir="/work", User="trainer")
    images.add("registry.k8s.io/pause:3.10", [base], Entrypoint=["sleep", "1000000"],
               Env=["PATH=/bin"], User="65535")
    trainer = os.path.join(BINARIES, "muster-trainer")
    if os.path.exists(trainer):
        images.add("localhost/trainer:v1", [base, program_layer(trainer)], Env=["PATH=/bin"])
    said = muster(platform, "image", "import", folder)
    expect(f"{IMAGE} is here" in said, said)
    listed = json.loads(muster(platform, "image", "list", "-o", "json"))["images"]
    expect(IMAGE in [each["name"] for each in listed], str(listed))
    expect(IMAGE in muster(platform, "image", "list"), "the table lacks it")
    # An archive of the same, under another name.
    archive = os.path.join(platform.folder, "image.tar")
    subprocess.run(["skopeo", "--insecure-policy", "copy", "--quiet", f"oci:{folder}:{IMAGE}",
                    f"docker-archive:{archive}:example.com/other:v2"], check=True)
    said = muster(platform, "image", "import", archive)
    expect("example.com/other:v2 is here" in said, said)


def refusals_say_what_to_do(platform):
    code, said = muster(platform, "image", "import", "/etc/passwd", check=False)
    expect(code == 2 and "neither an archive" in said, said)
    code, said = muster(platform, "image", "import", platform.folder, check=False)
    expect(code == 2 and "no index.json" in said, said)
    code, said = muster(platform, "image", "rm", "nobody", check=False)
    expect(code == 1 and "muster image list" in said, said)
    code, said = muster(platform, "image", "pull", "Not A Name", check=False)
    expect(code == 2 and "invalid reference format" in said, said)


def a_pod_runs_as_its_image_says(platform):
    platform.apply(pod("plain"))
    wait_phase(platform, "plain", "Running")
    wait_for("its greeting", lambda: platform.kubectl("logs", "plain") == "hello from the image\n")
    seen = container(platform, "plain")
    expect(seen["image"] == IMAGE, str(seen))
    expect(seen["imageID"].startswith("sha256:"), str(seen))
    said = platform.kubectl("exec", "plain", "--", "sh", "-c", "id; pwd; echo $FROM; hostname")
    expect("uid=1000(trainer) gid=100(users)" in said and "44(video)" in said, said)
    expect(said.split("\n")[1:4] == ["/work", "image", "plain"], said)
    inside = platform.kubectl("exec", "plain", "--", "ip", "addr")
    expect(status(platform, "plain")["podIP"] in inside, f"exec is in another network: {inside}")


def exec_cp_and_exit_codes_work(platform):
    done = platform.kubectl("exec", "plain", "--", "sh", "-c", "exit 7", check=False)
    expect("exit code 7" in done, done)
    done = platform.kubectl("exec", "plain", "--", "no-such", check=False)
    expect("executable file not found in $PATH" in done, done)
    local = os.path.join(platform.folder, "file")
    with open(local, "w") as file:
        file.write("carried over\n")
    platform.kubectl("cp", local, "plain:/tmp/file", "--no-preserve", check=False)
    back = os.path.join(platform.folder, "back")
    platform.kubectl("cp", "plain:/greeting", back)
    with open(back) as file:
        expect(file.read() == "hello from the image\n", "cp from the pod")
    said = output(platform, "fails", "echo bye > /dev/termination-log; exit 3")
    ended = container(platform, "fails")["state"]["terminated"]
    expect(ended["exitCode"] == 3 and ended["message"] == "bye\n", f"{ended} {said}")
    platform.apply(pod("missing", **{"command": ["/no/such/program"]}))
    wait_phase(platform, "missing", "Failed")
    ended = container(platform, "missing")["state"]["terminated"]
    expect(ended["reason"] == "StartError" and ended["exitCode"] == 128, str(ended))
    expect("no such file or directory" in ended["message"], str(ended))


def rights_are_what_the_pod_says(platform):
    said = output(platform, "rights", "id -u; grep NoNewPrivs /proc/self/status; "
                  "grep CapEff /proc/self/status; touch /x && echo wrote",
                  securityContext={"runAsUser": 0, "readOnlyRootFilesystem": True,
                                   "allowPrivilegeEscalation": False,
                                   "capabilities": {"drop": ["ALL"], "add": ["NET_RAW"]}})
    expect(said.split("\n")[0] == "0" and "NoNewPrivs:\t1" in said, said)
    expect("CapEff:\t0000000000002000" in said and "Read-only file system" in said, said)
    platform.apply(pod("root", "true", securityContext={"runAsNonRoot": True}))
    wait_for("runAsNonRoot to be refused", lambda: container(platform, "root").get(
        "state", {}).get("waiting", {}).get("reason") == "CreateContainerConfigError")
    expect("non-numeric user (trainer)" in container(platform, "root")["state"]["waiting"]["message"],
           "kubelet's words")
    said = output(platform, "limited", "cat /sys/fs/cgroup/memory/memory.limit_in_bytes "
                  "/sys/fs/cgroup/memory.max 2> /dev/null; "
                  "dd if=/dev/zero of=/dev/null bs=200M count=1",
                  resources={"limits": {"memory": "64Mi"}})
    expect("67108864" in said, said)
    ended = container(platform, "limited")["state"]["terminated"]
    expect(ended["reason"] == "OOMKilled" and ended["exitCode"] == 137, str(ended))
    here = os.readlink("/proc/self/ns/ipc")
    for name, is_shared in (("own-memory", False), ("machines-memory", True)):
        said = output(platform, name, "readlink /proc/self/ns/ipc; grep ' /dev/shm ' /proc/mounts",
                      spec={"hostIPC": is_shared})
        expect((here in said) == is_shared and ("size=65536k" in said) != is_shared, said)


def nobody_gets_out(platform):
    """Escape tests: the machine's files, other pods, devices, /proc and namespaces."""
    said = output(platform, "escape", f"""
        ls {platform.data} /root /home 2> /dev/null
        mknod /tmp/disk b 8 0 && head -c 1 /tmp/disk && echo DISK
        mknod /tmp/memory c 1 1 && head -c 1 /tmp/memory && echo MEMORY
        mount -t tmpfs none /tmp && echo MOUNTED
        unshare -U true && echo UNSHARED
        echo 1 > /proc/sys/kernel/panic && echo PANIC
        echo b > /proc/sysrq-trigger && echo REBOOT
        head -c 1 /proc/kcore && echo KCORE
        ps | grep -c muster
        kill -9 {platform.pid()} && echo KILLED
        ls /proc/1/root/greeting
        (: > /sys/fs/cgroup/memory/memory.limit_in_bytes) && echo CGROUP
        echo done""", securityContext={"runAsUser": 0})
    words = said.split()
    for word in ("DISK", "MEMORY", "MOUNTED", "UNSHARED", "PANIC", "REBOOT", "KCORE", "KILLED",
                 "CGROUP"):
        expect(word not in words, f"{word}: {said}")
    expect("/proc/1/root/greeting" in said and words[-1] == "done", said)
    expect("pods" not in words and "images" not in words, said)


def an_absent_image_waits_with_its_reason(platform):
    platform.apply(pod("absent", "true", image="registry.invalid/none:1"))
    platform.apply(pod("never", "true", image="demo:v9", imagePullPolicy="Never"))
    platform.apply(pod("nonsense", "true", image="Not/A/Name"))

    def reason(name):
        return container(platform, name).get("state", {}).get("waiting", {}).get("reason")

    wait_for("ErrImageNeverPull", lambda: reason("never") == "ErrImageNeverPull")
    wait_for("InvalidImageName", lambda: reason("nonsense") == "InvalidImageName")
    wait_for("ErrImagePull", lambda: reason("absent") in ("ErrImagePull", "ImagePullBackOff"))
    wait_for("ImagePullBackOff", lambda: reason("absent") == "ImagePullBackOff")
    told = [each["message"] for each in platform.items("events")]
    for message in ('Pulling image "registry.invalid/none:1"', "Error: ErrImagePull",
                    'Back-off pulling image "registry.invalid/none:1"', "Error: ImagePullBackOff",
                    'Container image "demo:v9" is not present with pull policy of Never'):
        expect(message in told, f"no event says: {message}")
    # Who waits for an image that somebody brings has it soon.
    muster(platform, "image", "import", os.path.join(platform.folder, "image.tar"), "--name",
           "demo:v9")
    wait_phase(platform, "never", "Succeeded")


def processes_are_shared_where_the_pod_asks(platform):
    two = json.loads(pod("together", "sleep 7650 & sleep 1; ps",
                         spec={"shareProcessNamespace": True}))
    two["spec"]["containers"][0]["name"] = "first"
    two["spec"]["containers"].append(dict(two["spec"]["containers"][0], name="second",
                                          command=["sh", "-c", "sleep 3; ps"]))
    platform.apply(json.dumps(two))
    wait_phase(platform, "together", "Succeeded")
    first = platform.kubectl("logs", "together", "-c", "first")
    second = platform.kubectl("logs", "together", "-c", "second")
    expect("muster-pause" in first and "sleep 3" in first, f"it does not see the other: {first}")
    expect("sleep 7650" not in second, f"what the first one left behind runs on: {second}")
    machine = str(os.getpid())
    platform.apply(pod("machine", f"sleep 7651 & test -d /proc/{machine} && echo seen",
                       spec={"hostPID": True}))
    wait_phase(platform, "machine", "Succeeded")
    expect("seen" in platform.kubectl("logs", "machine"), "the machine's processes are not seen")
    left = subprocess.run(["pgrep", "-f", "^sleep 765[01]"], stdout=subprocess.PIPE, text=True)
    expect(not left.stdout, f"it runs on: {left.stdout}")


def a_private_image_is_pulled_with_its_secret(platform):
    images = Layout(os.path.join(platform.folder, "private"))
    images.add("private:v1", [busybox_layer()], Env=["PATH=/bin"])
    registry = Registry(images, "somebody", "opensesame")
    image = f"{registry.name}/private:v1"

    def with_secret(name, secret):
        return pod(name, "echo mine", image=image, spec={"imagePullSecrets": [{"name": secret}]})

    def told(message):
        return any(message in each["message"] for each in platform.items("events"))

    platform.apply(with_secret("stranger", "nothing"))
    wait_for("a refusal", lambda: told("unauthorized") or told("authentication required"))
    expect(told("Unable to retrieve some image pull secrets (nothing); attempting to pull the image "
                "may not succeed."), "the missing secret is not told of")
    platform.kubectl("create", "secret", "docker-registry", "key", f"--docker-server={registry.name}",
                     "--docker-username=somebody", "--docker-password=opensesame")
    platform.apply(with_secret("owner", "key"))
    wait_phase(platform, "owner", "Succeeded")
    expect(platform.kubectl("logs", "owner").strip() == "mine", "it says something else")
    # By hand the same file as everywhere.
    auths = json.dumps({"auths": {registry.name: {"auth": "c29tZWJvZHk6b3BlbnNlc2FtZQ=="}}})
    path = os.path.join(platform.folder, "auth.json")
    with open(path, "w") as file:
        file.write(auths)
    said = muster(platform, "image", "pull", "--authfile", path, image)
    expect(f"{image} is here" in said, said)
    registry.server.shutdown()


def an_image_in_use_stays(platform):
    code, said = muster(platform, "image", "rm", "example.com/other:v2", check=False)
    expect(code == 0, said)  # another name of it is left
    code, said = muster(platform, "image", "rm", "demo:v1", check=False)
    expect(code == 1 and "pod default/plain runs on it" in said, said)
    muster(platform, "image", "rm", "demo:v9")
    expect("demo:v9" not in muster(platform, "image", "list"), "it is still listed")


def devices_are_given_to_one_at_a_time(platform):
    wants = {"limits": {"nvidia.com/gpu": 1}}
    script = "env | grep VISIBLE; sleep 1000"
    for name in ("gpu-a", "gpu-b"):
        platform.apply(pod(name, script, resources=wants))
    platform.apply(pod("gpu-host", "env | grep VISIBLE", image="muster.dev/host"))
    seen = set()
    for name in ("gpu-a", "gpu-b"):
        wait_phase(platform, name, "Running")
        seen.add(wait_for("its devices", lambda: platform.kubectl("logs", name)))
    expect(len(seen) == 2 and all("CUDA_VISIBLE_DEVICES=" in text for text in seen), str(seen))
    wait_phase(platform, "gpu-host", "Failed")  # it asked for none, and grep finds none
    said = output(platform, "device", "ls -l /dev/pretended; echo x > /dev/pretended && echo $KIND",
                  resources={"limits": {"example.com/null": 1}})
    expect("1,   3" in said and "null device" in said, said)
    said = output(platform, "none", "ls /dev/pretended")
    expect("No such file" in said, said)


def pods_survive_the_platform(platform):
    before = container(platform, "plain")
    platform.kill()
    platform.up()
    wait_phase(platform, "plain", "Running")
    after = container(platform, "plain")
    expect(after["state"] == before["state"] and after["restartCount"] == 0, f"{before} {after}")
    expect(after["imageID"] == before["imageID"], "it forgot its image")
    said = platform.kubectl("exec", "plain", "--", "cat", "/greeting")
    expect(said == "hello from the image\n", said)
    listed = wait_for("the node to list the image", lambda: [
        name for each in platform.get("node", "n1")["status"].get("images", [])
        for name in each["names"] if name == IMAGE])
    expect(listed == [IMAGE], str(listed))
    # The devices that were given are still given.
    platform.apply(pod("gpu-c", "true", resources={"limits": {"nvidia.com/gpu": 1}}))
    platform.kubectl("delete", "pod", "gpu-a", "--wait=true")
    wait_phase(platform, "gpu-c", "Succeeded")


def a_gang_trains_from_an_image(platform):
    if not os.path.exists(os.path.join(BINARIES, "muster-trainer")):
        return
    platform.apply("""
apiVersion: v1
kind: Service
metadata: {name: ring}
spec: {clusterIP: None, selector: {job-name: ring}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: ring}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  template:
    spec:
      subdomain: ring
      restartPolicy: Never
      containers:
      - name: main
        image: localhost/trainer:v1
        command: [muster-trainer, --size, "2", --master, ring-0.ring, --steps, "3"]
""")
    wait_for("the gang to train", lambda: any(
        each["type"] == "Complete" and each["status"] == "True"
        for each in platform.get("job", "ring").get("status", {}).get("conditions", [])))
    expect("SUCCESS" in platform.kubectl("logs", "-l", "job-name=ring"), "no rank succeeded")


def nothing_is_left_when_it_goes_down(platform):
    uid = platform.get("pod", "plain")["metadata"]["uid"]
    expect(processes_in_group(uid), "the pod has no process")
    platform.down()
    wait_for("its processes to end", lambda: not processes_in_group(uid))


def processes_in_group(word):
    """Processes of a control group with that word in its name."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cgroup") as file:
                if name.isdigit() and word in file.read():
                    found.append(name)
        except OSError:
            continue
    return found


def main():
    if not all(shutil.which(tool) for tool in ("runc", "skopeo", "umoci")):
        print("skipped: runc, skopeo or umoci is missing\n0 passed, 0 failed")
        return 0
    platform = Platform(NODES, host_images="muster.dev/*")
    folder = os.path.join(platform.folder, "cdi")
    os.makedirs(folder)
    with open(os.path.join(folder, "null.yaml"), "w") as file:
        json.dump({"cdiVersion": "0.6.0", "kind": "example.com/null", "devices": [
            {"name": str(number), "containerEdits": {
                "env": ["KIND=null device"],
                "deviceNodes": [{"path": "/dev/pretended", "hostPath": "/dev/null"}]}}
            for number in range(2)]}, file)
    platform.up(first=True, more=["--cdi-folder", folder])
    return run_steps(platform, [
        images_are_imported_listed_and_named, refusals_say_what_to_do, a_pod_runs_as_its_image_says,
        exec_cp_and_exit_codes_work, rights_are_what_the_pod_says, nobody_gets_out,
        processes_are_shared_where_the_pod_asks,
        an_absent_image_waits_with_its_reason, a_private_image_is_pulled_with_its_secret,
        an_image_in_use_stays,
        devices_are_given_to_one_at_a_time, pods_survive_the_platform, a_gang_trains_from_an_image,
        nothing_is_left_when_it_goes_down])


if __name__ == "__main__":
    sys.exit(main())
