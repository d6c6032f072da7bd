import {
  type PDF,
  PdfArray,
  PdfDict,
  PdfName,
  PdfNull,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfString,
} from '@libpdf/core'
import type { Resolve } from '../objects.ts'

/** A source document and where its pages went in the joined file. */
export interface SourcePart {
  pdf: PDF
  resolve: Resolve
  /** The new page by the object number of the page in the source. */
  movedPages: Map<number, PdfRef>
  /** The pages that were taken, in order: index in the source, from 0, and page of the joined file. */
  takenPages: { from: number; to: PdfRef }[]
  title: string | undefined
}

const MAX_NAMES = 100_000

/** Translates a target of a source to the joined file. Returns undefined if its page was not taken. */
export function translateTarget(
  part: SourcePart,
  target: PdfObject | undefined | null,
  names: Map<string, PdfObject>,
): PdfArray | undefined {
  const explicit = resolveTarget(part, target, names)
  const page = explicit && targetPageNumber(part, explicit)
  const to = page && part.movedPages.get(page)
  if (!explicit || !to) return undefined
  return PdfArray.of(to, ...explicit.toArray().slice(1).filter(isPlain))
}

function isPlain(value: PdfObject): boolean {
  return value.type === 'number' || value.type === 'name' || value.type === 'null'
}

function resolveTarget(
  part: SourcePart,
  target: PdfObject | undefined | null,
  names: Map<string, PdfObject>,
): PdfArray | undefined {
  const found = resolveValue(part, target)
  const named =
    found instanceof PdfString || found instanceof PdfName ? resolveValue(part, names.get(nameKey(found))) : found
  const explicit = named instanceof PdfDict ? resolveValue(part, named.get('D')) : named
  return explicit instanceof PdfArray ? explicit : undefined
}

export function resolveValue(
  { resolve }: Pick<SourcePart, 'resolve'>,
  value: PdfObject | undefined | null,
): PdfObject | undefined {
  return (value instanceof PdfRef ? resolve(value) : value) ?? undefined
}

/** The object number of the target page. Some writers store the page index instead. */
function targetPageNumber({ pdf }: SourcePart, target: PdfArray): number | undefined {
  const first = target.at(0)
  if (first instanceof PdfRef) return first.objectNumber
  return first instanceof PdfNumber ? pdf.getPage(first.value)?.ref.objectNumber : undefined
}

function nameKey(name: PdfString | PdfName): string {
  return name instanceof PdfName ? name.value : Buffer.from(name.bytes).toString('latin1')
}

/** Reads all named targets of a document, from the name tree and from the dictionary of PDF 1.1. */
export function readNamedTargets(part: Pick<SourcePart, 'pdf' | 'resolve'>): Map<string, PdfObject> {
  const names = new Map<string, PdfObject>()
  const catalog = part.pdf.getCatalog()
  const dictionary = catalog.getDict('Dests', part.resolve)
  for (const [name, target] of dictionary ?? []) names.set(name.value, target)
  const tree = catalog.getDict('Names', part.resolve)?.getDict('Dests', part.resolve)
  if (tree) readNameTree(part, tree, names, new Set())
  return names
}

function readNameTree(
  part: Pick<SourcePart, 'resolve'>,
  node: PdfDict,
  names: Map<string, PdfObject>,
  seen: Set<PdfDict>,
): void {
  if (seen.has(node) || names.size > MAX_NAMES) return
  seen.add(node)
  const pairs = node.getArray('Names', part.resolve)
  for (let index = 0; pairs && index + 1 < pairs.length; index += 2) {
    const name = pairs.at(index, part.resolve)
    const target = pairs.at(index + 1)
    if (name instanceof PdfString && target) names.set(nameKey(name), target)
  }
  for (const kid of node.getArray('Kids', part.resolve) ?? []) {
    const child = resolveValue(part, kid)
    if (child instanceof PdfDict) readNameTree(part, child, names, seen)
  }
}

/** Writes one name tree for all parts. A name that an earlier part uses is prefixed with the number of its part. */
export function writeNamedTargets(joined: PDF, resolve: Resolve, parts: readonly SourcePart[]): void {
  const all = translateNames(parts)
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

function translateNames(parts: readonly SourcePart[]): Map<string, PdfArray> {
  const all = new Map<string, PdfArray>()
  for (const [index, part] of parts.entries()) {
    const names = readNamedTargets(part)
    for (const [name, target] of names) {
      const moved = translateTarget(part, target, names)
      if (moved) all.set(all.has(name) ? `${index + 1}-${name}` : name, moved)
    }
  }
  return all
}

/** Points the links of a part to the new pages, and none to a name: the names of the parts can clash. */
export function moveLinks(joined: PDF, resolve: Resolve, part: SourcePart): void {
  const names = readNamedTargets(part)
  for (const { from, to } of part.takenPages) {
    const source = readAnnotations(part.pdf.getPage(from)!.dict, part.resolve)
    const target = readAnnotations(joined.getObject(to) as PdfDict, resolve)
    for (const [index, annotation] of source.entries()) {
      const moved = target[index]
      if (annotation && moved) moveLink(part, annotation, moved, names, resolve)
    }
  }
}

function readAnnotations(page: PdfDict, resolve: Resolve): (PdfDict | undefined)[] {
  return [...(page.getArray('Annots', resolve) ?? [])].map(item => {
    const annotation = item instanceof PdfRef ? resolve(item) : item
    return annotation instanceof PdfDict ? annotation : undefined
  })
}

function moveLink(
  part: SourcePart,
  source: PdfDict,
  moved: PdfDict,
  names: Map<string, PdfObject>,
  resolve: Resolve,
): void {
  const target = translateLink(part, source.get('Dest'), names)
  if (target) moved.set('Dest', target)
  const action = source.getDict('A', part.resolve)
  const jump =
    action?.getName('S', part.resolve)?.value === 'GoTo' ? translateLink(part, action.get('D'), names) : undefined
  if (jump) moved.getDict('A', resolve)?.set('D', jump)
}

/** A name whose page was not taken leads nowhere: in the joined file it may be the name of a place in another part. */
function translateLink(
  part: SourcePart,
  target: PdfObject | undefined,
  names: Map<string, PdfObject>,
): PdfArray | undefined {
  const found = resolveValue(part, target)
  const isNamed = found instanceof PdfString || found instanceof PdfName
  return translateTarget(part, found, names) ?? (isNamed ? leadNowhere() : undefined)
}

function leadNowhere(): PdfArray {
  return PdfArray.of(PdfNull.instance, PdfName.of('Fit'))
}
