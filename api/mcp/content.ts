import type { TSchema } from 'typebox'
import { ID_PREFIX, mapOutputs, type StoredOutput } from '#kit'
import type { ObjectStore } from '../../ops/providers/storage/contract.ts'
import { makeEnvelope, type OutputEnvelope } from '../../ops/providers/storage/envelope.ts'
import type { Fields } from './message.ts'

type ContentBlock = { type: string } & Fields

/** What a tool answers: values for programs, and blocks for models. */
export interface ToolResult {
  content: ContentBlock[]
  structuredContent?: unknown
  isError: boolean
  _meta?: Fields
}

/** Models pay for every word they read, so only small files are part of a result; the others are links. */
const EMBEDDED_BYTES = { image: 512 * 1024, audio: 512 * 1024, text: 32 * 1024, other: 16 * 1024 }
/** The types that models see. */
const SEEN_IMAGES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])
const TEXT_TYPE = /^text\/|^application\/(json|xml|x-ndjson|yaml|javascript)$|\+(json|xml)$/
/** Further files of a result are in its structured content only. */
const MAX_FILE_BLOCKS = 20

interface OutputChoice {
  store: ObjectStore
  inlineOutput?: 'auto' | 'never'
  jobId: string
}

/** The values of a result, with its files as blocks: their bytes if they are small, else a link to them. */
export async function describeResult(schema: TSchema, result: unknown, choice: OutputChoice): Promise<ToolResult> {
  const { store, jobId } = choice
  const blocks: ContentBlock[] = []
  const values = await mapOutputs(schema, result, async (value, { index }) => {
    const { key, inline: held, sizeBytes, contentType, name, sha256: _, ...facts } = value as StoredOutput & Fields
    const output: StoredOutput = { key, inline: held, sizeBytes, contentType, name }
    const isEmbedded = choice.inlineOutput !== 'never' && isSmall(output) && blocks.length < MAX_FILE_BLOCKS
    const { inline, ...envelope } = await makeEnvelope(output, { store, inlineOutput: isEmbedded ? 'auto' : 'never' })
    if (blocks.length < MAX_FILE_BLOCKS) {
      const uri = envelope.outputUrl ?? `${ID_PREFIX}://jobs/${jobId}/${encodeURIComponent(name)}`
      blocks.push(inline === undefined ? describeLink(output, uri) : describeBytes(output, inline, uri))
    }
    return { ...(index !== undefined && { index }), ...envelope, ...facts }
  })
  return describeValues(values, blocks)
}

/** What a route answers. The files in it, such as those of a finished job, become blocks like those of a call. */
export function describeAnswerOfRoute(answer: unknown): ToolResult {
  const blocks: ContentBlock[] = []
  return describeValues(takeFiles(answer, blocks), blocks)
}

function takeFiles(value: unknown, blocks: ContentBlock[]): unknown {
  if (Array.isArray(value)) return value.map(item => takeFiles(item, blocks))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const { inline, outputUrl: uri, sizeBytes, contentType, ...facts } = value as Partial<OutputEnvelope> & Fields
  if (typeof inline !== 'string' || typeof contentType !== 'string' || typeof sizeBytes !== 'number') {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, takeFiles(inner, blocks)]))
  }
  const output: StoredOutput = { sizeBytes, contentType, name: 'output' }
  const isLink = uri !== undefined && !isSmall(output)
  if (blocks.length < MAX_FILE_BLOCKS) {
    blocks.push(isLink ? describeLink(output, uri) : describeBytes(output, inline, uri ?? `${ID_PREFIX}://output`))
  }
  return { ...(uri !== undefined && { outputUrl: uri }), sizeBytes, contentType, ...facts }
}

/** Values alone. The text is for clients that read nothing else. */
export function describeValues(values: unknown, blocks: readonly ContentBlock[] = [], isError = false): ToolResult {
  const text: ContentBlock = { type: 'text', text: typeof values === 'string' ? values : JSON.stringify(values) }
  const structuredContent = typeof values === 'object' && values !== null && !Array.isArray(values) ? values : undefined
  return { content: [text, ...blocks], ...(structuredContent && { structuredContent }), isError }
}

/** Bytes that were asked for, whatever their size. A model sees pictures and hears sounds of moderate size. */
export function describeFile(
  bytes: Buffer,
  { contentType, uri, isText }: { contentType: string; uri: string; isText: boolean },
): ContentBlock {
  const [essence] = contentType.split(';', 1) as [string]
  const isSeen = SEEN_IMAGES.has(essence) || essence.startsWith('audio/')
  const isShown = isSeen && isSmall({ contentType: essence, sizeBytes: bytes.length, name: '' })
  if (isShown) return describeBytes({ contentType: essence, sizeBytes: 0, name: '' }, bytes.toString('base64'), uri)
  const content = isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') }
  return { type: 'resource', resource: { uri, mimeType: contentType, ...content } }
}

function describeLink({ name, contentType: mimeType, sizeBytes: size }: StoredOutput, uri: string): ContentBlock {
  return { type: 'resource_link', uri, name, mimeType, size }
}

function describeBytes({ contentType: mimeType }: StoredOutput, data: string, uri: string): ContentBlock {
  if (SEEN_IMAGES.has(mimeType)) return { type: 'image', data, mimeType }
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType }
  const content = TEXT_TYPE.test(mimeType) ? { text: Buffer.from(data, 'base64').toString('utf8') } : { blob: data }
  return { type: 'resource', resource: { uri, mimeType, ...content } }
}

function isSmall({ contentType, sizeBytes }: StoredOutput): boolean {
  if (SEEN_IMAGES.has(contentType)) return sizeBytes <= EMBEDDED_BYTES.image
  if (contentType.startsWith('audio/')) return sizeBytes <= EMBEDDED_BYTES.audio
  return sizeBytes <= (TEXT_TYPE.test(contentType) ? EMBEDDED_BYTES.text : EMBEDDED_BYTES.other)
}
