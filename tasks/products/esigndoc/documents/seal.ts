import { Problem, type Tools } from '#kit'
import type { Drawing, Report } from '../../../formats/pdf/report.ts'
import type { FieldValue, FilledField, SealRequest, SignatureMark } from '../document.ts'
import { readLogo } from '../logo.ts'
import { describeCertificate } from './certificate.ts'
import { type Joinable, joinDocuments } from './join.ts'

type SealingTools = Pick<Tools, 'libpdf' | 'qpdf' | 'sharp'> & {
  out(name: string): string
  /** Writes a file into the folder of the work. */
  save(bytes: Uint8Array, name: string): Promise<string>
}

/** The key that seals. It stays outside of the processes that read documents. */
export interface SealKey {
  /** Of the signer and its issuers, in DER. */
  certificates: readonly Uint8Array[]
  /** Signs with SHA-256. */
  sign(bytes: Uint8Array): Promise<Uint8Array>
  /** A timestamp (RFC 3161) for a signature; left out if there is no authority. */
  stamp?(signature: Uint8Array): Promise<Uint8Array>
}

interface SealingFile extends Joinable {
  name: string
}

interface SealedPath {
  name: string
  path: string
  pages: number
}

interface Sealed {
  documents: SealedPath[]
  certificate?: SealedPath
  level: 'B-B' | 'B-T'
  timestampFailure?: string
}

/** What is drawn from files: their paths by their keys in the store. */
export type Images = ReadonlyMap<string, string>

/** Fills what people have entered into the documents, adds the certificate, and signs each result once. */
export async function sealDocuments(
  request: SealRequest,
  { files, images }: { files: readonly SealingFile[]; images: Images },
  key: SealKey,
  tools: SealingTools,
): Promise<Sealed> {
  const assets = await prepareImages(request, images, tools)
  const report = describeCertificate(request.certificate, { draw: mark => draw(mark, assets), logo: assets.logo })
  const isAppended = request.certificatePlace !== 'separate'
  const groups = request.joins && files.length > 1 ? [await joinDocuments(files, tools)] : files.map(file => [file])
  const seals: OneSeal[] = []
  for (const [index, group] of groups.entries()) {
    const [document] = group
    const fields = request.fields.filter(({ file }) => request.joins || file === index)
    seals.push({
      ...{ document: document!.path, name: request.joins ? `${request.certificate.title}.pdf` : document!.name },
      ...{ fields, starts: startsOf(files, request.joins), report: isAppended ? report : undefined },
    })
  }
  if (request.certificatePlace !== 'appended') seals.push({ name: CERTIFICATE_NAME, fields: [], starts: [], report })
  const sealed: (SealedPath & Timestamped)[] = []
  for (const [index, one] of seals.entries())
    sealed.push(await sealOne(one, index, { request, assets, images, key, tools }))
  const documents = sealed.slice(0, groups.length)
  const failure = sealed.find(({ timestampFailure }) => timestampFailure)?.timestampFailure
  return {
    documents,
    ...(sealed.length > groups.length && { certificate: sealed.at(-1)! }),
    level: sealed.every(({ isTimestamped }) => isTimestamped) ? 'B-T' : 'B-B',
    ...(failure !== undefined && { timestampFailure: failure }),
  }
}

const CERTIFICATE_NAME = 'certificate.pdf'

/** Where the pages of each file begin in the document, from 0. */
function startsOf(files: readonly SealingFile[], joins: boolean): number[] {
  let start = 0
  return files.map(({ pages }) => {
    const first = joins ? start : 0
    start += pages
    return first
  })
}

interface OneSeal {
  document?: string
  name: string
  fields: readonly FilledField[]
  starts: readonly number[]
  report: Report | undefined
}

interface Context {
  request: SealRequest
  assets: Assets
  images: Images
  key: SealKey
  tools: SealingTools
}

async function sealOne(one: OneSeal, index: number, context: Context): Promise<SealedPath & Timestamped> {
  const { request, assets, images, key, tools } = context
  const attached = one.fields.flatMap(({ value }) => (value.kind === 'attachment' ? [value.file] : []))
  const plan = {
    fields: one.fields.map(field => planField(field, one.starts, assets)),
    images: assets.paths.length,
    attachments: attached.map(({ name, type }) => ({ name, mimeType: type })),
    report: one.report,
    title: request.certificate.title,
    reason: `${request.certificate.envelopeId}: ${request.certificate.title}`.slice(0, 200),
    certificates: key.certificates,
    sealedAt: request.sealedAt,
  }
  const files = [...assets.paths, ...attached.map(file => pathOf(images, file.key))]
  const prepared = await tools.libpdf.prepareSeal(one.document, files, {
    ...plan,
    to: tools.out(`prepared-${index}.pdf`),
  })
  const signature = await key.sign(prepared.toSign)
  const stamped = request.level === 'B-T' ? await requestTimestamp(signature, key) : { isTimestamped: false }
  const made = { signature, ...(stamped.token && { token: stamped.token }) }
  const path = await tools.libpdf.completeSignature(prepared.path, { ...made, to: tools.out(`sealed-${index}.pdf`) })
  return {
    ...(await confirm(path, stamped, { signature, prepared: prepared.path, index, tools })),
    name: one.name,
    pages: prepared.pages,
  }
}

interface Timestamped {
  isTimestamped: boolean
  timestampFailure?: string
}

/** A document is sealed without a timestamp rather than not at all. */
async function requestTimestamp(signature: Uint8Array, key: SealKey): Promise<Timestamped & { token?: Uint8Array }> {
  if (!key.stamp) return { isTimestamped: false, timestampFailure: 'No timestamp authority is configured.' }
  try {
    return { isTimestamped: true, token: await key.stamp(signature) }
  } catch (error) {
    const detail = error instanceof Problem ? error.hints.detail : undefined
    return {
      isTimestamped: false,
      timestampFailure: `No timestamp: ${String(detail ?? (error as Error).message)}`.slice(0, 300),
    }
  }
}

/** Nothing is handed out that does not hold: the seal is checked, and a timestamp of something else is left out. */
async function confirm(
  path: string,
  stamped: Timestamped,
  {
    signature,
    prepared,
    index,
    tools,
  }: { signature: Uint8Array; prepared: string; index: number; tools: SealingTools },
): Promise<Timestamped & { path: string }> {
  const { isTimestamped, timestampFailure } = stamped
  const check = async (file: string) => {
    const plan = { usesBundledRoots: false, now: new Date(0).toISOString() }
    const { signatures } = await tools.libpdf.verifySignatures(file, file, [], plan)
    const seal = signatures.at(-1)
    if (seal?.integrity !== 'valid' || !seal.coversWholeFile) throw new Error('the seal does not hold')
    return seal
  }
  const { timestamp } = await check(path)
  if (!isTimestamped) return { path, isTimestamped, ...(timestampFailure !== undefined && { timestampFailure }) }
  if (timestamp) return { path, isTimestamped }
  const plain = await tools.libpdf.completeSignature(prepared, { signature, to: tools.out(`plain-${index}.pdf`) })
  await check(plain)
  return {
    path: plain,
    isTimestamped: false,
    timestampFailure: 'No timestamp: the authority has confirmed something else.',
  }
}

interface Assets {
  /** In the order of their numbers, which are from 1. */
  paths: string[]
  numbers: ReadonlyMap<string, number>
  logo: Drawing | undefined
}

const MAX_IMAGE_SIDE = 1200

/** Images of signatures are read by a confined process and written anew, each once. */
async function prepareImages(
  { fields, certificate }: SealRequest,
  images: Images,
  { sharp, save }: SealingTools,
): Promise<Assets> {
  const marks = [
    ...fields.flatMap(({ value }) => (value.kind === 'mark' ? [value.mark] : [])),
    ...certificate.recipients.flatMap(({ mark }) => mark ?? []),
  ]
  const keys = [...new Set(marks.flatMap(mark => (mark.mode === 'upload' ? [mark.image.key] : [])))]
  const paths: string[] = []
  for (const [index, key] of keys.entries()) {
    const png = await sharp.toPng(pathOf(images, key), MAX_IMAGE_SIDE)
    paths.push(await save(png.bytes, `image-${index}.png`))
  }
  const numbers = new Map(keys.map((key, index) => [key, index + 1]))
  if (!certificate.brand?.logo) return { paths, numbers, logo: undefined }
  const sent = await save(readLogo(certificate.brand.logo).bytes, 'logo')
  paths.push(await save((await sharp.toPng(sent, MAX_IMAGE_SIDE)).bytes, 'logo.png'))
  return { paths, numbers, logo: { kind: 'image', asset: paths.length } }
}

function pathOf(images: Images, key: string): string {
  const path = images.get(key)
  if (path === undefined) throw new Error(`the file ${key} was not fetched`)
  return path
}

function planField(
  { page, x, y, w, h, font, type, file, value }: FilledField,
  starts: readonly number[],
  assets: Assets,
) {
  const drawing = drawValue(value, type, assets)
  return { ...{ x, y, w, h, drawing }, page: page + (starts[file] ?? 0), ...(font && { font }) }
}

function drawValue(value: FieldValue, type: FilledField['type'], assets: Assets): Drawing {
  if (value.kind === 'check') return { kind: 'check', isChecked: value.isChecked, isRound: type === 'radio' }
  if (value.kind === 'mark') return draw(value.mark, assets)
  const text = value.kind === 'attachment' ? value.file.name : value.text
  return { kind: 'text', text, isBold: type === 'heading' }
}

function draw(mark: SignatureMark, { numbers }: Assets): Drawing {
  if (mark.mode === 'type') return { kind: 'handwriting', text: mark.text }
  if (mark.mode === 'upload') return { kind: 'image', asset: numbers.get(mark.image.key)! }
  const { width, height, strokes } = mark
  return { kind: 'pen', pen: { width, height, strokes } }
}
