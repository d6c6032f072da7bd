import { type InputFile, type OutputFile, Problem } from '#kit'
import { invalidSymbolAt } from '../../formats/encodings/alphabets.ts'
import { decode, type EncodingOptions, encode } from '../../formats/encodings/codecs.ts'
import { ANSWER_LIMIT_BYTES, requireBytes } from '../schema.ts'
import { type Charset, writeText } from './charset.ts'
import { type ContentType, recogniseContent, toContentType } from './content-type.ts'

export interface Request extends EncodingOptions {
  text?: string
  file?: InputFile
  charset: Charset
  dataUri: boolean | string
  lenient: boolean
  outFormat?: 'json' | 'file'
}

interface Result {
  text?: string
  output?: OutputFile
  sizeBytes: number
  contentType?: string
}

export async function encodeContent(request: Request): Promise<Result> {
  const bytes = await readBytes(request, request.charset)
  const text = (await buildPrefix(request, bytes)) + encode(bytes, request)
  const isFile = request.outFormat === 'file' || text.length > ANSWER_LIMIT_BYTES
  const sizeBytes = text.length
  if (!isFile) return { text, sizeBytes }
  return {
    output: { bytes: Buffer.from(text, 'latin1'), contentType: 'text/plain', name: `${request.encoding}.txt` },
    sizeBytes,
  }
}

async function readBytes({ text, file }: Request, charset: Charset): Promise<Uint8Array> {
  if (text === undefined) return file!.bytes()
  requireBytes(text)
  return writeText(text, charset)
}

async function buildPrefix({ dataUri, charset, text }: Request, bytes: Uint8Array): Promise<string> {
  if (dataUri === false) return ''
  if (dataUri !== true) return `data:${dataUri};base64,`
  if (text !== undefined) return `data:text/plain;charset=${charset};base64,`
  const { contentType } = await recogniseContent(bytes, 'utf-8')
  return `data:${contentType.name};base64,`
}

export async function decodeContent(request: Request): Promise<Result> {
  const whole = await readBytes(request, 'utf-8')
  const uri = request.encoding === 'base64' ? matchDataUri(whole) : undefined
  if (request.dataUri === true && !uri) throw invalidSymbolAt(0)
  const bytes = decodeAfter(uri?.end ?? 0, whole, request)
  const { text, contentType } = await recogniseContent(bytes, request.charset, uri?.type)
  const named = typeof request.dataUri === 'string' ? toContentType(request.dataUri) : contentType
  return createAnswer(bytes, text, named, request.outFormat)
}

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,/i

function matchDataUri(whole: Uint8Array): { type: string | undefined; end: number } | undefined {
  const head = Buffer.from(whole.subarray(0, 512)).toString('latin1')
  const match = DATA_URI.exec(head)
  return match ? { type: match[1], end: match[0].length } : undefined
}

/** Positions count from the start of what the caller gave, its prefix included. */
function decodeAfter(start: number, whole: Uint8Array, request: Request): Buffer {
  try {
    return decode(whole.subarray(start), request)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'BASE64_INVALID') throw error
    const position = start + Number(error.hints.position)
    throw new Problem('BASE64_INVALID', { position, ...adviseOn(whole.subarray(start), request) })
  }
}

/** Most base64url is not padded, and text that was copied has line ends. */
function adviseOn(encoded: Uint8Array, request: Request): { try?: { lenient: true } } {
  if (request.lenient) return {}
  try {
    decode(encoded, { ...request, lenient: true })
    return { try: { lenient: true } }
  } catch {
    return {}
  }
}

function createAnswer(
  bytes: Buffer,
  text: string | undefined,
  { name: contentType, ending }: ContentType,
  outFormat?: 'json' | 'file',
): Result {
  const sizeBytes = bytes.length
  if (text !== undefined && sizeBytes <= ANSWER_LIMIT_BYTES && outFormat !== 'file')
    return { text, sizeBytes, contentType }
  if (outFormat !== 'json' || text !== undefined) {
    return { output: { bytes, contentType, name: `decoded${ending}` }, sizeBytes, contentType }
  }
  throw new Problem('UNSUPPORTED_FORMAT', { detected: contentType, supported: ['text/plain'] })
}
