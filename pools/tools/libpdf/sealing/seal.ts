import { createHash, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfString, type Signer } from '@libpdf/core'
import type { NewAttachment } from '../../../../tasks/formats/pdf/document.ts'
import { toPdfTime } from '../../../../tasks/formats/pdf/properties.ts'
import type { Report } from '../../../../tasks/formats/pdf/report.ts'
import { FontEmbedder } from '../content/embedded-fonts.ts'
import { embedImage } from '../content/embedded-images.ts'
import { acroFormOf, collectFields } from '../forms/fields.ts'
import { flattenForm } from '../forms/flatten.ts'
import { writeMissingAppearances } from '../forms/values.ts'
import { measureSignature } from '../signatures/sign.ts'
import { attachFiles, collectAttachments } from '../structure/attachments.ts'
import { dropClaim, readClaimedPart } from '../structure/pdfa-claim.ts'
import { drawFields, type OpenImage, type PlannedField } from './draw-fields.ts'
import { openTextFonts } from './text-fonts.ts'

// Decision 0440: sign what is sealed outside of the process that reads it.

export interface SealPlan {
  /** The first file is the document. Without one, the report is a document of its own. */
  hasDocument: boolean
  fields: readonly PlannedField[]
  /** How many of the assets are images; the others are the files to attach. */
  images: number
  attachments: readonly NewAttachment[]
  report?: Report
  title: string
  reason: string
  /** Of the signer and its issuers, in DER. */
  certificates: readonly Uint8Array[]
  /** ISO 8601. */
  sealedAt: string
}

interface PreparedSeal {
  bytes: Uint8Array
  pages: number
  /** What the key of the signer must sign with SHA-256. */
  toSign: Uint8Array
}

const SIGNATURE_FIELD = 'Seal'
const EMBEDDED_ONLY = { family: 'sans', bold: false, isEmbeddedOnly: false, fontSize: undefined } as const

/** Makes the document that is sealed, complete but for the signature itself. */
export async function prepareSeal(files: string[], plan: SealPlan): Promise<PreparedSeal> {
  const contents = await Promise.all(files.map(file => readFile(file)))
  const assets = plan.hasDocument ? contents.slice(1) : contents
  const pdf = plan.hasDocument ? await PDF.load(contents[0]!) : createDocument(plan)
  const embedder = new FontEmbedder(pdf)
  flattenOwnForm(pdf, embedder)
  const openImage = createImages(pdf, assets)
  const context = { fonts: openTextFonts(embedder), openImage }
  drawFields(pdf, plan.fields, context)
  if (plan.report) {
    const { appendReport } = await import('./report-pages.ts')
    appendReport(pdf, plan.report, context)
  }
  const attached = assets.slice(plan.images)
  attachFiles(pdf, chooseNames(pdf, plan.attachments), attached, toPdfTime(plan.sealedAt))
  keepClaimTrue(pdf, plan)
  embedder.embed()
  setFileId(pdf, contents, plan)
  return sign(plan.hasDocument ? pdf : await PDF.load(await pdf.save()), plan)
}

export interface DrawingPlan {
  fields: readonly PlannedField[]
  /** Of a page that is appended. */
  newPage?: { width: number; height: number }
}

/** Draws lines to sign on where a document has none. */
export async function drawOnPages([file]: string[], { fields, newPage }: DrawingPlan): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  if (newPage) pdf.addPage(newPage)
  const embedder = new FontEmbedder(pdf)
  drawFields(pdf, fields, { fonts: openTextFonts(embedder), openImage: createImages(pdf, []) })
  embedder.embed()
  return { bytes: await pdf.save({ incremental: true }) }
}

function createDocument({ title, sealedAt }: SealPlan): PDF {
  const pdf = PDF.create()
  const date = new Date(sealedAt)
  pdf.setTitle(title)
  pdf.setCreationDate(date)
  pdf.setModificationDate(date)
  return pdf
}

/** Values of the form of the document itself stay visible and can be changed no more. */
function flattenOwnForm(pdf: PDF, embedder: FontEmbedder): void {
  pdf.getCatalog().delete('Perms')
  if (!acroFormOf(pdf)) return
  writeMissingAppearances(pdf, collectFields(pdf), embedder, EMBEDDED_ONLY)
  flattenForm(pdf)
}

/** An image that is drawn in several places is stored once. */
function createImages(pdf: PDF, assets: readonly Buffer[]): OpenImage {
  const images = new Map<number, ReturnType<typeof embedImage>>()
  return asset => {
    const image = images.get(asset) ?? embedImage(pdf, assets[asset - 1]!)
    images.set(asset, image)
    return image
  }
}

/** Files of signers stand beside those of the document, also where a name is the same. */
function chooseNames(pdf: PDF, attachments: readonly NewAttachment[]): NewAttachment[] {
  const taken = new Set(attachments.length > 0 ? collectAttachments(pdf).map(({ name }) => name) : [])
  return attachments.map(attachment => {
    let name = attachment.name
    for (let number = 2; taken.has(name); number += 1) name = `${number}-${attachment.name}`
    taken.add(name)
    return { ...attachment, name }
  })
}

/** PDF/A-1 allows no transparency, and only PDF/A-3 any attachment. */
function keepClaimTrue(pdf: PDF, { attachments, images }: SealPlan): void {
  const part = readClaimedPart(pdf)
  const isBroken = (part === 1 && images > 0) || (part !== undefined && part < 3 && attachments.length > 0)
  if (isBroken) dropClaim(pdf)
}

/** A file without an id would get one by chance, and so would be another each time. */
function setFileId(pdf: PDF, contents: readonly Buffer[], plan: SealPlan): void {
  const { trailer } = pdf.context.info
  if (trailer.has('ID')) return
  const hash = createHash('sha256').update(plan.sealedAt).update(plan.title)
  for (const content of contents) hash.update(content)
  const id = PdfString.fromBytes(hash.digest().subarray(0, 16))
  trailer.set('ID', PdfArray.of(id, id))
}

async function sign(pdf: PDF, { certificates, sealedAt, reason }: SealPlan): Promise<PreparedSeal> {
  const signer = createRecorder(certificates)
  const { bytes } = await pdf.sign({
    ...{ signer, level: 'B-B', digestAlgorithm: 'SHA-256', signingTime: new Date(sealedAt), reason },
    ...{ fieldName: SIGNATURE_FIELD, estimatedSize: measureSignature(certificates, true) },
  })
  return { bytes, pages: pdf.getPageCount(), toSign: signer.recorded! }
}

/** Takes down what must be signed instead of signing it: this process has no key. */
function createRecorder([own, ...issuers]: readonly Uint8Array[]): Signer & { recorded?: Uint8Array } {
  const { publicKey } = new X509Certificate(own!)
  const isElliptic = publicKey.asymmetricKeyType === 'ec'
  const recorder: Signer & { recorded?: Uint8Array } = {
    certificate: new Uint8Array(own!),
    certificateChain: issuers.map(issuer => new Uint8Array(issuer)),
    keyType: isElliptic ? 'EC' : 'RSA',
    signatureAlgorithm: isElliptic ? 'ECDSA' : 'RSASSA-PKCS1-v1_5',
    sign: async data => {
      recorder.recorded = new Uint8Array(data)
      return new Uint8Array(PLACEHOLDER_BYTES)
    },
  }
  return recorder
}

const PLACEHOLDER_BYTES = 64
