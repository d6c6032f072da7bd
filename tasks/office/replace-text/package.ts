import { isUtf8 } from 'node:buffer'
import { type InputFile, Problem } from '#kit'
import type { ArchiveMember } from '../../formats/archive/member.ts'
import { classifyOffice } from '../../formats/office/classify.ts'
import type { Tools } from '../../kit/operation.ts'
import { TEXT_MARKUPS, type TextMarkup } from './parts.ts'

type ZipTools = Pick<Tools, 'unzip' | 'zip'>

interface OfficePackage {
  markup: TextMarkup
  extension: string
  contentType: string
  /** In their order. Parts with text have their bytes, the others a path. */
  members: ArchiveMember[]
  texts: ArchiveMember[]
  isSigned: boolean
}

const MEBIBYTE = 2 ** 20
/** Of the text of a document, which is held in memory. */
const MAX_TEXT_BYTES = 64 * MEBIBYTE
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le')
const SIGNATURE_PARTS = /^(?:_xmlsignatures\/.*\.xml|META-INF\/documentsignatures\.xml)$/

/** Opens a document whose parts are XML in a zip. */
export async function openPackage(file: InputFile, hasComments: boolean, { unzip }: ZipTools): Promise<OfficePackage> {
  const bytes = Buffer.from(await file.bytes())
  const extension = findExtension(file, bytes)
  const { markup, contentType } = TEXT_MARKUPS[extension]!
  const entries = await asOffice(async () => (await unzip.list(file.path)).entries)
  const files = [...entries.entries()].filter(([, { kind }]) => kind === 'file')
  const isText = (name: string) => markup.parts.test(name) || (hasComments && markup.commentParts?.test(name))
  const texts = files.filter(([, { name }]) => isText(name))
  const sizeBytes = texts.reduce((sum, [, entry]) => sum + entry.sizeBytes, 0)
  if (sizeBytes > MAX_TEXT_BYTES) throw new Problem('INPUT_TOO_LARGE', { sizeBytes, limitBytes: MAX_TEXT_BYTES })
  const rest = files.filter(([, { name }]) => !isText(name))
  const contents = await asOffice(() => unzip.read(file.path, indexesOf(texts)))
  const paths = await asOffice(() => unzip.extract(file.path, indexesOf(rest)))
  const found = new Map<number, { bytes?: Uint8Array; path?: string }>()
  for (const [at, [index]] of texts.entries()) found.set(index, { bytes: contents[at]! })
  for (const [at, [index]] of rest.entries()) found.set(index, { path: paths[at]! })
  const members = files.map(([index, entry]) => ({
    ...{ name: entry.name, isStored: entry.compressedBytes >= entry.sizeBytes },
    ...found.get(index),
  }))
  await rejectIfEncrypted(file, files, { unzip })
  const isSigned = files.some(([, { name }]) => SIGNATURE_PARTS.test(name))
  const textMembers = members.filter(member => member.bytes !== undefined)
  return { markup, extension, contentType: chooseType(file, contentType), members, texts: textMembers, isSigned }
}

function indexesOf(entries: readonly (readonly [number, unknown])[]): number[] {
  return entries.map(([index]) => index)
}

function findExtension(file: InputFile, bytes: Buffer): string {
  if (file.type === 'application/x-cfb' && bytes.includes(ENCRYPTED_PACKAGE))
    throw new Problem('DOC_ENCRYPTED', { field: 'file' })
  const extension = classifyOffice(bytes)?.extension ?? ''
  if (Object.hasOwn(TEXT_MARKUPS, extension)) return extension
  throw new Problem('UNSUPPORTED_FORMAT', {
    ...{ field: 'file', detected: extension || file.type, supported: Object.keys(TEXT_MARKUPS) },
  })
}

/** Documents with macros and templates have types of their own. */
function chooseType({ type }: InputFile, fallback: string): string {
  return /^application\/vnd\.(?:ms-|openxmlformats|oasis)/.test(type) ? type : fallback
}

type Files = readonly (readonly [number, { name: string; isEncrypted: boolean }])[]

/** The list of parts of an OpenDocument says which of them need a password. */
async function rejectIfEncrypted(file: InputFile, files: Files, { unzip }: Pick<ZipTools, 'unzip'>): Promise<void> {
  const list = files.find(([, { name }]) => name === 'META-INF/manifest.xml')
  const [bytes] = list ? await unzip.read(file.path, [list[0]]) : []
  if (bytes && Buffer.from(bytes).includes('encryption-data')) throw new Problem('DOC_ENCRYPTED', { field: 'file' })
}

async function asOffice<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'ARCHIVE_PASSWORD_REQUIRED') throw new Problem('DOC_ENCRYPTED', { field: 'file' })
    if (error.code !== 'ARCHIVE_PARSE_FAILED') throw error
    throw new Problem('OFFICE_PARSE_FAILED', error.hints)
  }
}

export function readXml({ name, bytes }: ArchiveMember): string {
  if (!isUtf8(bytes!)) throw new Problem('OFFICE_PARSE_FAILED', { part: name, detail: 'The XML is not in UTF-8.' })
  return Buffer.from(bytes!).toString('utf8')
}
