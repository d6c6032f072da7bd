import { open, readFile } from 'node:fs/promises'
import { PDF, PdfDict, PdfName, PdfNumber, PdfRef, PdfStream, PdfString } from '@libpdf/core'
import type { DocumentFacts } from '../../../../tasks/formats/pdf/document.ts'
import type { PdfMetadata } from '../../../../tasks/formats/pdf/properties.ts'
import { type Resolve, walkDicts } from '../objects.ts'
import { listPageBoxes } from '../pages/boxes.ts'
import { collectAttachments } from './attachments.ts'
import { wholeDocument } from './bookmarks.ts'
import { type OutlineItem, readOutline } from './outlines.ts'
import { metadataStreamOf, readXmpPacket, setUncompressed } from './pdfa-claim.ts'
import { clearSignatures } from './signatures.ts'
import { readClaims, readXmp, writeXmp } from './xmp.ts'

/** Describes a document. `original` is the file as uploaded, before it was repaired or decrypted. */
export async function describe([file, original = file]: string[]): Promise<DocumentFacts> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const catalog = pdf.getCatalog()
  const form = catalog.getDict('AcroForm', resolve)
  const xmp = readXmpPacket(pdf)
  return {
    info: readTexts(infoDictionaryOf(pdf), resolve),
    xmp,
    xmpProperties: readXmp(xmp),
    claims: readClaims(xmp),
    language: catalog.getString('Lang', resolve)?.asString() || undefined,
    version: pdf.version,
    isLinearized: await isLinearized(original!),
    isTagged: catalog.getDict('MarkInfo', resolve)?.getBool('Marked', resolve)?.value === true,
    pageBoxes: listPageBoxes(pdf),
    fields: form?.getArray('Fields', resolve)?.length ?? 0,
    hasXfa: form?.has('XFA') ?? false,
    hasJavaScript: hasJavaScript(pdf, resolve),
    attachments: collectAttachments(pdf).length,
    bookmarks: countItems(readOutline(wholeDocument(pdf))),
  }
}

const STRUCTURE_TYPES = ['Catalog', 'Pages', 'Page']

/** A damaged trailer may name a part of the document's structure, which must not be written to. */
function infoDictionaryOf(pdf: PDF): PdfDict | undefined {
  const info = pdf.context.info.trailer.getDict('Info', ref => pdf.getObject(ref))
  const type = info?.getName('Type')?.value
  return type !== undefined && STRUCTURE_TYPES.includes(type) ? undefined : info
}

function readTexts(info: PdfDict | undefined, resolve: Resolve): Record<string, string> | undefined {
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

function countItems(bookmarks: readonly OutlineItem[]): number {
  return bookmarks.reduce((sum, { children }) => sum + 1 + countItems(children), 0)
}

/** A file that was appended to no longer has the length it declares, and is no longer linearized. */
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
  const dicts = [catalog, ...collectFields(pdf, resolve)]
  for (const { dict } of pdf.getPages()) {
    dicts.push(dict)
    for (const item of dict.getArray('Annots', resolve)?.toArray() ?? []) {
      const annotation = item instanceof PdfRef ? resolve(item) : item
      if (annotation instanceof PdfDict) dicts.push(annotation)
    }
  }
  return dicts.some(dict => collectActions(dict, resolve).some(action => action.has('JS')))
}

function collectActions(dict: PdfDict, resolve: Resolve): PdfDict[] {
  const ownActions = ['A', 'OpenAction'].flatMap(name => dict.getDict(name, resolve) ?? [])
  const events = dict.getDict('AA', resolve)
  const eventActions = events ? [...events].flatMap(([name]) => events.getDict(name.value, resolve) ?? []) : []
  return [...ownActions, ...eventActions]
}

const MAX_FIELDS = 20_000

function collectFields(pdf: PDF, resolve: Resolve): PdfDict[] {
  const found = new Set<PdfDict>()
  const pending = [...(pdf.getCatalog().getDict('AcroForm', resolve)?.getArray('Fields', resolve)?.toArray() ?? [])]
  while (pending.length > 0 && found.size < MAX_FIELDS) {
    const item = pending.pop()!
    const field = item instanceof PdfRef ? resolve(item) : item
    if (!(field instanceof PdfDict) || found.has(field)) continue
    found.add(field)
    pending.push(...(field.getArray('Kids', resolve)?.toArray() ?? []))
  }
  return [...found]
}

export interface NewMetadata {
  /** Entries of the information dictionary; null removes one. Missing: the document has no such dictionary. */
  info?: Record<string, string | null>
  xmpProperties: PdfMetadata
  /** Names of all custom properties, including removed ones. */
  customNames: string[]
  language?: string | null
  now: string
  isSigned: boolean
}

/** A signed document is only appended to, so signatures stay valid. */
export async function writeMetadata([file]: string[], plan: NewMetadata): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const catalog = pdf.getCatalog()
  if (plan.info) writeInfo(pdf, plan.info)
  const metadata = metadataStreamOf(pdf)
  const xmp = writeXmp(readXmpPacket(pdf), plan)
  if (metadata) setUncompressed(metadata, xmp)
  else {
    const entries = { Type: PdfName.of('Metadata'), Subtype: PdfName.of('XML') }
    catalog.set('Metadata', pdf.register(PdfStream.fromDict(entries, Buffer.from(xmp))))
  }
  if (plan.language === null) catalog.delete('Lang')
  else if (plan.language !== undefined) catalog.set('Lang', PdfString.fromString(plan.language))
  return { bytes: await pdf.save({ incremental: plan.isSigned, compressStreams: false }) }
}

function writeInfo(pdf: PDF, texts: Record<string, string | null>): void {
  let info = infoDictionaryOf(pdf)
  if (!info) {
    info = new PdfDict()
    pdf.context.info.trailer.set('Info', pdf.register(info))
  }
  for (const [name, text] of Object.entries(texts)) {
    if (text === null) info.delete(name)
    else info.set(name, PdfString.fromString(text))
  }
}

const PRODUCER_KEYS = ['Metadata', 'PieceInfo', 'LastModified', 'Thumb']

/** Removes what tells the author and software of the document, its pages and its images. */
export async function dropMetadata([file]: string[]): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  pdf.context.info.trailer.delete('Info')
  // The library does not see changes of the trailer, and saves the old bytes if nothing else changed.
  pdf.getCatalog().set('Type', PdfName.of('Catalog'))
  clearSignatures(pdf, resolve)
  for (const dict of walkDicts(pdf.getCatalog(), resolve)) for (const name of PRODUCER_KEYS) dict.delete(name)
  return { bytes: await pdf.save({ compressStreams: false }) }
}
