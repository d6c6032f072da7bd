import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { PDF, SignerError } from '@libpdf/core'
import { fromBER, OctetString } from 'asn1js'
import { Attribute, ContentInfo, SignedAndUnsignedAttributes, SignedData } from 'pkijs'
import { Problem } from '#kit'
import { type KeySource, openSigner, requireValidAt } from './keys.ts'

export interface SignPlan extends KeySource {
  field?: string
  reason?: string
  location?: string
  contact?: string
  digest: 'SHA-256' | 'SHA-384' | 'SHA-512'
  now: string
  /** Leave space for a timestamp. */
  isTimestamped: boolean
}

interface SignedFile {
  bytes: Uint8Array
  signer: { commonName?: string; issuer: string; validTo: string }
  /** SHA-256 of the signature itself, which a timestamp confirms. */
  signatureDigest: Uint8Array
}

const SIGNATURE_BYTES = 3072
/** A token has the certificates of the authority. */
const TIMESTAMP_BYTES = 16_384
const TIMESTAMP_ATTRIBUTE = '1.2.840.113549.1.9.16.2.14'

/** Appends a signature (PAdES B-B). What was signed before stays valid. */
export async function signDocument([file, keyFile]: string[], plan: SignPlan): Promise<SignedFile> {
  const signer = await openSigner(await readFile(keyFile!), plan)
  const now = new Date(plan.now)
  const certificate = requireValidAt(signer.certificate, now)
  const pdf = await PDF.load(await readFile(file!))
  try {
    const { bytes } = await pdf.sign({
      ...{ signer, level: 'B-B', signingTime: now, fieldName: plan.field, digestAlgorithm: plan.digest },
      ...{ reason: plan.reason, location: plan.location, contactInfo: plan.contact },
      estimatedSize: measureSignature([signer.certificate, ...(signer.certificateChain ?? [])], plan.isTimestamped),
    })
    const { signature } = readLastSignature(Buffer.from(bytes))
    const read = (name: string, from: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(from)?.[1]
    const commonName = read('CN', certificate.subject)
    const issuer = read('CN', certificate.issuer) ?? certificate.issuer.replaceAll('\n', ', ')
    const signatureDigest = createHash('sha256').update(signature).digest()
    return { bytes, signer: { commonName, issuer, validTo: certificate.validToDate.toISOString() }, signatureDigest }
  } catch (error) {
    if (error instanceof Problem) throw error
    throw toProblem(error as Error, plan.field)
  }
}

/** The space that a signature with these certificates needs. */
export function measureSignature(certificates: readonly Uint8Array[], isTimestamped: boolean): number {
  const space = SIGNATURE_BYTES + (isTimestamped ? TIMESTAMP_BYTES : 0)
  return certificates.reduce((sum, { length }) => sum + length, space)
}

function toProblem(error: Error, field: string | undefined): unknown {
  if (error instanceof SignerError) return new Problem('KEY_INVALID', { detail: error.message.slice(0, 200) })
  if (field !== undefined && /field/i.test(error.message))
    return new Problem('FIELD_VALUE_INVALID', { field, detail: error.message.slice(0, 200) })
  return error
}

/**
 * Puts a timestamp into the last signature of a file, into the space that was left for it (PAdES B-T), and the signature
 * itself, if it was made elsewhere.
 */
export async function completeSignature(
  [file]: string[],
  { signature, token }: { signature?: Uint8Array; token?: Uint8Array },
): Promise<{ bytes: Uint8Array }> {
  const bytes = await readFile(file!)
  const { info, data, start, length } = readLastSignature(bytes)
  const signer = data.signerInfos[0]!
  if (signature) signer.signature = new OctetString({ valueHex: new Uint8Array(signature).buffer })
  if (token) signer.unsignedAttrs = buildTimestampAttribute(token)
  info.content = data.toSchema(true)
  const hex = Buffer.from(info.toSchema().toBER()).toString('hex')
  if (hex.length > length) throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'timestamp', detail: 'too long' })
  bytes.write(hex.padEnd(length, '0'), start, 'latin1')
  return { bytes }
}

function buildTimestampAttribute(token: Uint8Array): SignedAndUnsignedAttributes {
  const value = fromBER(new Uint8Array(token).buffer).result
  const attributes = [new Attribute({ type: TIMESTAMP_ATTRIBUTE, values: [value] })]
  return new SignedAndUnsignedAttributes({ type: 1, attributes })
}

/** The signature that was appended last is the only one of the last update. */
function readLastSignature(bytes: Buffer) {
  const ranges = [...bytes.toString('latin1').matchAll(/\/ByteRange\s*\[\s*0\s+(\d+)\s+(\d+)\s+(\d+)\s*\]/g)]
  const [, before, after] = ranges
    .map(range => range.map(Number))
    .sort((a, b) => a[2]! - b[2]!)
    .at(-1)!
  const [start, length] = [before! + 1, after! - before! - 2]
  const der = Buffer.from(bytes.toString('latin1', start, start + length), 'hex')
  const info = ContentInfo.fromBER(new Uint8Array(der).buffer)
  const data = new SignedData({ schema: info.content })
  return {
    info,
    data,
    start,
    length,
    signature: new Uint8Array(data.signerInfos[0]!.signature.valueBlock.valueHexView),
  }
}
