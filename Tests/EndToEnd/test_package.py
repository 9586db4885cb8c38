"""The Debian package and the tarball: what is in them, and that what they install runs.

With SLUICE_NIGHTLY the binary is the optimised one (`make package`); otherwise the one under test,
packed fast.
"""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.request

import pytest
from sluice import BINARY, PATIENCE, ROOT, eventually

pytestmark = [
    pytest.mark.long,
    pytest.mark.first,
    pytest.mark.skipif(
        not shutil.which("dpkg-shlibdeps"), reason="packages are made on Debian, with dpkg-dev"
    ),
]
NIGHTLY = bool(os.environ.get("SLUICE_NIGHTLY"))


def run(*command, **options):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=110, **options
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """Paths of the two archives."""
    binary = ROOT / ".build/release/sluice" if NIGHTLY else BINARY
    if not binary.exists():
        pytest.skip(f"{binary} is not built")
    trial = {} if NIGHTLY else {"SLUICE_PACKAGE_TRIAL": "1"}
    out = tmp_path_factory.mktemp("packages")
    deb, tarball = run(ROOT / "scripts/package.sh", binary, out, env={**os.environ, **trial}).split()
    return pathlib.Path(deb), pathlib.Path(tarball)


@pytest.fixture(scope="module")
def root(packages, tmp_path_factory):
    """The files of the Debian package in a folder of their own."""
    folder = tmp_path_factory.mktemp("root")
    run("dpkg-deb", "-x", packages[0], folder)
    return folder


class Running:
    """A server of some binary, for the length of a block."""

    def __init__(self, binary, *arguments, folder):
        self.command, self.folder = (
            [str(binary), "serve", "--listen", "127.0.0.1:0", *map(str, arguments)], folder,
        )

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        found = re.match(r"listening on (http://\S+)", line)
        assert found, (line, self.process.stderr.read())
        self.url = found[1].rstrip("/")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.notes = self.process.communicate(timeout=PATIENCE)[1]

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:
            return answer.read().decode()


def test_the_package_says_what_it_needs_and_what_is_whose(packages):
    field = lambda name: run("dpkg-deb", "-f", packages[0], name).strip()  # noqa: E731
    assert field("Package") == "sluice" and re.fullmatch(r"\d+\.\d+\.\d+", field("Version"))
    needed = {word.split()[0] for word in field("Depends").split(",")}
    assert {"libc6", "libuv1", "libssl3", "zlib1g", "libsqlite3-0", "adduser"} <= needed, needed
    names = run("dpkg-deb", "-I", packages[0])
    assert all(name in names for name in ["conffiles", "postinst", "prerm", "postrm", "md5sums"])
    assert run("dpkg-deb", "-I", packages[0], "conffiles").split() == [
        "/etc/sluice/graphs/home.yaml", "/etc/sluice/sluice.yaml",
    ]
    listed = run("dpkg-deb", "-c", packages[0])
    for path in [
        "/usr/bin/sluice", "/usr/share/sluice/public/index.html",
        "/usr/share/bash-completion/completions/sluice", "/usr/share/man/man1/sluice.1.gz",
        "/usr/lib/systemd/system/sluice.service", "/usr/share/doc/sluice/copyright",
        "/usr/share/doc/sluice/docs/operations.md",
    ]:
        assert f".{path}\n" in listed, path
    assert "root/root" in listed and not re.search(r"^\S+ (?!root/root)", listed, re.M)


def test_the_manual_has_every_command_and_is_well_formed(root):
    page = gzip.decompress((root / "usr/share/man/man1/sluice.1.gz").read_bytes()).decode()
    commands = re.findall(
        r"^  ([a-z]+) +\S", run(root / "usr/bin/sluice", "--help").split("SUBCOMMANDS:")[1], re.M
    )
    assert commands and re.findall(r'^\.SS "sluice (\w+)"$', page, re.M) == commands
    if not shutil.which("groff"):
        pytest.skip("no groff")
    drawn = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-P-c"], input=page, capture_output=True, text=True
    )
    assert drawn.returncode == 0 and not drawn.stderr, drawn.stderr
    # Options can be copied.
    assert "--config" in drawn.stdout


def test_the_service_is_hardened_and_well_formed(root):
    unit = root / "usr/lib/systemd/system/sluice.service"
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze")
    checked = subprocess.run(
        ["systemd-analyze", "verify", f"--root={root}", "sluice.service"], capture_output=True, text=True
    )
    assert not [
        line
        for line in checked.stderr.splitlines()
        if "sluice.service" in line and not re.search("not found|not executable", line)
    ], checked.stderr
    rated = run("systemd-analyze", "security", "--offline=yes", unit)
    exposure = float(re.search(r"exposure level[^:]*: ([\d.]+)", rated)[1])
    assert exposure < 2, rated


def test_an_installed_server_runs_with_its_configuration_and_its_page(root, tmp_path):
    binary, config = root / "usr/bin/sluice", root / "etc/sluice/sluice.yaml"
    settings = [
        "--set", f"graphs={root}/etc/sluice/graphs", "--set", f"dataDir={tmp_path}/data", "--set",
        f"dashboards={tmp_path}/data/dashboards",
    ]
    shown = run(binary, "serve", "--config", config, "--print-config")
    for key, folder in (
        ("dataDir", "/var/lib/sluice"),
        ("graphs", "/etc/sluice/graphs"),
        ("dashboards", "/var/lib/sluice/dashboards"),
    ):
        assert re.search(rf"^{key} +{folder} ", shown, re.M), key
    (tmp_path / "data/dashboards").mkdir(parents=True)
    with Running(binary, "--config", config, *settings, folder="/") as server:
        assert json.loads(server.get("/v1/dashboards"))["writable"] is True
        assert "<title>" in server.get("/")
        run(binary, "set", "home/indoor_c", "20.5", "--url", server.url)
        assert server.get("/v1/graphs/home/nodes/indoor_f") == "68.9"
        assert "warning" not in server.get("/")
    assert "error" not in server.notes


def test_the_tarball_runs_where_it_is_unpacked(packages, tmp_path):
    run("tar", "-xzf", packages[1], "-C", tmp_path)
    folder, = tmp_path.iterdir()
    assert "libuv1" in (folder / "INSTALL").read_text()
    with Running(folder / "bin/sluice", folder=tmp_path) as server:
        assert "<title>" in server.get("/")
    assert "`sluice init` writes a first one" in server.notes


def test_init_writes_files_that_serve_takes_up(packages, root, tmp_path):
    binary = root / "usr/bin/sluice"
    said = run(binary, "init", cwd=tmp_path)
    assert said.startswith("wrote sluice.yaml\nwrote graphs/home.yaml\n") and "sluice serve" in said
    assert run(binary, "check", cwd=tmp_path) == "1 graph is fine\n"
    again = subprocess.run([binary, "init"], cwd=tmp_path, capture_output=True, text=True)
    assert (
        again.returncode == 1 and again.stderr == "error: sluice.yaml is there already; nothing was written\n"
    )
    with Running(binary, folder=tmp_path) as server:
        assert "<title>" in server.get("/")
        assert server.get("/v1/graphs/home/nodes/heating") == "true"
        text = (tmp_path / "graphs/home.yaml").read_text()
        (tmp_path / "graphs/home.yaml").write_text(text.replace("initial: auto", "initial: off"))
        eventually(lambda: "off" in server.get("/v1/graphs/home/definition"), what="the changed file")
        assert json.loads(server.get("/v1/dashboards"))["writable"] is True
    assert (tmp_path / "data").is_dir() and (tmp_path / "dashboards").is_dir()


INSTALL = """
mount -t overlay overlay -o lowerdir=/,upperdir={work}/upper,workdir={work}/work {work}/root
mount --bind /proc {work}/root/proc
mount --bind /dev {work}/root/dev
cp {deb} {work}/root/tmp/sluice.deb
chroot {work}/root sh -ec '
    dpkg -i {force} /tmp/sluice.deb
    test "$(stat -c "%U:%G %a" /var/lib/sluice)" = "sluice:sluice 750"
    test "$(stat -c "%U:%G %a" /etc/sluice)" = "root:sluice 750"
    test -e /etc/systemd/system/multi-user.target.wants/sluice.service
    cd /
    setpriv --reuid sluice --regid sluice --clear-groups --no-new-privs \
        timeout 20 /usr/bin/sluice serve --config /etc/sluice/sluice.yaml --listen 127.0.0.1:0 >/tmp/said &
    for _ in $(seq 100); do grep -q listening /tmp/said && break; sleep 0.1; done
    url=$(sed -n "s/^listening on //p" /tmp/said)
    sluice set home/indoor_c 10 --url "$url"
    test "$(sluice get home/indoor_f --url "$url")" = 50
    kill %1 2>/dev/null || kill $!
    wait || true
    test -n "$(ls /var/lib/sluice)"
    echo "# mine" >>/etc/sluice/graphs/home.yaml
    dpkg -i {force} /tmp/sluice.deb
    grep -q "# mine" /etc/sluice/graphs/home.yaml
    dpkg -r sluice
    test ! -e /usr/bin/sluice && test -e /etc/sluice/sluice.yaml
    dpkg -P sluice
    test ! -e /etc/sluice && test ! -e /var/lib/sluice
    ! getent passwd sluice
'
"""


def test_it_is_installed_upgraded_removed_and_purged(packages, tmp_path):
    """By dpkg itself, in a copy of this system that is thrown away."""
    # The writable layer may not lie on an overlay itself.
    mount = "mount -t tmpfs none {work} && mkdir {work}/upper {work}/work {work}/root &&".format(
        work=tmp_path
    )
    able = subprocess.run(
        [
            "unshare", "-m", "sh", "-c",
            f"{mount} mount -t overlay overlay -o lowerdir=/,upperdir={tmp_path}/upper,"
            f"workdir={tmp_path}/work {tmp_path}/root",
        ],
        capture_output=True,
    )
    if os.geteuid() != 0 or able.returncode != 0:
        pytest.skip("no overlay of this system can be mounted")
    # Libraries of the Swift toolchain are of no package here; further packages are not fetched.
    script = mount + INSTALL.format(work=tmp_path, deb=packages[0], force="--force-depends")
    done = subprocess.run(
        ["unshare", "-m", "sh", "-exc", script], capture_output=True, text=True, timeout=110
    )
    sys.stdout.write(done.stdout + done.stderr)
    assert done.returncode == 0, done.stderr[-3000:]
