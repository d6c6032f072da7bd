import { type PDF, PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core'
import type { RE2JS } from 're2js'

interface Wiping {
  pdf: PDF
  /** Whether a text tells something of what was removed; `isSpoken` of one that stands for what a page shows. */
  tells(text: string, isSpoken: boolean): boolean
  wiped: number
}

const SPOKEN = new Set(['ActualText', 'Alt', 'E'])
/** Entries whose stream is a text. */
const TEXTS = new Set(['Metadata', 'JS', 'RC', 'RV', 'V', 'XFA'])

/** Empties every string outside the pages' content that tells what was removed: titles, notes, values, addresses. */
export function wipeStrings(pdf: PDF, expressions: readonly RE2JS[], covered: readonly string[]): number {
  const spoken = covered.map(text => text.toLowerCase()).filter(text => text.length > 1)
  const finds = (text: string) => expressions.some(expression => expression.matcher(text).find())
  const wiping: Wiping = {
    pdf,
    tells: (text, isSpoken) =>
      finds(text.normalize('NFKC')) || (isSpoken && spoken.some(part => text.toLowerCase().includes(part))),
    wiped: 0,
  }
  const { trailer } = pdf.context.info
  const waiting: PdfObject[] = ['Root', 'Info'].flatMap(name => trailer.get(name) ?? [])
  const seen = new Set<PdfObject>()
  while (waiting.length > 0) {
    const item = waiting.pop()!
    const found = item instanceof PdfRef ? pdf.getObject(item) : item
    if (!found || seen.has(found)) continue
    seen.add(found)
    if (found instanceof PdfArray) waiting.push(...wipeList(found, wiping))
    else if (found instanceof PdfDict) waiting.push(...wipeEntries(found, wiping))
  }
  return wiping.wiped
}

function wipeList(list: PdfArray, wiping: Wiping): PdfObject[] {
  for (const [index, item] of list.toArray().entries()) {
    if (!(item instanceof PdfString) || !wiping.tells(item.asString(), false)) continue
    list.set(index, PdfString.fromString(''))
    wiping.wiped += 1
  }
  return list.toArray()
}

function wipeEntries(dict: PdfDict, wiping: Wiping): PdfObject[] {
  const entries = [...dict].map(([key, value]) => [key.value, value] as const)
  for (const [key, value] of entries) {
    const found = value instanceof PdfRef ? wiping.pdf.getObject(value) : value
    if (!textsIn(key, found, wiping).some(text => wiping.tells(text, SPOKEN.has(key)))) continue
    wiping.wiped += 1
    if (found instanceof PdfString) dict.set(key, PdfString.fromString(''))
    else dict.delete(key)
    if (key === 'V' || key === 'DV') undraw(dict, wiping.pdf)
  }
  return [...dict].map(([, value]) => value)
}

function textsIn(key: string, found: PdfObject | null | undefined, { pdf }: Wiping): string[] {
  if (found instanceof PdfString) return [found.asString()]
  if (!TEXTS.has(key)) return []
  const items = found instanceof PdfArray ? found.toArray() : [found]
  return items.flatMap(item => {
    const stream = item instanceof PdfRef ? pdf.getObject(item) : item
    return stream instanceof PdfStream ? [Buffer.from(stream.getDecodedData()).toString('utf8')] : []
  })
}

/** A field whose value went must not go on showing it. */
export function undraw(field: PdfDict, pdf: PDF): void {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  field.delete('AP')
  for (const kid of field.getArray('Kids', resolve) ?? []) {
    const widget = kid instanceof PdfRef ? resolve(kid) : kid
    if (widget instanceof PdfDict) widget.delete('AP')
  }
}
