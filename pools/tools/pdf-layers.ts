import { type PDF, PdfArray, PdfDict, type PdfObject, PdfRef } from '@libpdf/core'
import { type Part, resolved } from './pdf-targets.ts'

/** Adds a part's layers to those of the joined file, which knows only the first part's. */
export function addLayers(joined: PDF, resolve: Part['resolve'], part: Part): void {
  const source = part.pdf.getCatalog().getDict('OCProperties', part.resolve)
  if (!source) return
  const moved = movedLayers(joined, resolve, part)
  if (moved.size === 0) return
  const target = layersOf(joined, resolve)
  append(target, 'OCGs', [...moved.values()], resolve)
  const from = source.getDict('D', part.resolve)
  const to = target.getDict('D', resolve)
  if (!from || !to) return
  for (const name of ['ON', 'OFF', 'Order', 'Locked']) {
    const list = from.getArray(name, part.resolve)
    if (list) append(to, name, translated(list, moved, part, new Set()), resolve)
  }
}

function layersOf(joined: PDF, resolve: Part['resolve']): PdfDict {
  const present = joined.getCatalog().getDict('OCProperties', resolve)
  if (present) return present
  const made = PdfDict.of({ OCGs: new PdfArray(), D: PdfDict.of({ Order: new PdfArray() }) })
  joined.getCatalog().set('OCProperties', made)
  return made
}

function append(dict: PdfDict, name: string, items: readonly PdfObject[], resolve: Part['resolve']): void {
  const list = dict.getArray(name, resolve)
  if (list) list.push(...items)
  else dict.set(name, PdfArray.of(...items))
}

function translated(list: PdfArray, moved: Map<number, PdfRef>, part: Part, seen: Set<PdfArray>): PdfObject[] {
  seen.add(list)
  return list.toArray().flatMap((item): PdfObject[] => {
    const layer = item instanceof PdfRef ? moved.get(item.objectNumber) : undefined
    if (layer) return [layer]
    const inner = resolved(part, item)
    if (inner instanceof PdfArray && !seen.has(inner)) return [PdfArray.of(...translated(inner, moved, part, seen))]
    return inner?.type === 'string' ? [inner] : []
  })
}

function movedLayers(joined: PDF, resolve: Part['resolve'], part: Part): Map<number, PdfRef> {
  const pairs = [...movedObjects(joined, resolve, part)]
  return new Map(pairs.filter(([from]) => isLayer(part, from)).map(([from, to]) => [from.objectNumber, to]))
}

/** Finds what became of the objects that pages need, by walking the same way through a page and the page it became. */
export function movedObjects(joined: PDF, resolve: Part['resolve'], part: Part): Map<PdfRef, PdfRef> {
  const moved = new Map<PdfRef, PdfRef>()
  const waiting: [PdfObject, PdfObject | undefined][] = []
  for (const { from, to } of part.taken) waiting.push([part.pdf.getPage(from)!.dict, joined.getObject(to) ?? undefined])
  while (waiting.length > 0) {
    const [from, to] = waiting.pop()!
    if (!to || (from instanceof PdfRef && moved.has(from))) continue
    if (from instanceof PdfRef && to instanceof PdfRef) moved.set(from, to)
    waiting.push(...pairsIn(resolved(part, from), resolved({ resolve }, to)))
  }
  return moved
}

/** What stands at the same place in both. */
function pairsIn(from: PdfObject | undefined, to: PdfObject | undefined): [PdfObject, PdfObject | undefined][] {
  if (from instanceof PdfArray && to instanceof PdfArray)
    return from.toArray().map((value, index) => [value, to.at(index)])
  if (!(from instanceof PdfDict) || !(to instanceof PdfDict)) return []
  return [...from].filter(([name]) => !BACKWARDS.has(name.value)).map(([name, value]) => [value, to.get(name)])
}

const BACKWARDS = new Set(['Parent', 'P', 'Dest', 'A'])

function isLayer(part: Part, item: PdfObject): boolean {
  const found = item instanceof PdfRef ? part.resolve(item) : undefined
  return found instanceof PdfDict && found.getName('Type', part.resolve)?.value === 'OCG'
}
