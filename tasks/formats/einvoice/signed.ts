import { Problem } from '#kit'

// A signed message (CMS, `.p7m`) holds the file that was signed. Its parts are read here as far as the way to that file.

export const SIGNED_TYPE = 'application/pkcs7-mime'

/** The object identifier of signed data: 1.2.840.113549.1.7.2. */
const SIGNED_DATA = Buffer.from('06092a864886f70d010702', 'hex')
const SEQUENCE = 0x30
const OCTETS = 0x04
const CONSTRUCTED_OCTETS = 0x24
const TAGGED = 0xa0
const MAX_SIGNATURES = 5
const MAX_DEPTH = 8

/** The file within a signed message, however often it was signed; undefined if it is none. */
export function unwrapSigned(bytes: Uint8Array): Uint8Array | undefined {
  let content: Uint8Array | undefined
  for (let count = 0; count < MAX_SIGNATURES; count++) {
    const message = decodeArmour(content ?? bytes)
    if (!isSignedMessage(message)) break
    content = readContent(message)
  }
  return content
}

/** Whether bytes begin as a signed message does: a sequence whose first part says so. */
export function isSignedMessage(bytes: Uint8Array): boolean {
  if (bytes[0] !== SEQUENCE) return false
  const start = 2 + (bytes[1]! > 0x80 ? bytes[1]! & 0x7f : 0)
  return SIGNED_DATA.equals(bytes.subarray(start, start + SIGNED_DATA.length))
}

const BASE64 = /^(?:-----BEGIN [A-Z0-9 ]+-----)?[A-Za-z0-9+/=\s]+(?:-----END [A-Z0-9 ]+-----\s*)?$/

/** Messages are also sent as base64, with or without lines around it. */
export function decodeArmour(bytes: Uint8Array): Uint8Array {
  const head = Buffer.from(bytes.subarray(0, 64)).toString('latin1')
  if (!/^(-----BEGIN |\s*MI)/.test(head)) return bytes
  const text = Buffer.from(bytes).toString('latin1')
  return BASE64.test(text) ? Buffer.from(text.replaceAll(/-----[A-Z0-9 ]+-----/g, ''), 'base64') : bytes
}

interface Part {
  tag: number
  content: Uint8Array
  /** Where the next part begins. */
  end: number
}

function readContent(message: Uint8Array): Uint8Array {
  const [, wrapped] = readParts(readPart(message, 0).content, 2)
  const [signed] = readParts(expect(wrapped, TAGGED).content, 1)
  const [, , inner] = readParts(expect(signed, SEQUENCE).content, 3)
  const [, tagged] = readParts(expect(inner, SEQUENCE).content, 2)
  if (!tagged) throw invalid('it holds a signature alone, without the file that was signed')
  const [content] = readParts(expect(tagged, TAGGED).content, 1)
  return joinOctets(content, 0)
}

function expect(part: Part | undefined, tag: number): Part {
  if (part?.tag !== tag) throw invalid('it is broken')
  return part
}

/** Large files are stored in pieces. */
function joinOctets(part: Part | undefined, depth: number): Uint8Array {
  if (part?.tag === OCTETS) return part.content
  if (part?.tag !== CONSTRUCTED_OCTETS || depth > MAX_DEPTH) throw invalid('it is broken')
  return Buffer.concat(readParts(part.content, Infinity).map(piece => joinOctets(piece, depth + 1)))
}

function readParts(bytes: Uint8Array, count: number): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < bytes.length && parts.length < count; ) {
    const part = readPart(bytes, at)
    parts.push(part)
    at = part.end
  }
  return parts
}

const END_OF_CONTENTS = 2

function readPart(bytes: Uint8Array, at: number, depth = 0): Part {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined || depth > 2 * MAX_DEPTH) throw invalid('it is broken')
  if (first === 0x80) return readOpenPart(bytes, at, depth)
  const lengthBytes = first > 0x80 ? first & 0x7f : 0
  if (lengthBytes > 4) throw invalid('it is broken')
  const start = at + 2 + lengthBytes
  const length = lengthBytes === 0 ? first : bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0)
  if (start + length > bytes.length) throw invalid('it ends too early')
  return { tag, content: bytes.subarray(start, start + length), end: start + length }
}

/** A part that was written before its length was known ends with two zeros. */
function readOpenPart(bytes: Uint8Array, at: number, depth: number): Part {
  let next = at + 2
  while (bytes[next] !== 0 || bytes[next + 1] !== 0) next = readPart(bytes, next, depth + 1).end
  return { tag: bytes[at]!, content: bytes.subarray(at + 2, next), end: next + END_OF_CONTENTS }
}

function invalid(why: string): Problem {
  return new Problem('DOC_PARSE_FAILED', { detail: `the signed message cannot be read: ${why}` })
}
