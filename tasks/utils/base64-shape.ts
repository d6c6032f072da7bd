import { type InputFile, type OutputFile, Problem } from '#kit'
import { type Charset, readText, writeText } from './charset-shape.ts'
import { ANSWER_LIMIT_BYTES, checkTextSize } from './content-shape.ts'
import { decode, encode, type Manner } from './encodings-shape.ts'
import { binaryTypeOf, endingOf, OCTETS, textTypeOf } from './sniff-shape.ts'
import { invalidAt } from './symbols-shape.ts'

export interface Request extends Manner {
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
  const bytes = await bytesOf(request, request.charset)
  const text = prefixOf(request, bytes) + encode(bytes, request)
  const isFile = request.outFormat === 'file' || text.length > ANSWER_LIMIT_BYTES
  const sizeBytes = text.length
  if (!isFile) return { text, sizeBytes }
  return {
    output: { bytes: Buffer.from(text, 'latin1'), contentType: 'text/plain', name: `${request.encoding}.txt` },
    sizeBytes,
  }
}

async function bytesOf({ text, file }: Request, charset: Charset): Promise<Uint8Array> {
  if (text === undefined) return file!.bytes()
  checkTextSize(text)
  return writeText(text, charset)
}

function prefixOf({ dataUri, charset, text }: Request, bytes: Uint8Array): string {
  if (dataUri === false) return ''
  if (dataUri !== true) return `data:${dataUri};base64,`
  return `data:${text === undefined ? typeOf(bytes, readText(bytes, 'utf-8')) : `text/plain;charset=${charset}`};base64,`
}

function typeOf(bytes: Uint8Array, text: string | undefined, otherwise = OCTETS): string {
  return binaryTypeOf(bytes) ?? (text === undefined ? otherwise : textTypeOf(text))
}

export async function decodeContent(request: Request): Promise<Result> {
  const whole = await bytesOf(request, 'utf-8')
  const uri = request.encoding === 'base64' ? dataUriOf(whole) : undefined
  if (request.dataUri === true && !uri) throw invalidAt(0)
  const bytes = decodeAfter(uri?.end ?? 0, whole, request)
  const text = binaryTypeOf(bytes) ? undefined : readText(bytes, request.charset)
  const named = typeof request.dataUri === 'string' ? request.dataUri : undefined
  return answerOf(bytes, text, named ?? typeOf(bytes, text, uri?.type), request.outFormat)
}

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,/i

function dataUriOf(whole: Uint8Array): { type: string | undefined; end: number } | undefined {
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
    throw invalidAt(start + Number(error.hints.position))
  }
}

function answerOf(bytes: Buffer, text: string | undefined, contentType: string, outFormat?: 'json' | 'file'): Result {
  const sizeBytes = bytes.length
  if (text !== undefined && sizeBytes <= ANSWER_LIMIT_BYTES && outFormat !== 'file')
    return { text, sizeBytes, contentType }
  if (outFormat !== 'json' || text !== undefined) {
    return { output: { bytes, contentType, name: `decoded${endingOf(contentType)}` }, sizeBytes, contentType }
  }
  throw new Problem('UNSUPPORTED_FORMAT', { detected: contentType, supported: ['text/plain'] })
}
