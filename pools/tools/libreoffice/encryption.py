"""Tells whether a document that cannot be opened is encrypted."""
import zipfile

SECTOR = 512
WORD_MAGIC = b'\xec\xa5'
WORD_ENCRYPTED = 0x0100
BEGIN_OF_SHEET = (0x0809, 0x0409, 0x0209)
FILE_PASS = 0x002F
MAX_RECORDS = 20


def is_encrypted(path):
    with open(path, 'rb') as file:
        content = file.read()
    if content.startswith(b'PK'):
        return is_package_encrypted(path)
    if not content.startswith(b'\xd0\xcf\x11\xe0'):
        return False
    if 'EncryptedPackage'.encode('utf-16-le') in content or 'EncryptedSummary'.encode('utf-16-le') in content:
        return True
    return any(is_stream_encrypted(content, at) for at in range(SECTOR, len(content) - 16, SECTOR))


def is_package_encrypted(path):
    try:
        with zipfile.ZipFile(path) as package:
            return b'encryption-data' in package.read('META-INF/manifest.xml')
    except (KeyError, zipfile.BadZipFile, RuntimeError, OSError):
        return False


def is_stream_encrypted(content, at):
    """A stream begins with a sector: that of Word with flags, that of Excel with records."""
    if content[at:at + 2] == WORD_MAGIC:
        return bool(read_number(content, at + 10) & WORD_ENCRYPTED)
    if read_number(content, at) not in BEGIN_OF_SHEET:
        return False
    for _ in range(MAX_RECORDS):
        if at + 4 > len(content):
            return False
        if read_number(content, at) == FILE_PASS:
            return True
        at += 4 + read_number(content, at + 2)
    return False


def read_number(content, at):
    return int.from_bytes(content[at:at + 2], 'little')
