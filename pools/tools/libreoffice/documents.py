"""Loads a document, applies the options of a request and exports it."""
import os
import shutil

import uno
import unohelper
from com.sun.star.beans import PropertyValue
from com.sun.star.task import XInteractionHandler2

import encryption
import fonts
import formulas
import layout

TEXT, SHEET, SLIDES, DRAWING = 'text', 'sheet', 'slides', 'drawing'
EXPORTS = {
    TEXT: 'writer_pdf_Export',
    SHEET: 'calc_pdf_Export',
    SLIDES: 'impress_pdf_Export',
    DRAWING: 'draw_pdf_Export',
}
SERVICES = [
    ('com.sun.star.sheet.SpreadsheetDocument', SHEET),
    ('com.sun.star.presentation.PresentationDocument', SLIDES),
    ('com.sun.star.drawing.DrawingDocument', DRAWING),
    ('com.sun.star.text.GenericTextDocument', TEXT),
]
PDF_VERSIONS = {'1b': 1, '2b': 2, '3b': 3}
MAX_PAGES = 2000


class Failure(Exception):
    def __init__(self, kind, **facts):
        super().__init__(kind)
        self.kind = kind
        self.facts = facts


def prop(name, value):
    return PropertyValue(Name=name, Value=value)


class Answerer(unohelper.Base, XInteractionHandler2):
    """Answers what LibreOffice asks while it loads: notes a question for a password, and lets a damaged file be repaired."""

    def __init__(self, repairs):
        self.asked_password = False
        self.was_damaged = False
        self.repairs = repairs

    def handle(self, interaction):
        self.handleInteractionRequest(interaction)

    def handleInteractionRequest(self, interaction):
        name = type(interaction.getRequest()).__name__
        if 'Password' in name:
            self.asked_password = True
        is_damage = 'BrokenPackage' in name
        self.was_damaged = self.was_damaged or is_damage
        wanted = 'task.XInteractionApprove' if is_damage and self.repairs else 'task.XInteractionAbort'
        # Old formats of tables do not name their charset; the options stay as they are.
        if name == 'FilterOptionsRequest':
            wanted = 'document.XInteractionFilterOptions'
        for continuation in interaction.getContinuations():
            if f'com.sun.star.{wanted}' in (kind.typeName for kind in continuation.getTypes()):
                continuation.select()
                break
        return True


def load(desktop, request):
    answerer = Answerer(request.get('repairs', False))
    arguments = [
        prop('Hidden', True),
        prop('ReadOnly', False),
        prop('MacroExecutionMode', 0),
        prop('UpdateDocMode', 0),
        prop('InteractionHandler', answerer),
    ]
    if request.get('password') is not None:
        arguments.append(prop('Password', request['password']))
    if request.get('filter'):
        arguments.append(prop('FilterName', request['filter']))
    if request.get('filterOptions'):
        arguments.append(prop('FilterOptions', request['filterOptions']))
    document = None
    detail = ''
    try:
        document = desktop.loadComponentFromURL(url_of(request['copy']), '_blank', 0, tuple(arguments))
    except Exception as error:
        if 'DisposedException' in type(error).__name__:
            raise
        detail = str(error).split('\n')[0][:200]
    if document is not None:
        return document, answerer
    if answerer.asked_password or encryption.is_encrypted(request['copy']):
        raise Failure('password-incorrect' if request.get('password') is not None else 'password-required')
    raise Failure('unreadable', detail=detail)


def url_of(name):
    return uno.systemPathToFileUrl(os.path.abspath(name))


def kind_of(document):
    for service, kind in SERVICES:
        if document.supportsService(service):
            return kind
    raise Failure('unreadable', detail='no kind of document that can be printed')


def convert(desktop, request):
    # LibreOffice opens a file of another user only for reading, and then not with all of its filters.
    request['copy'] = f"document{os.path.splitext(request['input'])[1]}"
    shutil.copyfile(request['input'], request['copy'])
    try:
        return convert_copy(desktop, request)
    finally:
        os.remove(request['copy'])


def convert_copy(desktop, request):
    document, answerer = load(desktop, request)
    try:
        kind = kind_of(document)
        options = request['options']
        if kind == SHEET:
            layout.arrange_sheets(document, options)
        elif kind == TEXT:
            layout.arrange_text(document, options)
        elif kind == SLIDES:
            layout.arrange_slides(document, options)
        used = filter_name(document)
        # What LibreOffice cannot read it takes for text.
        if used.startswith('Text') and not request.get('filter'):
            raise Failure('unreadable', detail='the content is not what it seems')
        requested = fonts.list_requested(document, kind)
        pages = layout.count_pages(document, kind)
        if pages > MAX_PAGES:
            raise Failure('too-many-pages', pages=pages, limit=MAX_PAGES)
        export(document, kind, request['output'], options)
        return {
            'kind': kind,
            'filter': used,
            'fonts': [{'requested': name, 'installed': fonts.find_installed(name)} for name in requested],
            'wasDamaged': answerer.was_damaged,
            'formulasLost': formulas.are_lost(request['copy']),
        }
    finally:
        close(document)


def filter_name(document):
    for argument in document.getArgs():
        if argument.Name == 'FilterName':
            return argument.Value
    return ''


def export(document, kind, output, options):
    data = [
        prop('Quality', options['imageQuality']),
        prop('UseLosslessCompression', False),
        prop('ReduceImageResolution', True),
        prop('MaxImageResolution', options['maxImageDpi']),
        prop('ExportBookmarks', options['bookmarks']),
        prop('ExportFormFields', options['formFields']),
        # Without windows the margin stays empty; as notes, viewers show the comments there.
        prop('ExportNotes', options['comments'] == 'margin'),
        prop('ExportNotesInMargin', options['comments'] == 'margin'),
        prop('ExportNotesPages', options['notes'] != 'none'),
        prop('ExportOnlyNotesPages', options['notes'] == 'only'),
        prop('ExportHiddenSlides', options['hiddenSlides']),
        prop('IsSkipEmptyPages', False),
        prop('UseTaggedPDF', True),
        prop('SelectPdfVersion', PDF_VERSIONS.get(options.get('pdfa'), 0)),
        prop('PDFUACompliance', options['pdfua']),
    ]
    filter_data = uno.Any('[]com.sun.star.beans.PropertyValue', tuple(data))
    document.storeToURL(url_of(output), (prop('FilterName', EXPORTS[kind]), prop('FilterData', filter_data)))


def close(document):
    try:
        document.close(True)
    except Exception:
        pass

