import { type PDF, PdfArray, PdfDict, type PdfObject, PdfRef } from '@libpdf/core'
import type { Resolve } from '../objects.ts'
import { resolveValue, type SourcePart } from './destinations.ts'

/** Adds the layers of a part to the joined file, which has those of the first part only. */
export function addLayers(joined: PDF, resolve: Resolve, part: SourcePart): void {
  const source = part.pdf.getCatalog().getDict('OCProperties', part.resolve)
  if (!source) return
  const moved = findMovedLayers(joined, resolve, part)
  if (moved.size === 0) return
  const target = ensureLayerProperties(joined, resolve)
  appendItems(target, 'OCGs', [...moved.values()], resolve)
  const from = source.getDict('D', part.resolve)
  const to = target.getDict('D', resolve)
  if (!from || !to) return
  for (const name of ['ON', 'OFF', 'Order', 'Locked']) {
    const list = from.getArray(name, part.resolve)
    if (list) appendItems(to, name, translateList(list, moved, part, new Set()), resolve)
  }
}

function ensureLayerProperties(joined: PDF, resolve: Resolve): PdfDict {
  const present = joined.getCatalog().getDict('OCProperties', resolve)
  if (present) return present
  const properties = PdfDict.of({ OCGs: new PdfArray(), D: PdfDict.of({ Order: new PdfArray() }) })
  joined.getCatalog().set('OCProperties', properties)
  return properties
}

function appendItems(dict: PdfDict, name: string, items: readonly PdfObject[], resolve: Resolve): void {
  const list = dict.getArray(name, resolve)
  if (list) list.push(...items)
  else dict.set(name, PdfArray.of(...items))
}

function translateList(list: PdfArray, moved: Map<number, PdfRef>, part: SourcePart, seen: Set<PdfArray>): PdfObject[] {
  seen.add(list)
  return list.toArray().flatMap((item): PdfObject[] => {
    const layer = item instanceof PdfRef ? moved.get(item.objectNumber) : undefined
    if (layer) return [layer]
    const inner = resolveValue(part, item)
    if (inner instanceof PdfArray && !seen.has(inner)) return [PdfArray.of(...translateList(inner, moved, part, seen))]
    return inner?.type === 'string' ? [inner] : []
  })
}

function findMovedLayers(joined: PDF, resolve: Resolve, part: SourcePart): Map<number, PdfRef> {
  const pairs = [...mapMovedObjects(joined, resolve, part)]
  return new Map(pairs.filter(([from]) => isLayer(part, from)).map(([from, to]) => [from.objectNumber, to]))
}

/** Finds the copies of the objects that pages use, by walking each page and its copy in parallel. */
export function mapMovedObjects(joined: PDF, resolve: Resolve, part: SourcePart): Map<PdfRef, PdfRef> {
  const moved = new Map<PdfRef, PdfRef>()
  const pending: [PdfObject, PdfObject | undefined][] = []
  for (const { from, to } of part.takenPages)
    pending.push([part.pdf.getPage(from)!.dict, joined.getObject(to) ?? undefined])
  while (pending.length > 0) {
    const [from, to] = pending.pop()!
    if (!to || (from instanceof PdfRef && moved.has(from))) continue
    if (from instanceof PdfRef && to instanceof PdfRef) moved.set(from, to)
    pending.push(...pairChildren(resolveValue(part, from), resolveValue({ resolve }, to)))
  }
  return moved
}

/** Pairs the children at the same position in both objects. */
function pairChildren(from: PdfObject | undefined, to: PdfObject | undefined): [PdfObject, PdfObject | undefined][] {
  if (from instanceof PdfArray && to instanceof PdfArray)
    return from.toArray().map((value, index) => [value, to.at(index)])
  if (!(from instanceof PdfDict) || !(to instanceof PdfDict)) return []
  return [...from].filter(([name]) => !BACK_REFERENCES.has(name.value)).map(([name, value]) => [value, to.get(name)])
}

const BACK_REFERENCES = new Set(['Parent', 'P', 'Dest', 'A'])

function isLayer(part: SourcePart, item: PdfObject): boolean {
  const found = item instanceof PdfRef ? part.resolve(item) : undefined
  return found instanceof PdfDict && found.getName('Type', part.resolve)?.value === 'OCG'
}
