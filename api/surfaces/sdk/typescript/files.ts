import { toBase64 } from './bytes.ts'
import { isFields } from './errors.ts'
import { nameOfPath, openPath } from './paths.ts'
import type { FileInput, Source } from './types.ts'

/** A file of the caller before it is decided how it is sent. */
export interface OpenedFile {
  content: Blob
  name: string | undefined
}

/** Sends a file that is too large to be part of the call and returns its key. */
export type Upload = (file: OpenedFile) => Promise<string>

interface Place {
  files: readonly string[]
  named: readonly string[]
}

interface Sending {
  /** How many bytes may still be sent within the call. */
  left: number
  upload: Upload
}

const SOURCE_FIELDS = ['inline', 'text', 'inputKey', 'batonId', 'url', 'rows', 'step'] as const

/**
 * The fields as they are sent: each file becomes a source, within the call up to `maxInlineBytes` in all, and uploaded
 * before it beyond that.
 */
export async function fillFiles(
  fields: Record<string, unknown>,
  place: Place,
  { maxInlineBytes, upload }: { maxInlineBytes: number; upload: Upload },
): Promise<Record<string, unknown>> {
  const sending = { left: maxInlineBytes, upload }
  return (await fill(fields, [], place, sending)) as Record<string, unknown>
}

async function fill(value: unknown, path: readonly string[], place: Place, sending: Sending): Promise<unknown> {
  if (matches(path, place.files)) return toSource(value as FileInput, matches(path, place.named), sending)
  if (isBytes(value)) return toSource(value, matches(path, place.named), sending)
  if (typeof value !== 'object' || value === null) return value
  // One after the other, because they share what may be sent within the call.
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const [index, item] of value.entries()) items.push(await fill(item, [...path, String(index)], place, sending))
    return items
  }
  const filled: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) filled[name] = await fill(inner, [...path, name], place, sending)
  return filled
}

function matches(path: readonly string[], patterns: readonly string[]): boolean {
  return patterns.some(pattern => {
    const steps = pattern.split('.')
    return steps.length === path.length && steps.every((step, at) => step === '*' || step === path[at])
  })
}

type Bytes = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | URL

function isBytes(value: unknown): value is Bytes {
  if (value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value) || value instanceof URL)
    return true
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function toSource(value: unknown, isNamed: boolean, sending: Sending): Promise<unknown> {
  if (value instanceof URL && value.protocol !== 'file:') return { url: value.href } satisfies Source
  if (typeof value === 'string' || isBytes(value)) {
    const file = await openFile(value)
    return { ...(await sendFile(file, sending)), ...(isNamed && file.name !== undefined && { name: file.name }) }
  }
  if (!isFields(value)) return value
  if ('content' in value && !SOURCE_FIELDS.some(field => field in value)) {
    const { content, ...others } = value
    return { ...((await toSource(content, isNamed, sending)) as object), ...others }
  }
  // A file of an earlier answer.
  if ('outputKey' in value) return { inputKey: value.outputKey }
  return value
}

async function sendFile(file: OpenedFile, sending: Sending): Promise<Source> {
  if (file.content.size > sending.left) return { inputKey: await sending.upload(file) }
  sending.left -= file.content.size
  return { inline: toBase64(new Uint8Array(await file.content.arrayBuffer())) }
}

/** Opens what a caller gives as a file. A stream is read to its end, because its size decides how it is sent. */
export async function openFile(value: unknown): Promise<OpenedFile> {
  if (typeof value === 'string') return { content: await openPath(value), name: nameOfPath(value) }
  if (value instanceof URL) return { content: await openPath(value), name: nameOfPath(decodeURI(value.pathname)) }
  if (value instanceof Blob) return { content: value, name: 'name' in value ? String(value.name) : undefined }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return { content: new Blob([value as Uint8Array<ArrayBuffer>]), name: undefined }
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of value as AsyncIterable<Uint8Array<ArrayBuffer>>) chunks.push(chunk)
  return { content: new Blob(chunks), name: undefined }
}

/** The bytes that are the whole body of a call. */
export async function openBody(value: unknown): Promise<Blob> {
  if (isFields(value) && !isBytes(value)) {
    const { text, inline, content } = value
    if (typeof text === 'string') return new Blob([text], { type: 'text/plain; charset=utf-8' })
    if (typeof inline === 'string') return (await fetch(`data:application/octet-stream;base64,${inline}`)).blob()
    if (content !== undefined) return openBody(content)
    throw new TypeError('file is a path, bytes, a Blob, a stream, { text } or { inline }')
  }
  return (await openFile(value)).content
}
