import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core'
import { dropClaim, partClaimed } from './pdf-claims.ts'

/** A file inside a document, as the document describes it. */
export interface Attachment {
  name: string
  /** The number of the object that holds its bytes. */
  stream: number
  /** As the document says; only unpacking tells for sure. */
  sizeBytes: number
  mimeType?: string
  description?: string
  /** As PDF writes dates. */
  created?: string
  modified?: string
  relationship?: string
  /** Where a note on a page holds it, from 1. */
  page?: number
  /** MD5, in hexadecimal. */
  checksum?: string
}

export interface GivenAttachment {
  name: string
  mimeType: string
  description?: string
  relationship?: string
}

export async function attachments([file]: string[]): Promise<Attachment[]> {
  return attachmentsOf(await PDF.load(await readFile(file!)))
}

/** From the name tree, from what pages and the whole are associated with, and from notes on pages. */
export function attachmentsOf(pdf: PDF): Attachment[] {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const found = new Map<number, Attachment>()
  const add = (spec: PdfObject | undefined, key?: PdfString, page?: number) => {
    const attachment = spec instanceof PdfDict ? attachmentOf(spec, key, resolve) : undefined
    if (!attachment) return
    const known = found.get(attachment.stream) ?? attachment
    found.set(attachment.stream, page === undefined ? known : { ...known, page: known.page ?? page })
  }
  for (const { key, value } of treeOf(pdf)) add(dictOf(value, resolve), key)
  for (const spec of associated(pdf.getCatalog(), resolve)) add(spec)
  for (const [index, { dict }] of pdf.getPages().entries()) {
    for (const spec of associated(dict, resolve)) add(spec, undefined, index + 1)
    for (const note of notesOf(dict, resolve)) add(note.getDict('FS', resolve), undefined, index + 1)
  }
  return [...found.values()]
}

type Resolve = (ref: PdfRef) => PdfObject | null

function attachmentOf(spec: PdfDict, key: PdfString | undefined, resolve: Resolve): Attachment | undefined {
  const ref = streamRefOf(spec, resolve)
  const stream = ref && resolve(ref)
  if (!(stream instanceof PdfStream)) return undefined
  const params = stream.getDict('Params', resolve)
  const text = (dict: PdfDict | undefined, name: string) => dict?.getString(name, resolve)?.asString()
  const names = ['UF', 'F', 'Unix', 'DOS', 'Mac'].map(name => text(spec, name))
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
  return ['UF', 'F', 'Unix', 'DOS', 'Mac'].map(name => files?.getRef(name)).find(ref => ref !== undefined)
}

function dictOf(value: PdfObject, resolve: Resolve): PdfDict | undefined {
  const found = value instanceof PdfRef ? resolve(value) : value
  return found instanceof PdfDict ? found : undefined
}

function associated(owner: PdfDict, resolve: Resolve): PdfDict[] {
  const list = owner.getArray('AF', resolve)?.toArray() ?? []
  return list.flatMap(item => dictOf(item, resolve) ?? [])
}

function notesOf(page: PdfDict, resolve: Resolve): PdfDict[] {
  const items = page.getArray('Annots', resolve)?.toArray() ?? []
  const notes = items.flatMap(item => dictOf(item, resolve) ?? [])
  return notes.filter(note => note.getName('Subtype', resolve)?.value === 'FileAttachment')
}

interface Leaf {
  key: PdfString
  value: PdfObject
}

const MOST_LEAVES = 10_000

/** The leaves of the tree of embedded files. */
function treeOf(pdf: PDF): Leaf[] {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const leaves: Leaf[] = []
  const seen = new Set<PdfDict>()
  const waiting = [pdf.getCatalog().getDict('Names', resolve)?.getDict('EmbeddedFiles', resolve)]
  while (waiting.length > 0 && leaves.length < MOST_LEAVES) {
    const node = waiting.pop()
    if (!node || seen.has(node)) continue
    seen.add(node)
    leaves.push(...leavesOf(node, resolve))
    const kids = node.getArray('Kids', resolve)?.toArray() ?? []
    waiting.push(...kids.toReversed().map(kid => dictOf(kid, resolve)))
  }
  return leaves
}

function leavesOf(node: PdfDict, resolve: Resolve): Leaf[] {
  const pairs = node.getArray('Names', resolve)?.toArray() ?? []
  return pairs.flatMap((value, index) => {
    const key = index % 2 === 1 ? pairs[index - 1] : undefined
    const text = key instanceof PdfRef ? resolve(key) : key
    return text instanceof PdfString ? [{ key: text, value }] : []
  })
}

/** A flat tree, sorted by the bytes of its keys as readers search it. */
function plantTree(pdf: PDF, leaves: readonly Leaf[]): void {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const sorted = leaves.toSorted((a, b) => Buffer.compare(a.key.bytes, b.key.bytes))
  const tree = pdf.register(PdfDict.of({ Names: PdfArray.of(...sorted.flatMap(({ key, value }) => [key, value])) }))
  const catalog = pdf.getCatalog()
  const names = catalog.getDict('Names', resolve)
  if (names) names.set('EmbeddedFiles', tree)
  else catalog.set('Names', pdf.register(PdfDict.of({ EmbeddedFiles: tree })))
}

/** Adds files; those that have a name of theirs already are replaced. Signatures stay: the document is only added to. */
export async function addAttachments(
  [file, ...files]: string[],
  { given, now, isSigned }: { given: readonly GivenAttachment[]; now: string; isSigned: boolean },
): Promise<{ bytes: Uint8Array; lostClaim: boolean }> {
  const pdf = await PDF.load(await readFile(file!))
  const names = new Set(given.map(({ name }) => name))
  const replaced = attachmentsOf(pdf).filter(({ name }) => names.has(name))
  takeAway(pdf, new Set(replaced.map(({ stream }) => stream)))
  const leaves = treeOf(pdf)
  for (const [index, one] of given.entries()) {
    const spec = embedded(pdf, one, await readFile(files[index]!), now)
    leaves.push({ key: PdfString.fromString(one.name), value: spec })
    if (one.relationship) associate(pdf, spec)
  }
  plantTree(pdf, leaves)
  const part = partClaimed(pdf)
  const lostClaim = !isSigned && part !== undefined && part < 3 && dropClaim(pdf)
  return { bytes: await pdf.save({ incremental: isSigned }), lostClaim }
}

function embedded(pdf: PDF, given: GivenAttachment, bytes: Buffer, now: string): PdfRef {
  const { name, mimeType, description, relationship } = given
  const packed = deflateSync(bytes)
  const isSmaller = packed.length < bytes.length
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
    isSmaller ? packed : bytes,
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

function associate(pdf: PDF, spec: PdfRef): void {
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
  takeAway(pdf, new Set(streams))
  return { bytes: await pdf.save() }
}

/** Everything that leads to these files goes: leaves of the tree, associations, and notes on pages. */
function takeAway(pdf: PDF, streams: ReadonlySet<number>): void {
  if (streams.size === 0) return
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const isGone = (spec: PdfDict | undefined) => streams.has((spec && streamRefOf(spec, resolve)?.objectNumber) ?? -1)
  const leaves = treeOf(pdf)
  plantTree(
    pdf,
    leaves.filter(({ value }) => {
      const spec = dictOf(value, resolve)
      return spec !== undefined && !isGone(spec)
    }),
  )
  const owners = [pdf.getCatalog(), ...pdf.getPages().map(({ dict }) => dict)]
  for (const owner of owners) {
    thinOut(owner, 'AF', resolve, item => isGone(dictOf(item, resolve)))
    thinOut(owner, 'Annots', resolve, item => isGone(dictOf(item, resolve)?.getDict('FS', resolve)))
  }
}

function thinOut(owner: PdfDict, name: string, resolve: Resolve, isGone: (item: PdfObject) => boolean): void {
  const items = owner.getArray(name, resolve)?.toArray() ?? []
  const kept = items.filter(item => !isGone(item))
  if (kept.length < items.length) owner.set(name, PdfArray.of(...kept))
}
