"""Tells whether a document has formulas that cannot be drawn: LibreOffice leaves them out if its Math is not installed."""
import os
import zipfile

MATH = '/usr/lib/libreoffice/share/registry/math.xcd'
MAX_BYTES = 64 * 2**20
MANIFEST = 'META-INF/manifest.xml'
MARKS = [
    ('word/', b'<m:oMath'),
    ('ppt/slides/', b'<m:oMath'),
    (MANIFEST, b'application/vnd.oasis.opendocument.formula'),
]


def are_lost(path):
    if os.path.exists(MATH):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            # A picture of each object is shown in its place.
            has_pictures = any(name.startswith('ObjectReplacements/') for name in names)
            return any(has_formula(archive, name) for name in names if not (has_pictures and name == MANIFEST))
    except Exception:
        return has_formula_of_rtf(path)


def has_formula(archive, name):
    marks = [mark for start, mark in MARKS if name.startswith(start) and name.endswith('.xml')]
    if not marks:
        return False
    with archive.open(name) as part:
        content = part.read(MAX_BYTES)
    return any(mark in content for mark in marks)


def has_formula_of_rtf(path):
    with open(path, 'rb') as file:
        content = file.read(MAX_BYTES)
    return content.startswith(b'{\\rtf') and b'\\moMath' in content
