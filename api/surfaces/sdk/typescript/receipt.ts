import { fromBase64, isSameText } from './bytes.ts'
import { findKey, hexSha256, isSignedBy, isTooLate, type Jwks } from './jws.ts'

interface ReceiptFile {
  size: number
  sha256: string | null
}

/** What a receipt says of a call. */
export interface ReceiptPayload {
  typ: string
  issued_at: string
  inputs: readonly ReceiptFile[]
  outputs: readonly ReceiptFile[]
  [name: string]: unknown
}

/** The answer of `client.receipt`. */
export interface Receipt {
  receipt: string
  payload: object
  [name: string]: unknown
}

export class ReceiptError extends Error {
  override readonly name = 'ReceiptError'
}

/**
 * Checks a receipt, or its JWS alone, without the service: that one of the keys signed what it says, and that the file, if one
 * is given, went into the call or came out of it. Returns what was signed.
 */
export async function verifyReceipt(
  receipt: Receipt | string,
  keys: Jwks,
  file?: Uint8Array<ArrayBuffer>,
): Promise<ReceiptPayload> {
  const { receipt: jws, payload } = typeof receipt === 'string' ? { receipt, payload: undefined } : receipt
  const [head = '', body = '', signature = '', ...rest] = jws.split('.')
  const key = findKey(head, keys)
  if (!key) throw new ReceiptError('it was signed by none of these keys')
  if (rest.length > 0 || !(await isSignedBy(key, `${head}.${body}`, signature)))
    throw new ReceiptError('the receipt is not what was signed')
  const text = new TextDecoder().decode(fromBase64(body))
  if (payload && !isSameText(text, canonicalize(payload))) throw new ReceiptError('the payload is not what was signed')
  const signed = JSON.parse(text) as ReceiptPayload
  if (!/^\w+\.receipt\/1$/.test(signed.typ)) throw new ReceiptError('what was signed is no receipt')
  if (isTooLate(signed.issued_at, key)) throw new ReceiptError('it was signed after the key was retired')
  if (file && !(await isNamed(signed, file)))
    throw new ReceiptError('the file is none of those that went in or came out')
  return signed
}

async function isNamed({ inputs, outputs }: ReceiptPayload, file: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const hash = await hexSha256(file)
  return [...inputs, ...outputs].some(({ sha256 }) => sha256 === hash)
}

/** RFC 8785, for objects whose names are words. */
function canonicalize(value: object): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )
}
