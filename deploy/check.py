"""Checks what can be checked of deploy/ without a cluster: schemas, flags, units, cross-references.

    deploy/check [ELOMILL]

runs it with the packages of requirements.txt; ELOMILL is the built command. Every command line that
stands in a unit, a compose file, a manifest or a batch script is given to that command with --help
behind it: the command refuses what it does not know before it prints its help.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import jsonschema
import kubernetes_validate
import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
ELOMILL = "/usr/local/bin/elomill"
# A link in the form of a real one; nothing is connected to.
LINK = f"elomill://mill.example:8117/{'0123456789abcdef' * 2}#{'0123456789abcdef' * 4}"
findings = []


def finding(place, text):
    findings.append(f"{place}: {text}")


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def check_command(place, arguments):
    """The command knows these words."""
    words = [LINK if "JOIN_LINK" in word or "/join/link" in word else word for word in arguments]
    # A variable of the environment with what it is when nobody sets it.
    words = [re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", word) for word in words]
    # And one that Kubernetes fills in.
    words = [re.sub(r"\$\(\w+\)", "filled-in", word) for word in words]
    done = run([PROGRAM, *words, "--help"])
    if done.returncode != 0:
        finding(place, f"elomill {' '.join(words)}: {done.stderr.strip()}")
    commands.append(place)


def after_program(words):
    """What follows the program in a list of words."""
    for index, word in enumerate(words):
        if word == "elomill" or word.endswith("/elomill"):
            return words[index + 1 :]
    return None


def check_units():
    """systemd reads the units, and finds them well fenced in."""
    with tempfile.TemporaryDirectory() as folder:
        for unit in sorted((HERE / "systemd").glob("*.service")):
            text = unit.read_text()
            line = re.search(r"^ExecStart=(.+)$", text, re.M).group(1)
            check_command(unit.name, after_program(shlex.split(line)))
            copy = pathlib.Path(folder) / unit.name
            copy.write_text(text.replace(ELOMILL, PROGRAM))
            done = run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", copy])
            said = (done.stdout + done.stderr).strip()
            if done.returncode != 0 or said:
                finding(unit.name, said or "systemd-analyze verify fails")
            done = run(["systemd-analyze", "security", "--offline=yes", "--threshold=25", copy])
            if done.returncode != 0:
                finding(unit.name, f"exposed: {(done.stdout + done.stderr).strip()[-600:]}")


def compose_schema():
    """The schema of compose files that check-jsonschema carries."""
    import check_jsonschema

    vendored = pathlib.Path(check_jsonschema.__file__).parent / "builtin_schemas" / "vendor"
    return json.loads((vendored / "compose-spec.json").read_text())


def check_compose():
    place = "compose.yaml"
    folder = HERE / "compose"
    compose = yaml.safe_load((folder / place).read_text())
    for error in jsonschema.Draft7Validator(compose_schema()).iter_errors(compose):
        finding(place, f"{'/'.join(map(str, error.path))}: {error.message}")
    services = compose["services"]
    for name, service in services.items():
        where = f"{place}: {name}"
        for wanted in service.get("depends_on", {}):
            if wanted not in services:
                finding(where, f"depends on {wanted}, which is no service")
            elif service["depends_on"][wanted]["condition"] == "service_healthy":
                if "healthcheck" not in services[wanted]:
                    finding(where, f"waits for {wanted} to be healthy, which has no health check")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                if not (folder / source).exists():
                    finding(where, f"{source} is not there")
            elif source not in compose["volumes"]:
                finding(where, f"the volume {source} is not declared")
        for network in service.get("networks", []):
            if network not in compose["networks"]:
                finding(where, f"the network {network} is not declared")
        if service["image"] != "elomill":
            continue
        if "entrypoint" not in service:
            check_command(where, service["command"])
        else:
            lines = service["command"][0].replace("$$", "$").splitlines()
            for words in (shlex.split(line) for line in lines if "elomill " in line):
                words = after_program(words)
                check_command(where, words[: words.index(">")] if ">" in words else words)
        check = service.get("healthcheck", {}).get("test")
        if check:
            check_command(f"{where}: healthcheck", after_program(check))
    # Every variable that has no default is in the example of the environment.
    text = (folder / place).read_text()
    example = (folder / ".env.example").read_text()
    for name in re.findall(r"\$\{(\w+)", text):
        if not re.search(rf"^#?{name}=", example, re.M):
            finding(place, f"{name} is not in .env.example")
    # Grafana's provisioning gets every variable that it uses.
    provisioned = (ROOT / "dashboards/grafana/provisioning/datasources/elomill.yml").read_text()
    for name in re.findall(r"\$\{(\w+)", provisioned):
        if name not in services["grafana"]["environment"]:
            finding(place, f"grafana has no {name}, which its data sources use")


# What a schema for kinds of operators is not to be had for here: the fields that are used, checked
# against the documentation of CloudNativePG 1.27 and KEDA 2.17.
OPERATORS = {
    ("postgresql.cnpg.io/v1", "Cluster"): {
        "instances", "bootstrap", "storage", "postgresql", "resources",
    },
    ("keda.sh/v1alpha1", "ScaledObject"): {
        "scaleTargetRef", "minReplicaCount", "maxReplicaCount", "pollingInterval",
        "cooldownPeriod", "advanced", "triggers",
    },
}


def check_kubernetes():
    base = HERE / "kubernetes" / "base"
    kustomization = yaml.safe_load((base / "kustomization.yaml").read_text())
    files = {path.name for path in base.glob("*.yaml")} - {"kustomization.yaml"}
    if files != set(kustomization["resources"]):
        finding("kustomization.yaml", f"lists {kustomization['resources']}; there are {sorted(files)}")
    manifests = []
    for name in sorted(files):
        for manifest in yaml.safe_load_all((base / name).read_text()):
            place = f"{name}: {manifest['kind']} {manifest['metadata']['name']}"
            manifests.append((place, manifest))
            known = OPERATORS.get((manifest["apiVersion"], manifest["kind"]))
            if known is not None:
                for field in set(manifest["spec"]) - known:
                    finding(place, f"spec.{field} is not known here")
                continue
            try:
                kubernetes_validate.validate(manifest, "1.33", strict=True)
            except kubernetes_validate.ValidationError as error:
                finding(place, str(error))
    of_kind = {}
    for place, manifest in manifests:
        of_kind.setdefault(manifest["kind"], {})[manifest["metadata"]["name"]] = manifest
    running = of_kind["Deployment"] | of_kind["StatefulSet"]
    for name, deployment in running.items():
        template = deployment["spec"]["template"]
        labels = template["metadata"]["labels"]
        if not deployment["spec"]["selector"]["matchLabels"].items() <= labels.items():
            finding(name, "its selector does not select its pods")
        (container,) = template["spec"]["containers"]
        check_command(name, container["args"])
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            exec_ = container.get(probe, {}).get("exec")
            if exec_:
                check_command(f"{name}: {probe}", after_program(exec_["command"]))
        for fenced in (container, *template["spec"].get("initContainers", [])):
            security = fenced["securityContext"]
            if not security["readOnlyRootFilesystem"] or security["capabilities"]["drop"] != ["ALL"]:
                finding(name, f"its container {fenced['name']} is not fenced in")
            # What it mounts is there.
            known = {volume["name"] for volume in template["spec"]["volumes"]}
            known |= {c["metadata"]["name"] for c in deployment["spec"].get("volumeClaimTemplates", [])}
            for mount in fenced.get("volumeMounts", []):
                if mount["name"] not in known:
                    finding(name, f"mounts {mount['name']}, which is no volume of it")
        # Each policy that names it opens the ports that it listens on.
        ports = {str(port["containerPort"]) for port in container["ports"]}
        told = {word.rsplit(":", 1)[1] for word in container["args"] if re.search(r"=0\.0\.0\.0:", word)}
        if ports != told:
            finding(name, f"declares the ports {ports} and is told to listen on {told}")
    for name, service in of_kind["Service"].items():
        wanted = service["spec"]["selector"].items()
        pods = [d["spec"]["template"]["metadata"]["labels"] for d in running.values()]
        if not any(wanted <= labels.items() for labels in pods):
            finding(name, "selects no pod")
    for name, kept in of_kind["StatefulSet"].items():
        if kept["spec"]["serviceName"] not in of_kind["Service"]:
            finding(name, f"its service {kept['spec']['serviceName']} is not there")
    target = of_kind["ScaledObject"]["elomill-worker"]["spec"]["scaleTargetRef"]["name"]
    if target not in of_kind["Deployment"]:
        finding("autoscaler.yaml", f"scales {target}, which is no Deployment")


def check_slurm():
    script = HERE / "slurm" / "elomill-worker.sbatch"
    with tempfile.TemporaryDirectory() as folder:
        link = pathlib.Path(folder) / "link"
        link.write_text(LINK)
        seen = pathlib.Path(folder) / "seen"
        stub = pathlib.Path(folder) / "elomill"
        stub.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {shlex.quote(str(seen))}\n')
        stub.chmod(0o755)
        environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "ELOMILL": str(stub),
            "ELOMILL_LINK_FILE": str(link), "SLURM_ARRAY_TASK_ID": "3", "SLURM_CPUS_PER_TASK": "4",
        }
        done = run(["bash", script], env=environment)
        if done.returncode != 0:
            finding(script.name, done.stderr)
            return
        check_command(script.name, seen.read_text().splitlines())
        if not (pathlib.Path(folder) / ".local/state/elomill/slurm/3").is_dir():
            finding(script.name, "makes no folder for the task's state")


def check_image():
    """The files of each image, put together from the program of this machine: its entry point runs
    as the image's user on a root that is read-only. A program that is not static brings its
    libraries along."""
    dockerfile = (HERE / "docker" / "Dockerfile").read_text()
    stages = re.split(r"^FROM ", dockerfile, flags=re.M)
    images = [stage for stage in stages if "ENTRYPOINT" in stage]
    if len(images) != 2:
        finding("Dockerfile", f"{len(images)} images in place of two")
    for image in images:
        check_entry(image)


def check_entry(image):
    entry = json.loads(re.search(r"^ENTRYPOINT (.+)$", image, re.M).group(1))
    user, group = re.search(r"^USER (\d+):(\d+)$", image, re.M).groups()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        os.chmod(root, 0o755)
        needed = run(["ldd", PROGRAM]).stdout
        for source in re.findall(r"(/\S+) \(0x", needed):
            place = root / source.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(pathlib.Path(source).read_bytes())
            place.chmod(0o755)
        program = root / entry[0].lstrip("/")
        program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROGRAM, program)
        words = " ".join(entry)
        script = f"exec chroot --userspec={user}:{group} {root} {words} --help"
        command = ["sh", "-c", script]
        # A container may not be allowed to mount; the rest is tried there all the same.
        if run(["unshare", "--mount", "true"]).returncode == 0:
            read_only = f"mount --bind {root} {root} && mount -o remount,bind,ro {root}"
            command = ["unshare", "--mount", "sh", "-c", f"{read_only} && {script}"]
        done = run(command)
        if done.returncode != 0 or "Usage: elomill" not in done.stdout:
            finding("Dockerfile", f"the entry point says {done.stdout}{done.stderr}")


if len(sys.argv) != 2:
    sys.exit(__doc__)
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
commands = []
check_units()
check_compose()
check_kubernetes()
check_slurm()
if os.geteuid() == 0:
    check_image()
for text in findings:
    print(text, file=sys.stderr)
if findings:
    sys.exit(1)
print(f"deploy: units, compose file, manifests and {len(commands)} command lines are in order")
