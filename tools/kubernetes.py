"""Build the control plane of Kubernetes for tests, once, and print the folder of its programs.

    $ python tools/kubernetes.py
    /home/me/.cache/paddock/kubernetes-1.20.2-3f2a9c1b7d20

If $PADDOCK_KUBERNETES is set, its programs are taken: etcd, kubectl, kube-apiserver, and so on, of any version.
No package and no registry of packages that tests use has these programs ready to run; Debian 12 has their source. It is
built with the Go of Debian 11, which fits it. Both are downloaded with apt as it is set up here, and unpacked, not
installed: root is not needed. This takes about 10 minutes of processor time and 4 GB while it runs; 250 MB are kept.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from train_env import locked

VERSION = "1.20.2"
RECIPE = 1  # one more whenever the programs have to be built anew
SUITE, GO_SUITE = "bookworm", "bullseye"
GO = "1.15"
SOURCE, GO_PACKAGES, PACKAGES = (
    "kubernetes",
    (f"golang-{GO}-go", f"golang-{GO}-src"),
    ("kubernetes-client", "etcd-server"),
)
BUILT = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
UNPACKED = ("etcd", "kubectl")
ROOT = "k8s.io/kubernetes"
OPENAPI = "pkg/generated/openapi"
TAG = "+k8s:openapi-gen="
LEAST_LINES = 40_000  # of the generated file: with too few, the server starts, and then fails


class CannotBuild(Exception):
    """The text says why, for a person."""


def main() -> int:
    try:
        print(made())
    except (CannotBuild, OSError, subprocess.CalledProcessError) as error:
        say(f"the control plane cannot be built: {error}")
        return 1
    return 0


def folder() -> Path:
    """Return where the programs are, or would be."""
    recipe = f"{VERSION} {GO} {RECIPE} {platform.machine()}".encode()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser().absolute() / "paddock"
    return cache / f"kubernetes-{VERSION}-{hashlib.sha256(recipe).hexdigest()[:12]}"


def made() -> Path:
    """Return the folder of the programs; build them first if they are not there."""
    given = os.environ.get("PADDOCK_KUBERNETES")
    if given:
        return Path(given).expanduser().absolute()
    place = folder()
    if not place.exists():
        with locked(place.with_name(place.name + ".lock")):
            if not place.exists():  # another process may have built it while this one waited
                build(place)
    return place


def build(place: Path) -> None:
    missing = [name for name in ("apt-get", "dpkg-deb", "patch", "tar") if shutil.which(name) is None]
    if missing:
        raise CannotBuild(f"this needs Debian's tools, and {', '.join(missing)} is not here")
    say(f"building {place} (about 10 minutes, once)")
    os.nice(15)
    work = place.with_name(place.name + ".building")
    shutil.rmtree(work, ignore_errors=True)  # of a build that was interrupted
    work.mkdir(parents=True)
    try:
        download(work)
        result = work / "result"
        result.mkdir()
        for name in PACKAGES:
            unpack(work, work / "packages", f"{name}_")
        for name in UNPACKED:
            shutil.copy2(work / "packages" / "usr" / "bin" / name, result / name)
        compile_all(work, result)
        result.rename(place)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def download(work: Path) -> None:
    """Download the source and the packages, with lists of their own beside those of the system."""
    mirror = mirror_of(SUITE)
    signed = f"[signed-by={key}] " if (key := signer()) else ""
    for name in ("lists/partial", "cache/archives/partial", "files"):
        (work / name).mkdir(parents=True)
    sources = [f"deb-src {signed}{mirror} {SUITE} main", f"deb {signed}{mirror} {SUITE} main"]
    (work / "sources.list").write_text("\n".join([*sources, f"deb {signed}{mirror} {GO_SUITE} main", ""]))
    options = {
        "Dir::Etc::sourcelist": work / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": work / "lists",
        "Dir::Cache": work / "cache",
        "APT::Sandbox::User": "root",
    }
    (work / "apt.conf").write_text("".join(f'{name} "{value}";\n' for name, value in options.items()))
    env = {**os.environ, "APT_CONFIG": str(work / "apt.conf")}
    run(["apt-get", "-q", "update"], env=env)
    run(["apt-get", "-q", "source", "--download-only", SOURCE], cwd=work / "files", env=env)
    run(["apt-get", "-q", "download", *GO_PACKAGES, *PACKAGES], cwd=work / "files", env=env)


def mirror_of(suite: str) -> str:
    """Return where apt gets a suite from."""
    wanted = ["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)"]
    lines = subprocess.run(wanted, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [uri for release, _, uri in (line.partition(" ") for line in lines) if release == suite]
    if not found:
        raise CannotBuild(f"apt does not know {suite} (Debian 12), whose source package has Kubernetes {VERSION}")
    return found[0]


def signer() -> str | None:
    """Return the keys of Debian, which apt has elsewhere on some systems."""
    known = (
        Path("/usr/share/keyrings") / name for name in ("debian-archive-keyring.gpg", "debian-archive-keyring.pgp")
    )
    return next((str(path) for path in known if path.exists()), None)


def compile_all(work: Path, result: Path) -> None:
    go, tree = work / "go", work / "gopath" / "src" / ROOT
    for name in GO_PACKAGES:
        unpack(work, go, f"{name}_")
    tree.mkdir(parents=True)
    [original], [changes] = ((work / "files").glob(f"{SOURCE}_*{end}") for end in (".orig.tar.gz", ".debian.tar.xz"))
    run(["tar", "-xf", str(original), "-C", str(tree), "--strip-components=1"])
    run(["tar", "-xf", str(changes), "-C", str(tree)])
    for name in (tree / "debian" / "patches" / "series").read_text().split():
        run(["patch", "-p1", "-s", "-i", f"debian/patches/{name}"], cwd=tree)
    root = go / "usr" / "lib" / f"go-{GO}"
    # Without modules: with them, the generator writes an openapi that is almost empty.
    env = {
        "PATH": f"{root / 'bin'}:{os.environ['PATH']}",
        "HOME": str(work),
        "GOROOT": str(root),
        "GOPATH": str(work / "gopath"),
        "GOCACHE": str(work / "cache" / "go"),
        "GO111MODULE": "off",
        "GOFLAGS": "",
        "CGO_ENABLED": "0",
    }
    generator = work / "openapi-gen"
    run(["go", "build", "-o", str(generator), "./vendor/k8s.io/kube-openapi/cmd/openapi-gen"], cwd=tree, env=env)
    output = ["-p", f"{ROOT}/{OPENAPI}", "-O", "zz_generated.openapi", "--output-base", str(work / "gopath" / "src")]
    header = ["-h", "vendor/k8s.io/code-generator/hack/boilerplate.go.txt", "-r", str(work / "violations")]
    run([str(generator), "-i", ",".join(tagged(tree)), *output, *header], cwd=tree, env=env)
    lines = (tree / OPENAPI / "zz_generated.openapi.go").read_text().count("\n")
    if lines < LEAST_LINES:
        raise CannotBuild(f"openapi-gen wrote {lines} lines: the server would not find its own types")
    version = f"-X {ROOT}/vendor/k8s.io/component-base/version.gitVersion=v{VERSION}"
    flags = ["-p", str(os.cpu_count()), "-ldflags", f"-s -w {version}", "-o", f"{result}/"]
    run(["go", "build", *flags, *(f"./cmd/{name}" for name in BUILT)], cwd=tree, env=env)


def tagged(tree: Path) -> list[str]:
    """Return the packages whose types the server describes, as they are imported."""
    found: set[str] = set()
    # Links too: vendor/k8s.io has links to packages that are kept in staging.
    for top in ("vendor/k8s.io", "pkg", "cmd", "plugin"):
        for place, _, names in os.walk(tree / top, followlinks=True):
            if not {"code-generator", "sample-apiserver"} & set(Path(place).parts) and has_tag(place, names):
                found.add(f"{ROOT}/{Path(place).relative_to(tree)}")
    return sorted(found)


def has_tag(place: str, names: Iterable[str]) -> bool:
    return any(TAG in Path(place, name).read_text() for name in names if name.endswith(".go"))


def unpack(work: Path, into: Path, beginning: str) -> None:
    [package] = (work / "files").glob(f"{beginning}*.deb")
    run(["dpkg-deb", "-x", str(package), str(into)])


def run(argv: list[str], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> None:
    subprocess.run(argv, check=True, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=sys.stderr)


def say(text: str) -> None:
    print(f"kubernetes: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
