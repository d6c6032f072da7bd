"""Finds the fonts that a document asks for, and what is installed for each."""
import subprocess

MAX_PARTS = 3000
MAX_FONTS = 60
known = {}


def list_requested(document, kind):
    names = []

    def add(name):
        # A list of fonts names the first choice first.
        first = (name or '').split(';')[0].strip()
        if first and first not in names and len(names) < MAX_FONTS:
            names.append(first)

    try:
        READERS[kind](document, add)
    except Exception as error:
        if 'DisposedException' in type(error).__name__:
            raise
    return names


def read_text(document, add):
    read_paragraphs(document.getText(), add, [MAX_PARTS])


def read_paragraphs(text, add, left):
    paragraphs = text.createEnumeration()
    while paragraphs.hasMoreElements() and left[0] > 0:
        paragraph = paragraphs.nextElement()
        left[0] -= 1
        if paragraph.supportsService('com.sun.star.text.TextTable'):
            for name in paragraph.getCellNames()[: left[0]]:
                read_paragraphs(paragraph.getCellByName(name), add, left)
            continue
        portions = paragraph.createEnumeration()
        while portions.hasMoreElements() and left[0] > 0:
            portion = portions.nextElement()
            left[0] -= 1
            if portion.getString().strip():
                add(portion.CharFontName)


def read_sheets(document, add):
    sheets = document.getSheets()
    for index in range(min(sheets.getCount(), 50)):
        sheet = sheets.getByIndex(index)
        if not sheet.IsVisible:
            continue
        cells = sheet.queryContentCells(1 | 2 | 4 | 16)
        ranges = cells.getRangeAddresses()
        for address in ranges[:200]:
            formats = sheet.getCellRangeByPosition(
                address.StartColumn, address.StartRow, address.EndColumn, address.EndRow
            ).getUniqueCellFormatRanges()
            for place in range(min(formats.getCount(), 50)):
                add(formats.getByIndex(place).getByIndex(0).CharFontName)


def read_slides(document, add):
    pages = document.getDrawPages()
    left = [MAX_PARTS]
    for index in range(pages.getCount()):
        page = pages.getByIndex(index)
        for place in range(page.getCount()):
            shape = page.getByIndex(place)
            if left[0] <= 0:
                return
            left[0] -= 1
            if hasattr(shape, 'getText') and shape.getText() is not None and shape.getString().strip():
                read_paragraphs(shape.getText(), add, left)


READERS = {'text': read_text, 'sheet': read_sheets, 'slides': read_slides, 'drawing': read_slides}


def find_installed(name):
    """The family that fontconfig takes for a name: the same where the font is installed."""
    if name not in known:
        try:
            found = subprocess.run(
                ['fc-match', '-f', '%{family}', name.replace('-', '\\-').replace(':', '\\:')],
                capture_output=True, text=True, timeout=5,
            ).stdout
        except (OSError, subprocess.SubprocessError):
            found = name
        families = [family.strip() for family in found.split(',')]
        known[name] = name if name.lower() in (family.lower() for family in families) else families[0]
    return known[name]
