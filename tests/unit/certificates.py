# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Certificates for tests over TLS: an authority, a server on loopback, a client. Made in memory."""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path


def make(directory: Path, ends: datetime.timedelta = datetime.timedelta(days=1)) -> dict[str, str]:
    """Write PEM files to the directory; returns their paths as `ca`, `server`, `server_key`, `client`, `client_key`.

    ends: how long after now the certificates expire.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    now = datetime.datetime.now(datetime.timezone.utc)

    def name(text):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    def certificate(text, key, issuer, issuer_key, is_authority=False):
        loopback = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        key_id = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        issuer_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
        usage = {
            "digital_signature": True,
            "content_commitment": False,
            "key_encipherment": False,
            "data_encipherment": False,
            "key_agreement": False,
            "key_cert_sign": is_authority,
            "crl_sign": is_authority,
            "encipher_only": False,
            "decipher_only": False,
        }
        return (
            x509.CertificateBuilder()
            .subject_name(name(text))
            .issuer_name(name(issuer))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + ends)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(x509.KeyUsage(**usage), critical=True)
            .add_extension(key_id, critical=False)
            .add_extension(issuer_id, critical=False)
            .add_extension(x509.SubjectAlternativeName(loopback), critical=False)
            .sign(issuer_key, hashes.SHA256())
        )

    def write(file_name, content):
        path = Path(directory) / file_name
        path.write_bytes(content)
        return str(path)

    def key_pem(key):
        pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        return key.private_bytes(pem, pkcs8, serialization.NoEncryption())

    authority = ec.generate_private_key(ec.SECP256R1())
    paths = {}
    root = certificate("Test authority", authority, "Test authority", authority, is_authority=True)
    paths["ca"] = write("ca.pem", root.public_bytes(serialization.Encoding.PEM))
    for role in ("server", "client"):
        key = ec.generate_private_key(ec.SECP256R1())
        made = certificate(role, key, "Test authority", authority)
        paths[role] = write(f"{role}.pem", made.public_bytes(serialization.Encoding.PEM))
        paths[f"{role}_key"] = write(f"{role}.key", key_pem(key))
    return paths
