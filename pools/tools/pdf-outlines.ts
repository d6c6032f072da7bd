import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, type PdfRef, PdfString } from '@libpdf/core'
import { namedTargets, type Part, resolved, translate } from './pdf-targets.ts'

export interface Bookmark {
  title: PdfString
  target: PdfArray | undefined
  /** Colour, style and web address, as they were. */
  looks: [name: string, value: PdfObject][]
  isOpen: boolean
  children: Bookmark[]
}

const DEEPEST = 64
const MOST_BOOKMARKS = 20_000

/** The bookmarks of a part with their targets moved; those whose pages were left behind are gone. */
export function readOutline(part: Part): Bookmark[] {
  const root = part.pdf.getCatalog().getDict('Outlines', part.resolve)
  const names = namedTargets(part)
  const seen = new Set<number>()
  const readLevel = (parent: PdfDict, depth: number): Bookmark[] => {
    const bookmarks: Bookmark[] = []
    let next = parent.getRef('First')
    while (next && depth < DEEPEST && !seen.has(next.objectNumber) && seen.size < MOST_BOOKMARKS) {
      seen.add(next.objectNumber)
      const item = part.resolve(next)
      if (!(item instanceof PdfDict)) break
      const bookmark = readItem(part, item, readLevel(item, depth + 1), names)
      if (bookmark) bookmarks.push(bookmark)
      next = item.getRef('Next')
    }
    return bookmarks
  }
  return root ? readLevel(root, 0) : []
}

function readItem(
  part: Part,
  item: PdfDict,
  children: Bookmark[],
  names: Map<string, PdfObject>,
): Bookmark | undefined {
  const action = item.getDict('A', part.resolve)
  const isJump = action?.getName('S', part.resolve)?.value === 'GoTo'
  const wanted = item.get('Dest') ?? (isJump ? action?.get('D') : undefined)
  const target = translate(part, wanted, names)
  if (wanted && !target && children.length === 0) return undefined
  const looks: Bookmark['looks'] = []
  const address = action && !isJump ? webAddress(part, action) : undefined
  if (address) looks.push(['A', address])
  for (const name of ['C', 'F']) {
    const value = resolved(part, item.get(name))
    if (value) looks.push([name, value])
  }
  const title = item.getString('Title', part.resolve) ?? PdfString.fromString('')
  const isOpen = (item.getNumber('Count', part.resolve)?.value ?? 0) > 0
  return { title, target, looks, isOpen, children }
}

/** Of other actions only links to the web are carried over; the rest may refer to what is not there any more. */
function webAddress(part: Part, action: PdfDict): PdfDict | undefined {
  const uri = action.getString('URI', part.resolve)
  return uri && action.getName('S', part.resolve)?.value === 'URI'
    ? PdfDict.of({ S: action.get('S')!, URI: uri })
    : undefined
}

/** One bookmark over each part's own. */
export function wrapInParts(parts: readonly Part[], outlines: readonly Bookmark[][]): Bookmark[] {
  return parts.map((part, index) => ({
    title: PdfString.fromString(part.title ?? part.pdf.getTitle() ?? `File ${index + 1}`),
    target: PdfArray.of(part.taken[0]!.to, PdfName.of('Fit')),
    looks: [],
    isOpen: false,
    children: outlines[index]!,
  }))
}

/** Replaces the outline of a document; none leaves it without. */
export function writeOutline(pdf: PDF, bookmarks: readonly Bookmark[]): void {
  const catalog = pdf.getCatalog()
  catalog.delete('Outlines')
  if (bookmarks.length === 0) return
  const root = new PdfDict()
  const rootRef = pdf.register(root)
  writeLevel(pdf, root, rootRef, bookmarks)
  root.set('Count', PdfNumber.of(visibleCount(bookmarks)))
  catalog.set('Outlines', rootRef)
}

function writeLevel(pdf: PDF, parent: PdfDict, parentRef: PdfRef, bookmarks: readonly Bookmark[]): void {
  const items = bookmarks.map(({ title, target, looks }) => {
    const item = new PdfDict([['Title', title], ['Parent', parentRef], ...looks])
    if (target) item.set('Dest', target)
    return { item, ref: pdf.register(item) }
  })
  for (const [index, { item, ref }] of items.entries()) {
    const before = items[index - 1]
    const after = items[index + 1]
    if (before) item.set('Prev', before.ref)
    if (after) item.set('Next', after.ref)
    const { children, isOpen } = bookmarks[index]!
    if (children.length === 0) continue
    writeLevel(pdf, item, ref, children)
    item.set('Count', PdfNumber.of(isOpen ? visibleCount(children) : -visibleCount(children)))
  }
  parent.set('First', items[0]!.ref)
  parent.set('Last', items.at(-1)!.ref)
}

function visibleCount(bookmarks: readonly Bookmark[]): number {
  return bookmarks.reduce((sum, { isOpen, children }) => sum + 1 + (isOpen ? visibleCount(children) : 0), 0)
}
