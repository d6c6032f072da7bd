import { constants, createHash, type KeyObject, timingSafeEqual, verify, X509Certificate } from 'node:crypto'
import { GeneralizedTime, OctetString, UTCTime } from 'asn1js'
import {
  type AlgorithmIdentifier,
  type Attribute,
  Certificate,
  ContentInfo,
  IssuerAndSerialNumber,
  RSASSAPSSParams,
  SignedData,
  type SignerInfo,
  TSTInfo,
} from 'pkijs'

/** A CMS signature over some bytes, as it was found. */
export interface CmsCheck {
  isValid: boolean
  signer: X509Certificate
  certificates: X509Certificate[]
  digest: string
  algorithm: string
  /** The time that the signer claims. */
  claimedTime?: Date
  /** The time that a timestamp authority confirms, if its own signature is valid. */
  timestamp?: Date
}

const DIGESTS: Record<string, string> = {
  '1.3.14.3.2.26': 'SHA-1',
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
  '2.16.840.1.101.3.4.2.8': 'SHA3-256',
  '2.16.840.1.101.3.4.2.9': 'SHA3-384',
  '2.16.840.1.101.3.4.2.10': 'SHA3-512',
}
const RSA_PSS = '1.2.840.113549.1.1.10'
const ATTRIBUTES = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  timestamp: '1.2.840.113549.1.9.16.2.14',
}

/** Checks a detached signature over the bytes, or over their SHA-1 if the signature contains that. */
export function checkDetached(cms: Uint8Array, signed: Uint8Array): CmsCheck {
  const data = parseSignedData(cms)
  const embedded = readEmbedded(data)
  const content = embedded.length > 0 ? embedded : signed
  const isAboutFile = embedded.length === 0 || isSame(embedded, hash('SHA-1', signed))
  const check = checkSigner(data, content)
  return { ...check, isValid: check.isValid && isAboutFile, timestamp: readTimestamp(data.signerInfos[0]!) }
}

/** Checks a timestamp over the bytes. */
export function checkTimestamp(token: Uint8Array, stamped: Uint8Array): CmsCheck {
  const data = parseSignedData(token)
  const info = readEmbedded(data)
  const { messageImprint, genTime } = TSTInfo.fromBER(toBuffer(info))
  const name = digestName(messageImprint.hashAlgorithm)
  const isAboutBytes = isSame(toBytes(messageImprint.hashedMessage.valueBlock.valueHexView), hash(name, stamped))
  const check = checkSigner(data, info)
  return { ...check, isValid: check.isValid && isAboutBytes, digest: name, timestamp: genTime }
}

function parseSignedData(cms: Uint8Array): SignedData {
  const info = ContentInfo.fromBER(toBuffer(cms))
  const data = new SignedData({ schema: info.content })
  if (data.signerInfos.length === 0) throw new Error('no signer')
  return data
}

function readEmbedded(data: SignedData): Uint8Array {
  const content = data.encapContentInfo.eContent
  return content ? new Uint8Array(content.getValue()) : new Uint8Array()
}

function checkSigner(data: SignedData, content: Uint8Array): CmsCheck {
  const info = data.signerInfos[0]!
  const certificates = (data.certificates ?? []).filter(item => item instanceof Certificate)
  const signer = certificates.find(certificate => isSignerOf(certificate, info))
  if (!signer) throw new Error('the certificate of the signer is not in the signature')
  const digest = digestName(info.digestAlgorithm)
  const attributes = info.signedAttrs?.attributes ?? []
  const stated = findValue(attributes, ATTRIBUTES.messageDigest)
  const isDigestRight = info.signedAttrs
    ? stated instanceof OctetString && isSame(stated.valueBlock.valueHexView, hash(digest, content))
    : true
  const covered = info.signedAttrs ? new Uint8Array(info.signedAttrs.encodedValue) : content
  const certificate = toX509(signer)
  const signature = info.signature.valueBlock.valueHexView
  const isSignatureRight = verifySignature(covered, signature, certificate.publicKey, info, digest)
  return {
    isValid: isDigestRight && isSignatureRight,
    signer: certificate,
    certificates: certificates.map(toX509),
    digest,
    algorithm: describeKey(certificate.publicKey, info.signatureAlgorithm),
    claimedTime: readTime(findValue(attributes, ATTRIBUTES.signingTime)),
  }
}

function isSignerOf(certificate: Certificate, { sid }: SignerInfo): boolean {
  if (sid instanceof IssuerAndSerialNumber)
    return certificate.issuer.isEqual(sid.issuer) && certificate.serialNumber.isEqual(sid.serialNumber)
  const wanted = Buffer.from((sid as OctetString).valueBlock.valueHexView)
  const extension = certificate.extensions?.find(({ extnID }) => extnID === '2.5.29.14')
  return Buffer.from(extension?.extnValue.valueBlock.valueHexView ?? []).includes(wanted)
}

function verifySignature(
  covered: Uint8Array,
  signature: Uint8Array,
  key: KeyObject,
  { signatureAlgorithm }: SignerInfo,
  digest: string,
): boolean {
  const isEdwards = key.asymmetricKeyType === 'ed25519' || key.asymmetricKeyType === 'ed448'
  const isPss = signatureAlgorithm.algorithmId === RSA_PSS
  const name = isPss ? readPssDigest(signatureAlgorithm) : digest
  const padding = isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO } : {}
  return verify(
    isEdwards ? null : name.replace('SHA-', 'sha'),
    covered,
    { key, dsaEncoding: 'der', ...padding },
    signature,
  )
}

function readPssDigest({ algorithmParams }: AlgorithmIdentifier): string {
  return digestName(new RSASSAPSSParams({ schema: algorithmParams }).hashAlgorithm)
}

function describeKey(key: KeyObject, { algorithmId }: AlgorithmIdentifier): string {
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec') return `ECDSA ${namedCurve}`
  if (modulusLength === undefined) return key.asymmetricKeyType ?? 'unknown'
  return `${algorithmId === RSA_PSS ? 'RSA-PSS' : 'RSA'} ${modulusLength}`
}

/** Of a timestamp on the signature itself; nothing if it is not valid. */
function readTimestamp(info: SignerInfo): Date | undefined {
  const token = findValue(info.unsignedAttrs?.attributes ?? [], ATTRIBUTES.timestamp)
  if (!token) return undefined
  try {
    const check = checkTimestamp(new Uint8Array(token.toBER()), info.signature.valueBlock.valueHexView)
    return check.isValid ? check.timestamp : undefined
  } catch {
    return undefined
  }
}

function findValue(attributes: readonly Attribute[], type: string) {
  return attributes.find(attribute => attribute.type === type)?.values[0]
}

function readTime(value: unknown): Date | undefined {
  return value instanceof UTCTime || value instanceof GeneralizedTime ? value.toDate() : undefined
}

function digestName({ algorithmId }: AlgorithmIdentifier): string {
  const name = DIGESTS[algorithmId]
  if (!name) throw new Error(`the digest ${algorithmId} is not known`)
  return name
}

function hash(name: string, bytes: Uint8Array): Uint8Array {
  return createHash(name.replace('SHA-', 'sha')).update(bytes).digest()
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function toX509(certificate: Certificate): X509Certificate {
  return new X509Certificate(Buffer.from(certificate.toSchema().toBER()))
}

function toBytes(view: Uint8Array): Uint8Array {
  return new Uint8Array(view)
}

function toBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
