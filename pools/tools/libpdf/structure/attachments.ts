import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core'
import type { Attachment, NewAttachment } from '../../../../tasks/formats/pdf/document.ts'
import { type Resolve, resolveDict } from '../objects.ts'
import { dropClaim, readClaimedPart } from './pdfa-claim.ts'

export async function listAttachments([file]: string[]): Promise<Attachment[]> {
  return collectAttachments(await PDF.load(await readFile(file!)))
}

/** Finds files in the name tree, in the associated files of the document and its pages, and in annotations. */
export function collectAttachments(pdf: PDF): Attachment[] {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const found = new Map<number, Attachment>()
  const addFile = (spec: PdfObject | undefined, key?: PdfString, page?: number) => {
    const attachment = spec instanceof PdfDict ? readAttachment(spec, key, resolve) : undefined
    if (!attachment) return
    const known = found.get(attachment.stream) ?? attachment
    found.set(attachment.stream, page === undefined ? known : { ...known, page: known.page ?? page })
  }
  for (const { key, value } of readNameTree(pdf)) addFile(resolveDict(value, resolve), key)
  for (const spec of associatedFiles(pdf.getCatalog(), resolve)) addFile(spec)
  for (const [index, { dict }] of pdf.getPages().entries()) {
    for (const spec of associatedFiles(dict, resolve)) addFile(spec, undefined, index + 1)
    for (const note of fileAnnotations(dict, resolve)) addFile(note.getDict('FS', resolve), undefined, index + 1)
  }
  return [...found.values()]
}

const FILE_NAME_KEYS = ['UF', 'F', 'Unix', 'DOS', 'Mac']

function readAttachment(spec: PdfDict, key: PdfString | undefined, resolve: Resolve): Attachment | undefined {
  const ref = streamRefOf(spec, resolve)
  const stream = ref && resolve(ref)
  if (!(stream instanceof PdfStream)) return undefined
  const params = stream.getDict('Params', resolve)
  const text = (dict: PdfDict | undefined, name: string) => dict?.getString(name, resolve)?.asString()
  const names = FILE_NAME_KEYS.map(name => text(spec, name))
  const checksum = params?.getString('CheckSum', resolve)
  return {
    name: names.find(Boolean) ?? key?.asString() ?? '',
    stream: ref!.objectNumber,
    sizeBytes: params?.getNumber('Size', resolve)?.value ?? stream.getEncodedData().length,
    mimeType: stream.getName('Subtype', resolve)?.value,
    description: text(spec, 'Desc'),
    created: text(params, 'CreationDate'),
    modified: text(params, 'ModDate'),
    relationship: spec.getName('AFRelationship', resolve)?.value,
    checksum: checksum && Buffer.from(checksum.bytes).toString('hex'),
  }
}

function streamRefOf(spec: PdfDict, resolve: Resolve): PdfRef | undefined {
  const files = spec.getDict('EF', resolve)
  return FILE_NAME_KEYS.map(name => files?.getRef(name)).find(ref => ref !== undefined)
}

function associatedFiles(owner: PdfDict, resolve: Resolve): PdfDict[] {
  const list = owner.getArray('AF', resolve)?.toArray() ?? []
  return list.flatMap(item => resolveDict(item, resolve) ?? [])
}

function fileAnnotations(page: PdfDict, resolve: Resolve): PdfDict[] {
  const items = page.getArray('Annots', resolve)?.toArray() ?? []
  const notes = items.flatMap(item => resolveDict(item, resolve) ?? [])
  return notes.filter(note => note.getName('Subtype', resolve)?.value === 'FileAttachment')
}

interface NameTreeEntry {
  key: PdfString
  value: PdfObject
}

const MAX_ENTRIES = 10_000

/** Reads all entries of the name tree of embedded files. */
function readNameTree(pdf: PDF): NameTreeEntry[] {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const entries: NameTreeEntry[] = []
  const seen = new Set<PdfDict>()
  const pending = [pdf.getCatalog().getDict('Names', resolve)?.getDict('EmbeddedFiles', resolve)]
  while (pending.length > 0 && entries.length < MAX_ENTRIES) {
    const node = pending.pop()
    if (!node || seen.has(node)) continue
    seen.add(node)
    entries.push(...readEntries(node, resolve))
    const kids = node.getArray('Kids', resolve)?.toArray() ?? []
    pending.push(...kids.toReversed().map(kid => resolveDict(kid, resolve)))
  }
  return entries
}

function readEntries(node: PdfDict, resolve: Resolve): NameTreeEntry[] {
  const pairs = node.getArray('Names', resolve)?.toArray() ?? []
  return pairs.flatMap((value, index) => {
    const key = index % 2 === 1 ? pairs[index - 1] : undefined
    const text = key instanceof PdfRef ? resolve(key) : key
    return text instanceof PdfString ? [{ key: text, value }] : []
  })
}

/** Writes a tree with a single node. Readers search it by key, so the keys are sorted by their bytes. */
function writeNameTree(pdf: PDF, entries: readonly NameTreeEntry[]): void {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const sorted = entries.toSorted((a, b) => Buffer.compare(a.key.bytes, b.key.bytes))
  const tree = pdf.register(PdfDict.of({ Names: PdfArray.of(...sorted.flatMap(({ key, value }) => [key, value])) }))
  const catalog = pdf.getCatalog()
  const names = catalog.getDict('Names', resolve)
  if (names) names.set('EmbeddedFiles', tree)
  else catalog.set('Names', pdf.register(PdfDict.of({ EmbeddedFiles: tree })))
}

/** Adds files, replacing those of the same name. A signed document is only appended to, so signatures stay valid. */
export async function addAttachments(
  [file, ...files]: string[],
  { given, now, isSigned }: { given: readonly NewAttachment[]; now: string; isSigned: boolean },
): Promise<{ bytes: Uint8Array; lostClaim: boolean }> {
  const pdf = await PDF.load(await readFile(file!))
  const names = new Set(given.map(({ name }) => name))
  const replaced = collectAttachments(pdf).filter(({ name }) => names.has(name))
  detachFiles(pdf, new Set(replaced.map(({ stream }) => stream)))
  attachFiles(pdf, given, await Promise.all(files.map(path => readFile(path))), now)
  const part = readClaimedPart(pdf)
  const lostClaim = !isSigned && part !== undefined && part < 3 && dropClaim(pdf)
  return { bytes: await pdf.save({ incremental: isSigned }), lostClaim }
}

/** Adds files to those that are there; the names must be new. */
export function attachFiles(pdf: PDF, given: readonly NewAttachment[], contents: readonly Buffer[], now: string): void {
  const entries = readNameTree(pdf)
  for (const [index, attachment] of given.entries()) {
    const spec = embedFile(pdf, attachment, contents[index]!, now)
    entries.push({ key: PdfString.fromString(attachment.name), value: spec })
    if (attachment.relationship) associateWithDocument(pdf, spec)
  }
  if (given.length > 0) writeNameTree(pdf, entries)
}

function embedFile(pdf: PDF, attachment: NewAttachment, bytes: Buffer, now: string): PdfRef {
  const { name, mimeType, description, relationship } = attachment
  const deflated = deflateSync(bytes)
  const isSmaller = deflated.length < bytes.length
  const stream = PdfStream.fromDict(
    {
      Type: PdfName.of('EmbeddedFile'),
      Subtype: PdfName.of(mimeType),
      Params: PdfDict.of({
        Size: PdfNumber.of(bytes.length),
        ModDate: PdfString.fromString(now),
        CheckSum: PdfString.fromBytes(createHash('md5').update(bytes).digest()),
      }),
    },
    isSmaller ? deflated : bytes,
  )
  if (isSmaller) stream.set('Filter', PdfName.of('FlateDecode'))
  const ref = pdf.register(stream)
  const spec = PdfDict.of({
    Type: PdfName.of('Filespec'),
    F: PdfString.fromString(name),
    UF: PdfString.fromString(name),
    EF: PdfDict.of({ F: ref, UF: ref }),
    AFRelationship: PdfName.of(relationship ?? 'Unspecified'),
  })
  if (description) spec.set('Desc', PdfString.fromString(description))
  return pdf.register(spec)
}

function associateWithDocument(pdf: PDF, spec: PdfRef): void {
  const catalog = pdf.getCatalog()
  const list = catalog.getArray('AF', ref => pdf.getObject(ref))
  if (list) list.push(spec)
  else catalog.set('AF', PdfArray.of(spec))
}

export async function removeAttachments(
  [file]: string[],
  { streams }: { streams: readonly number[] },
): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  detachFiles(pdf, new Set(streams))
  return { bytes: await pdf.save() }
}

/** Removes every reference to these files: name tree entries, associations, and annotations. */
function detachFiles(pdf: PDF, streams: ReadonlySet<number>): void {
  if (streams.size === 0) return
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const isRemoved = (spec: PdfDict | undefined) => streams.has((spec && streamRefOf(spec, resolve)?.objectNumber) ?? -1)
  const entries = readNameTree(pdf)
  writeNameTree(
    pdf,
    entries.filter(({ value }) => {
      const spec = resolveDict(value, resolve)
      return spec !== undefined && !isRemoved(spec)
    }),
  )
  const owners = [pdf.getCatalog(), ...pdf.getPages().map(({ dict }) => dict)]
  for (const owner of owners) {
    filterArray(owner, 'AF', resolve, item => isRemoved(resolveDict(item, resolve)))
    filterArray(owner, 'Annots', resolve, item => isRemoved(resolveDict(item, resolve)?.getDict('FS', resolve)))
  }
}

function filterArray(owner: PdfDict, name: string, resolve: Resolve, isRemoved: (item: PdfObject) => boolean): void {
  const items = owner.getArray(name, resolve)?.toArray() ?? []
  const kept = items.filter(item => !isRemoved(item))
  if (kept.length < items.length) owner.set(name, PdfArray.of(...kept))
}
