import { open, readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core'
import { attachmentsOf } from './pdf-attachments.ts'
import { wholeOf } from './pdf-bookmarks.ts'
import { metadataOf, setPlain, xmpOf } from './pdf-claims.ts'
import { type Bookmark, readOutline } from './pdf-outlines.ts'
import { type Sheet, sheetsOf } from './pdf-sheets.ts'
import { clearSignatures } from './pdf-signatures.ts'
import { type Claims, claimsOf, type Described, readXmp, writeXmp } from './pdf-xmp.ts'

/** What a document says of itself. */
export interface DocumentFacts {
  /** The texts of the information dictionary by their names; dates are as PDF writes them. */
  info?: Record<string, string>
  xmp?: string
  /** What the XMP says of what the information dictionary says too. */
  described: Described
  claims: Claims
  language?: string
  version: string
  isLinearized: boolean
  isTagged: boolean
  sheets: Sheet[]
  fields: number
  hasXfa: boolean
  hasJavaScript: boolean
  attachments: number
  bookmarks: number
}

/** The second file is the first as it came, before it was opened and mended. */
export async function describe([file, original = file]: string[]): Promise<DocumentFacts> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const catalog = pdf.getCatalog()
  const form = catalog.getDict('AcroForm', resolve)
  const xmp = xmpOf(pdf)
  return {
    info: textsOf(infoOf(pdf), resolve),
    xmp,
    described: readXmp(xmp),
    claims: claimsOf(xmp),
    language: catalog.getString('Lang', resolve)?.asString() || undefined,
    version: pdf.version,
    isLinearized: await isLinearized(original!),
    isTagged: catalog.getDict('MarkInfo', resolve)?.getBool('Marked', resolve)?.value === true,
    sheets: sheetsOf(pdf),
    fields: form?.getArray('Fields', resolve)?.length ?? 0,
    hasXfa: form?.has('XFA') ?? false,
    hasJavaScript: hasJavaScript(pdf, resolve),
    attachments: attachmentsOf(pdf).length,
    bookmarks: countOf(readOutline(wholeOf(pdf))),
  }
}

type Resolve = (ref: PdfRef) => PdfObject | null

function infoOf(pdf: PDF): PdfDict | undefined {
  return pdf.context.info.trailer.getDict('Info', ref => pdf.getObject(ref))
}

function textsOf(info: PdfDict | undefined, resolve: Resolve): Record<string, string> | undefined {
  if (!info) return undefined
  const texts: Record<string, string> = {}
  for (const [name, item] of info) {
    const value = item instanceof PdfRef ? resolve(item) : item
    if (value instanceof PdfString) texts[name.value] = value.asString()
    if (value instanceof PdfName) texts[name.value] = value.value
    if (value instanceof PdfNumber) texts[name.value] = `${value.value}`
  }
  return texts
}

function countOf(bookmarks: readonly Bookmark[]): number {
  return bookmarks.reduce((sum, { children }) => sum + 1 + countOf(children), 0)
}

/** A file that was added to later is as long as it says no more, and no longer one to be shown while it arrives. */
async function isLinearized(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0)
    const head = buffer.toString('latin1', 0, bytesRead)
    const length = /\/Linearized\b/.test(head) && /\/L\s+(\d+)/.exec(head)?.[1]
    return Boolean(length) && Number(length) === (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

function hasJavaScript(pdf: PDF, resolve: Resolve): boolean {
  const catalog = pdf.getCatalog()
  if (catalog.getDict('Names', resolve)?.has('JavaScript')) return true
  const dicts = [catalog, ...fieldsOf(pdf, resolve)]
  for (const { dict } of pdf.getPages()) {
    dicts.push(dict)
    for (const item of dict.getArray('Annots', resolve)?.toArray() ?? []) {
      const annotation = item instanceof PdfRef ? resolve(item) : item
      if (annotation instanceof PdfDict) dicts.push(annotation)
    }
  }
  return dicts.some(dict => actionsOf(dict, resolve).some(action => action.has('JS')))
}

function actionsOf(dict: PdfDict, resolve: Resolve): PdfDict[] {
  const own = ['A', 'OpenAction'].flatMap(name => dict.getDict(name, resolve) ?? [])
  const more = dict.getDict('AA', resolve)
  const onEvents = more ? [...more].flatMap(([name]) => more.getDict(name.value, resolve) ?? []) : []
  return [...own, ...onEvents]
}

const MOST_FIELDS = 20_000

function fieldsOf(pdf: PDF, resolve: Resolve): PdfDict[] {
  const found = new Set<PdfDict>()
  const waiting = [...(pdf.getCatalog().getDict('AcroForm', resolve)?.getArray('Fields', resolve)?.toArray() ?? [])]
  while (waiting.length > 0 && found.size < MOST_FIELDS) {
    const item = waiting.pop()!
    const field = item instanceof PdfRef ? resolve(item) : item
    if (!(field instanceof PdfDict) || found.has(field)) continue
    found.add(field)
    waiting.push(...(field.getArray('Kids', resolve)?.toArray() ?? []))
  }
  return [...found]
}

export interface NewMetadata {
  /** Of the information dictionary; null takes away. Left out: there shall be none. */
  info?: Record<string, string | null>
  described: Described
  /** Names of properties of one's own, those that go included. */
  own: string[]
  language?: string | null
  now: string
  isSigned: boolean
}

/** Signatures stay: the document is only added to. */
export async function writeMetadata([file]: string[], plan: NewMetadata): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const catalog = pdf.getCatalog()
  if (plan.info) writeInfo(pdf, plan.info)
  const metadata = metadataOf(pdf)
  const xmp = writeXmp(xmpOf(pdf), plan)
  if (metadata) setPlain(metadata, xmp)
  else {
    const head = { Type: PdfName.of('Metadata'), Subtype: PdfName.of('XML') }
    catalog.set('Metadata', pdf.register(PdfStream.fromDict(head, Buffer.from(xmp))))
  }
  if (plan.language === null) catalog.delete('Lang')
  else if (plan.language !== undefined) catalog.set('Lang', PdfString.fromString(plan.language))
  return { bytes: await pdf.save({ incremental: plan.isSigned, compressStreams: false }) }
}

function writeInfo(pdf: PDF, texts: Record<string, string | null>): void {
  let info = infoOf(pdf)
  if (!info) {
    info = new PdfDict()
    pdf.context.info.trailer.set('Info', pdf.register(info))
  }
  for (const [name, text] of Object.entries(texts)) {
    if (text === null) info.delete(name)
    else info.set(name, PdfString.fromString(text))
  }
}

const TOLD_BY_MAKERS = ['Metadata', 'PieceInfo', 'LastModified', 'Thumb']

/** Takes away what says who made the document with what: of the whole, of pages and of pictures. */
export async function stripMetadata([file]: string[]): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  pdf.context.info.trailer.delete('Info')
  clearSignatures(pdf, resolve)
  for (const dict of everyDict(pdf.getCatalog(), resolve)) for (const name of TOLD_BY_MAKERS) dict.delete(name)
  return { bytes: await pdf.save({ compressStreams: false }) }
}

/** Every dictionary that can be reached. What is taken out of one while it is at hand is not gone into. */
function* everyDict(root: PdfObject, resolve: Resolve): Generator<PdfDict> {
  const seen = new Set<PdfObject>()
  const waiting = [root]
  while (waiting.length > 0) {
    const item = waiting.pop()!
    const value = item instanceof PdfRef ? resolve(item) : item
    if (!value || seen.has(value)) continue
    if (value instanceof PdfDict) yield value
    const inner = innerOf(value)
    if (inner.length > 0) seen.add(value)
    waiting.push(...inner)
  }
}

function innerOf(value: PdfObject): PdfObject[] {
  if (value instanceof PdfArray) return value.toArray()
  return value instanceof PdfDict ? [...value].map(([, inner]) => inner) : []
}
