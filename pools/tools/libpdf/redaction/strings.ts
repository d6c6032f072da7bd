import { type PDF, PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core'
import type { RE2JS } from 're2js'
import { type Resolve, resolveDict } from '../objects.ts'

interface WipeState {
  pdf: PDF
  /** Whether a text repeats what was removed. `isReplacement` means that it stands for content of a page. */
  reveals(text: string, isReplacement: boolean): boolean
  wiped: number
}

const REPLACEMENT_TEXT_KEYS = new Set(['ActualText', 'Alt', 'E'])
/** Entries that may hold their text in a stream. */
const TEXT_STREAM_KEYS = new Set(['Metadata', 'JS', 'RC', 'RV', 'V', 'XFA'])

/** Empties every string outside the page content that repeats what was removed: titles, notes, values, addresses. */
export function wipeStrings(pdf: PDF, expressions: readonly RE2JS[], coveredTexts: readonly string[]): number {
  const covered = coveredTexts.map(text => text.toLowerCase()).filter(text => text.length > 1)
  const matches = (text: string) => expressions.some(expression => expression.matcher(text).find())
  const state: WipeState = {
    pdf,
    reveals: (text, isReplacement) =>
      matches(text.normalize('NFKC')) || (isReplacement && covered.some(part => text.toLowerCase().includes(part))),
    wiped: 0,
  }
  const { trailer } = pdf.context.info
  const pending: PdfObject[] = ['Root', 'Info'].flatMap(name => trailer.get(name) ?? [])
  const seen = new Set<PdfObject>()
  while (pending.length > 0) {
    const item = pending.pop()!
    const found = item instanceof PdfRef ? pdf.getObject(item) : item
    if (!found || seen.has(found)) continue
    seen.add(found)
    if (found instanceof PdfArray) pending.push(...wipeList(found, state))
    else if (found instanceof PdfDict) pending.push(...wipeEntries(found, state))
  }
  return state.wiped
}

function wipeList(list: PdfArray, state: WipeState): PdfObject[] {
  for (const [index, item] of list.toArray().entries()) {
    if (!(item instanceof PdfString) || !state.reveals(item.asString(), false)) continue
    list.set(index, PdfString.fromString(''))
    state.wiped += 1
  }
  return list.toArray()
}

function wipeEntries(dict: PdfDict, state: WipeState): PdfObject[] {
  const entries = [...dict].map(([key, value]) => [key.value, value] as const)
  for (const [key, value] of entries) {
    const found = value instanceof PdfRef ? state.pdf.getObject(value) : value
    if (!readTexts(key, found, state).some(text => state.reveals(text, REPLACEMENT_TEXT_KEYS.has(key)))) continue
    state.wiped += 1
    if (found instanceof PdfString) dict.set(key, PdfString.fromString(''))
    else dict.delete(key)
    if (key === 'V' || key === 'DV') dropAppearances(dict, state.pdf)
  }
  return [...dict].map(([, value]) => value)
}

function readTexts(key: string, found: PdfObject | null | undefined, { pdf }: WipeState): string[] {
  if (found instanceof PdfString) return [found.asString()]
  if (!TEXT_STREAM_KEYS.has(key)) return []
  const items = found instanceof PdfArray ? found.toArray() : [found]
  return items.flatMap(item => {
    const stream = item instanceof PdfRef ? pdf.getObject(item) : item
    return stream instanceof PdfStream ? [Buffer.from(stream.getDecodedData()).toString('utf8')] : []
  })
}

/** A field must not keep showing a value that was removed. */
export function dropAppearances(field: PdfDict, pdf: PDF): void {
  const resolve: Resolve = ref => pdf.getObject(ref)
  field.delete('AP')
  for (const kid of field.getArray('Kids', resolve) ?? []) resolveDict(kid, resolve)?.delete('AP')
}
