"""A real directory (OpenLDAP's slapd) with a few people, on loopback ports."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paddock.settings import LdapSettings
from tests.support.server import wait_for

PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
BASE = "dc=example,dc=org"
READER = f"cn=reader,{BASE}"
READER_PASSWORD = "reads the directory"
ROOT_PASSWORD = "may-do-everything"
PASSWORDS = {
    "alice": "alice's secret",
    "bob": "hunter2 hunter2",
    "ann": "pässwörd ✓",
    "twin": "twin twin twin",
    "dora": "dora explores",
    "dan": "dan does not",
}

CONFIGURATION = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/nis.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile {folder}/slapd.pid
argsfile {folder}/slapd.args
{tls}
database mdb
suffix "{base}"
rootdn "cn=root,{base}"
rootpw {root_password}
directory {folder}/data
maxsize 10485760
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="{reader}" read by anonymous auth by self read by * none
"""

PEOPLE = f"""
dn: {BASE}
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: {READER}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: {READER_PASSWORD}

dn: ou=people,{BASE}
objectClass: organizationalUnit
ou: people

dn: ou=others,{BASE}
objectClass: organizationalUnit
ou: others

dn: ou=groups,{BASE}
objectClass: organizationalUnit
ou: groups

dn: uid=alice,ou=people,{BASE}
objectClass: inetOrgPerson
uid: alice
cn: Alice Ärmel
sn: Ärmel
mail: alice@example.org
userPassword: {PASSWORDS["alice"]}

dn: uid=bob,ou=people,{BASE}
objectClass: inetOrgPerson
uid: bob
cn: Bob
sn: Bob
userPassword: {PASSWORDS["bob"]}

dn: cn=Ann (Smith)\\, Jr*,ou=people,{BASE}
objectClass: inetOrgPerson
uid: Ann
cn: Ann (Smith), Jr*
sn: Smith
description: {"a long text that ldapsearch would break into several lines, " * 4}
userPassword: {PASSWORDS["ann"]}

dn: uid=twin,ou=people,{BASE}
objectClass: inetOrgPerson
uid: twin
cn: Twin
sn: Twin
userPassword: {PASSWORDS["twin"]}

dn: uid=twin,ou=others,{BASE}
objectClass: inetOrgPerson
uid: twin
cn: Twin
sn: Twin
userPassword: {PASSWORDS["twin"]}

dn: uid=dora,ou=people,{BASE}
objectClass: inetOrgPerson
uid: dora
cn: Dora
sn: Dora
mail: dora@example.org
userPassword: {PASSWORDS["dora"]}

dn: uid=dan,ou=people,{BASE}
objectClass: inetOrgPerson
uid: dan
cn: Dan
sn: Dan
userPassword: {PASSWORDS["dan"]}

dn: uid=silent,ou=people,{BASE}
objectClass: inetOrgPerson
uid: silent
cn: Without a password
sn: Silent

dn: ou=elsewhere,{BASE}
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://127.0.0.1:1/ou=elsewhere,{BASE}
"""

# Added to the running directory: only then does it write `memberOf`.
GROUPS = f"""
dn: cn=ml,ou=groups,{BASE}
objectClass: groupOfNames
cn: ml
member: uid=alice,ou=people,{BASE}
member: uid=dora,ou=people,{BASE}
member: cn=Ann (Smith)\\, Jr*,ou=people,{BASE}

dn: cn=Vision Lab,ou=groups,{BASE}
objectClass: groupOfNames
cn: Vision Lab
member: uid=alice,ou=people,{BASE}

dn: cn=students,ou=groups,{BASE}
objectClass: posixGroup
cn: students
gidNumber: 5000
memberUid: bob
"""


class Directory:
    """A running slapd. `settings` returns what Paddock needs to use it."""

    def __init__(self, folder: Path, port: int, tls_port: int, signer: Path | None) -> None:
        self._folder, self.port, self.tls_port, self._signer = folder, port, tls_port, signer
        self.password_file = folder / "reader.password"
        self.password_file.write_text(READER_PASSWORD + "\n")

    def settings(self, **changed: Any) -> LdapSettings:
        given = {
            "url": f"ldap://localhost:{self.port}",
            "base": BASE,
            "bind_dn": READER,
            "bind_password_file": self.password_file,
            "ca_certificate": self._signer,
        }
        return LdapSettings(**(given | changed))

    def add(self, ldif: str) -> None:
        """Add entries, as the directory's root, or change them (`changetype: modify`)."""
        command = ["ldapadd", "-x", "-H", f"ldap://127.0.0.1:{self.port}", "-D", f"cn=root,{BASE}", "-w", ROOT_PASSWORD]
        subprocess.run(command, input=ldif.encode(), check=True, capture_output=True)


@contextmanager
def directory(
    folder: Path, *, signer: Path | None = None, certificate: tuple[Path, Path] | None = None
) -> Iterator[Directory]:
    """Run a slapd in `folder`; with a certificate and its key it does TLS."""
    missing = [name for name in ("slapd", "ldapsearch") if shutil.which(name, path=PATH) is None]
    if missing:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("please install slapd and ldap-utils")
    (folder / "data").mkdir(parents=True)
    tls = f"TLSCertificateFile {certificate[0]}\nTLSCertificateKeyFile {certificate[1]}" if certificate else ""
    configuration = folder / "slapd.conf"
    configuration.write_text(
        CONFIGURATION.format(folder=folder, base=BASE, reader=READER, tls=tls, root_password=ROOT_PASSWORD)
    )
    people = folder / "people.ldif"
    people.write_text(PEOPLE)
    add = [_program("slapadd"), "-q", "-f", str(configuration), "-l", str(people)]
    subprocess.run(add, check=True, capture_output=True)
    process, made = _started(folder, configuration, signer, bool(certificate))
    try:
        made.add(GROUPS)
        yield made
    finally:
        process.terminate()
        process.wait()


def _program(name: str) -> str:
    return shutil.which(name, path=PATH) or name


def _started(
    folder: Path, configuration: Path, signer: Path | None, tls: bool
) -> tuple["subprocess.Popen[bytes]", Directory]:
    """Start it on free ports; somebody else may take one of them first."""
    for _ in range(5):
        port, tls_port = _free_ports()
        listen = f"ldap://127.0.0.1:{port}/" + (f" ldaps://127.0.0.1:{tls_port}/" if tls else "")
        with open(folder / "slapd.log", "ab") as log:
            process = subprocess.Popen(
                [_program("slapd"), "-d", "0", "-f", str(configuration), "-h", listen], stdout=log, stderr=log
            )
        if wait_for(lambda: _listens(port) or process.poll() is not None) and process.poll() is None:  # noqa: B023
            return process, Directory(folder, port, tls_port, signer)
    raise AssertionError(f"slapd does not start: {(folder / 'slapd.log').read_text()}")


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
