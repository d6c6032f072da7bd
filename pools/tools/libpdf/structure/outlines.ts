import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, type PdfRef, PdfString } from '@libpdf/core'
import { readNamedTargets, resolveValue, type SourcePart, translateTarget } from './destinations.ts'

export interface OutlineItem {
  title: PdfString
  target: PdfArray | undefined
  /** The entries for colour, style and web link. */
  styleEntries: [name: string, value: PdfObject][]
  isOpen: boolean
  children: OutlineItem[]
}

const MAX_DEPTH = 64
const MAX_BOOKMARKS = 20_000

/** Reads the outline of a part and translates its targets. Leaves out items whose page was not taken. */
export function readOutline(part: SourcePart): OutlineItem[] {
  const root = part.pdf.getCatalog().getDict('Outlines', part.resolve)
  const names = readNamedTargets(part)
  const seen = new Set<number>()
  const readLevel = (parent: PdfDict, depth: number): OutlineItem[] => {
    const bookmarks: OutlineItem[] = []
    let next = parent.getRef('First')
    while (next && depth < MAX_DEPTH && !seen.has(next.objectNumber) && seen.size < MAX_BOOKMARKS) {
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
  part: SourcePart,
  item: PdfDict,
  children: OutlineItem[],
  names: Map<string, PdfObject>,
): OutlineItem | undefined {
  const action = item.getDict('A', part.resolve)
  const isGoTo = action?.getName('S', part.resolve)?.value === 'GoTo'
  const sourceTarget = item.get('Dest') ?? (isGoTo ? action?.get('D') : undefined)
  const target = translateTarget(part, sourceTarget, names)
  if (sourceTarget && !target && children.length === 0) return undefined
  const styleEntries: OutlineItem['styleEntries'] = []
  const webLink = action && !isGoTo ? copyWebLink(part, action) : undefined
  if (webLink) styleEntries.push(['A', webLink])
  for (const name of ['C', 'F']) {
    const value = resolveValue(part, item.get(name))
    if (value) styleEntries.push([name, value])
  }
  const title = item.getString('Title', part.resolve) ?? PdfString.fromString('')
  const isOpen = (item.getNumber('Count', part.resolve)?.value ?? 0) > 0
  return { title, target, styleEntries, isOpen, children }
}

/** Only web links are copied. Other actions may refer to something that is not in the joined file. */
function copyWebLink(part: SourcePart, action: PdfDict): PdfDict | undefined {
  const uri = action.getString('URI', part.resolve)
  return uri && action.getName('S', part.resolve)?.value === 'URI'
    ? PdfDict.of({ S: action.get('S')!, URI: uri })
    : undefined
}

/** Puts the outline of each part below an item for the part. */
export function wrapInParts(parts: readonly SourcePart[], outlines: readonly OutlineItem[][]): OutlineItem[] {
  return parts.map((part, index) => ({
    title: PdfString.fromString(part.title ?? part.pdf.getTitle() ?? `File ${index + 1}`),
    target: PdfArray.of(part.takenPages[0]!.to, PdfName.of('Fit')),
    styleEntries: [],
    isOpen: false,
    children: outlines[index]!,
  }))
}

/** Replaces the outline of a document. Removes it if there are no items. */
export function writeOutline(pdf: PDF, bookmarks: readonly OutlineItem[]): void {
  const catalog = pdf.getCatalog()
  catalog.delete('Outlines')
  if (bookmarks.length === 0) return
  const root = new PdfDict()
  const rootRef = pdf.register(root)
  writeLevel(pdf, root, rootRef, bookmarks)
  root.set('Count', PdfNumber.of(countVisible(bookmarks)))
  catalog.set('Outlines', rootRef)
}

function writeLevel(pdf: PDF, parent: PdfDict, parentRef: PdfRef, bookmarks: readonly OutlineItem[]): void {
  const items = bookmarks.map(({ title, target, styleEntries }) => {
    const item = new PdfDict([['Title', title], ['Parent', parentRef], ...styleEntries])
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
    item.set('Count', PdfNumber.of(isOpen ? countVisible(children) : -countVisible(children)))
  }
  parent.set('First', items[0]!.ref)
  parent.set('Last', items.at(-1)!.ref)
}

function countVisible(bookmarks: readonly OutlineItem[]): number {
  return bookmarks.reduce((sum, { isOpen, children }) => sum + 1 + (isOpen ? countVisible(children) : 0), 0)
}
