import { PdfArray, PdfDict, type PdfObject, PdfRef } from '@libpdf/core'

/** Looks up the object that a reference points to. */
export type Resolve = (ref: PdfRef) => PdfObject | null

export function resolveDict(item: PdfObject | null | undefined, resolve: Resolve): PdfDict | undefined {
  const found = item instanceof PdfRef ? resolve(item) : item
  return found instanceof PdfDict ? found : undefined
}

/** Walks all reachable dictionaries. Entries that the caller deletes from a yielded dictionary are not followed. */
export function* walkDicts(root: PdfObject, resolve: Resolve): Generator<PdfDict> {
  const seen = new Set<PdfObject>()
  const pending = [root]
  while (pending.length > 0) {
    const item = pending.pop()!
    const value = item instanceof PdfRef ? resolve(item) : item
    if (!value || seen.has(value)) continue
    if (value instanceof PdfDict) yield value
    const children = childrenOf(value)
    if (children.length > 0) seen.add(value)
    pending.push(...children)
  }
}

function childrenOf(value: PdfObject): PdfObject[] {
  if (value instanceof PdfArray) return value.toArray()
  return value instanceof PdfDict ? [...value].map(([, inner]) => inner) : []
}
