import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfString } from '@libpdf/core'

/** Where a page of a source went, and what is needed to find it. */
export interface Part {
  pdf: PDF
  resolve(ref: PdfRef): PdfObject | null
  /** Object numbers of the source's pages that were taken -> the page in the joined file. */
  moved: Map<number, PdfRef>
  /** The joined page each taken page became, in order, with its number in the source from 0. */
  taken: { from: number; to: PdfRef }[]
  title: string | undefined
}

const MOST_NAMES = 100_000

/** A destination of a source as one of the joined file; nothing where its page was not taken. */
export function translate(
  part: Part,
  target: PdfObject | undefined | null,
  names: Map<string, PdfObject>,
): PdfArray | undefined {
  const explicit = explicitTarget(part, target, names)
  const page = explicit && pageOf(part, explicit)
  const to = page && part.moved.get(page)
  if (!explicit || !to) return undefined
  return PdfArray.of(to, ...explicit.toArray().slice(1).filter(isPlain))
}

function isPlain(value: PdfObject): boolean {
  return value.type === 'number' || value.type === 'name' || value.type === 'null'
}

function explicitTarget(
  part: Part,
  target: PdfObject | undefined | null,
  names: Map<string, PdfObject>,
): PdfArray | undefined {
  const found = resolved(part, target)
  const named = found instanceof PdfString || found instanceof PdfName ? resolved(part, names.get(keyOf(found))) : found
  const inner = named instanceof PdfDict ? resolved(part, named.get('D')) : named
  return inner instanceof PdfArray ? inner : undefined
}

export function resolved(
  { resolve }: Pick<Part, 'resolve'>,
  value: PdfObject | undefined | null,
): PdfObject | undefined {
  return (value instanceof PdfRef ? resolve(value) : value) ?? undefined
}

/** The page's object number; some writers give the page's place instead. */
function pageOf({ pdf }: Part, target: PdfArray): number | undefined {
  const first = target.at(0)
  if (first instanceof PdfRef) return first.objectNumber
  return first instanceof PdfNumber ? pdf.getPage(first.value)?.ref.objectNumber : undefined
}

function keyOf(name: PdfString | PdfName): string {
  return name instanceof PdfName ? name.value : Buffer.from(name.bytes).toString('latin1')
}

/** Every named destination of a document, from the name tree and from the older dictionary. */
export function namedTargets(part: Pick<Part, 'pdf' | 'resolve'>): Map<string, PdfObject> {
  const names = new Map<string, PdfObject>()
  const catalog = part.pdf.getCatalog()
  const old = catalog.getDict('Dests', part.resolve)
  for (const [name, target] of old ?? []) names.set(name.value, target)
  const tree = catalog.getDict('Names', part.resolve)?.getDict('Dests', part.resolve)
  if (tree) readNames(part, tree, names, new Set())
  return names
}

function readNames(
  part: Pick<Part, 'resolve'>,
  node: PdfDict,
  names: Map<string, PdfObject>,
  seen: Set<PdfDict>,
): void {
  if (seen.has(node) || names.size > MOST_NAMES) return
  seen.add(node)
  const pairs = node.getArray('Names', part.resolve)
  for (let index = 0; pairs && index + 1 < pairs.length; index += 2) {
    const name = pairs.at(index, part.resolve)
    const target = pairs.at(index + 1)
    if (name instanceof PdfString && target) names.set(keyOf(name), target)
  }
  for (const kid of node.getArray('Kids', part.resolve) ?? []) {
    const child = resolved(part, kid)
    if (child instanceof PdfDict) readNames(part, child, names, seen)
  }
}

/** One name tree for all parts. A name that another part already has gets the number of its part before it. */
export function writeNames(joined: PDF, resolve: Part['resolve'], parts: readonly Part[]): void {
  const all = movedNames(parts)
  if (all.size === 0) return
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1))
  const pairs = sorted.flatMap(([name, target]) => [PdfString.fromBytes(Buffer.from(name, 'latin1')), target])
  const tree = joined.register(PdfDict.of({ Names: PdfArray.of(...pairs) }))
  const catalog = joined.getCatalog()
  const names = catalog.getDict('Names', resolve)
  if (names) names.set('Dests', tree)
  else catalog.set('Names', joined.register(PdfDict.of({ Dests: tree })))
  catalog.delete('Dests')
}

function movedNames(parts: readonly Part[]): Map<string, PdfArray> {
  const all = new Map<string, PdfArray>()
  for (const [index, part] of parts.entries()) {
    const names = namedTargets(part)
    for (const [name, target] of names) {
      const moved = translate(part, target, names)
      if (moved) all.set(all.has(name) ? `${index + 1}-${name}` : name, moved)
    }
  }
  return all
}

/** Makes links inside a part jump to where their pages went. */
export function moveLinks(joined: PDF, resolve: Part['resolve'], part: Part): void {
  const names = namedTargets(part)
  for (const { from, to } of part.taken) {
    const source = annotationsOf(part.pdf.getPage(from)!.dict, part.resolve)
    const target = annotationsOf(joined.getObject(to) as PdfDict, resolve)
    for (const [index, annotation] of source.entries()) {
      const moved = target[index]
      if (annotation && moved) moveLink(part, annotation, moved, names, resolve)
    }
  }
}

function annotationsOf(page: PdfDict, resolve: Part['resolve']): (PdfDict | undefined)[] {
  return [...(page.getArray('Annots', resolve) ?? [])].map(item => {
    const annotation = item instanceof PdfRef ? resolve(item) : item
    return annotation instanceof PdfDict ? annotation : undefined
  })
}

function moveLink(
  part: Part,
  source: PdfDict,
  moved: PdfDict,
  names: Map<string, PdfObject>,
  resolve: Part['resolve'],
): void {
  const target = translate(part, source.get('Dest'), names)
  if (target) moved.set('Dest', target)
  const action = source.getDict('A', part.resolve)
  const jump =
    action?.getName('S', part.resolve)?.value === 'GoTo' ? translate(part, action.get('D'), names) : undefined
  if (jump) moved.getDict('A', resolve)?.set('D', jump)
}
