"""Make a signer and certificates for a test."""

import datetime
import ipaddress
import socket
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def this_host() -> list[str]:
    """Return the names of this machine. libldap compares a certificate for `localhost` with the machine's own name."""
    return sorted({"localhost", socket.gethostname(), socket.getfqdn(), "127.0.0.1"})


class Signer:
    """A certificate authority whose certificate is in the file `certificate`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Signer of {folder.name}")])
        self.certificate = folder / "ca.pem"
        made = self._builder(self._name, self._key).add_extension(x509.BasicConstraints(True, None), critical=True)
        self.certificate.write_bytes(_pem(made.sign(self._key, hashes.SHA256())))

    def sign(self, *names: str) -> tuple[Path, Path]:
        """Return the files of a certificate for these names or addresses, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        made = self._builder(subject, key).add_extension(
            x509.SubjectAlternativeName([_general(name) for name in names]), critical=False
        )
        certificate, private = self._folder / f"{names[0]}.pem", self._folder / f"{names[0]}.key"
        certificate.write_bytes(_pem(made.sign(self._key, hashes.SHA256())))
        private.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return certificate, private

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
        )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
