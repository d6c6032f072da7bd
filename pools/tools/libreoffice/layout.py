"""Applies the options that change how a document is laid out on pages."""
import uno
from com.sun.star.awt import Size
from com.sun.star.beans import PropertyValue

# Width and height in hundredths of a millimetre, upright.
PAPERS = {
    'a3': (29700, 42000),
    'a4': (21000, 29700),
    'a5': (14800, 21000),
    'letter': (21590, 27940),
    'legal': (21590, 35560),
    'tabloid': (27940, 43180),
}


def set_paper(style, options):
    """The paper is the one asked for, or that of the document; it is turned where the caller says how it lies."""
    paper, landscape = options.get('paper'), options.get('landscape')
    if paper is None and landscape is None:
        return
    size = style.Size
    short, long = PAPERS[paper] if paper else sorted((size.Width, size.Height))
    lies = style.IsLandscape if landscape is None else landscape
    style.IsLandscape = lies
    style.Size = Size(long, short) if lies else Size(short, long)


def list_page_styles(document):
    styles = document.getStyleFamilies().getByName('PageStyles')
    return [styles.getByIndex(index) for index in range(styles.getCount())]


def arrange_text(document, options):
    for style in list_page_styles(document):
        set_paper(style, options)
    show_changes(document, options['trackedChanges'] == 'markup')
    if options['updateIndexes'] and hasattr(document, 'getDocumentIndexes'):
        indexes = document.getDocumentIndexes()
        for index in range(indexes.getCount()):
            indexes.getByIndex(index).update()


def show_changes(document, as_markup):
    """The final text is that with all changes accepted: to hide them leaves what was deleted on the page."""
    document.setPropertyValue('ShowChanges', as_markup)
    if as_markup or not document.getRedlines().hasElements():
        return
    context = uno.getComponentContext()
    dispatcher = context.ServiceManager.createInstanceWithContext('com.sun.star.frame.DispatchHelper', context)
    frame = document.getCurrentController().getFrame()
    dispatcher.executeDispatch(frame, '.uno:AcceptAllTrackedChanges', '', 0, ())


def arrange_slides(document, options):
    paper, landscape = options.get('paper'), options.get('landscape')
    if paper is None and landscape is None:
        return
    pages = document.getDrawPages()
    for index in range(pages.getCount()):
        page = pages.getByIndex(index)
        short, long = PAPERS[paper] if paper else sorted((page.Width, page.Height))
        lies = page.Width > page.Height if landscape is None else landscape
        page.Width, page.Height = (long, short) if lies else (short, long)


def arrange_sheets(document, options):
    sheets = document.getSheets()
    names = list(sheets.getElementNames())
    wanted = choose_sheets(sheets, names, options['sheets'])
    chosen = [sheets.getByName(name) for name in names if name in wanted]
    has_areas = any(sheet.getPrintAreas() for sheet in chosen)
    for sheet in chosen:
        sheet.IsVisible = True
        # Where one sheet has a print area, the others would be left out.
        if has_areas and not sheet.getPrintAreas():
            sheet.setPrintAreas((used_area(sheet),))
    for name in names:
        if name not in wanted:
            sheet = sheets.getByName(name)
            sheet.setPrintAreas(())
            sheet.IsVisible = False
    for style in list_page_styles(document):
        set_paper(style, options)
        if options['fit'] != 'none':
            style.ScaleToPagesX = 1
            style.ScaleToPagesY = 1 if options['fit'] == 'page' else 0
        if options.get('isPlainTable'):
            style.HeaderIsOn = False
            style.FooterIsOn = False


def choose_sheets(sheets, names, choice):
    if choice == 'all':
        return set(names)
    if choice == 'visible':
        visible = {name for name in names if sheets.getByName(name).IsVisible}
        return visible or set(names[:1])
    missing = [name for name in choice if name not in names]
    if missing:
        from documents import Failure

        raise Failure('sheet-not-found', sheet=missing[0], available=names[:100])
    return set(choice)


def used_area(sheet):
    cursor = sheet.createCursor()
    cursor.gotoStartOfUsedArea(False)
    cursor.gotoEndOfUsedArea(True)
    return cursor.getRangeAddress()


def count_pages(document, kind):
    """Only a sheet can have far more pages than its file says; it is counted before they are drawn."""
    if kind != 'sheet':
        return 0
    return document.getRendererCount(document, (PropertyValue(Name='IsOnlySelectedSheet', Value=False),))
