import {
  createHash,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { promisify } from 'node:util'
import { bits, element, identifier, integer, octets, sequence, TRUE, time, utf8 } from './der.ts'

/** A key with its certificate. */
export interface CertifiedKey {
  key: KeyObject
  certificate: X509Certificate
}

const OID = {
  organization: '2.5.4.10',
  commonName: '2.5.4.3',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  subjectKeyId: '2.5.29.14',
  authorityKeyId: '2.5.29.35',
  documentSigning: '1.3.6.1.5.5.7.3.36',
  emailProtection: '1.3.6.1.5.5.7.3.4',
}
const ROOT_YEARS = 20
const LEAF_YEARS = 5
const ORGANIZATION = 'coinop'
/** RSA, because its signatures are the same each time: a document that is sealed again is the same document. */
const RSA_BITS = 3072

/** The root of the seals of one installation. */
export async function createRoot(host: string, now: Date): Promise<CertifiedKey> {
  const key = await generateKey()
  const name = buildName(`Root of the document seals of ${host}`)
  const keyId = hashKey(key)
  const extensions = [
    extension(OID.basicConstraints, sequence(TRUE, integer(Buffer.from([0]))), true),
    // To sign certificates and lists of revoked ones.
    extension(OID.keyUsage, bits(Buffer.from([0x06]), 1), true),
    extension(OID.subjectKeyId, octets(keyId), false),
  ]
  const certificate = issue({ key, issuer: name, subject: name, years: ROOT_YEARS, extensions, now, signer: key })
  return { key, certificate }
}

/** The key that seals, certified by the root. */
export async function createLeaf(host: string, root: CertifiedKey, now: Date): Promise<CertifiedKey> {
  const key = await generateKey()
  const extensions = [
    extension(OID.basicConstraints, sequence(), true),
    // Digital signatures that cannot be denied.
    extension(OID.keyUsage, bits(Buffer.from([0xc0]), 6), true),
    extension(OID.extendedKeyUsage, sequence(identifier(OID.documentSigning), identifier(OID.emailProtection)), false),
    extension(OID.subjectKeyId, octets(hashKey(key)), false),
    extension(OID.authorityKeyId, sequence(element(0x80, hashKey(root.key))), false),
  ]
  const issuer = buildName(readCommonName(root.certificate))
  const subject = buildName(`Document seal of ${host}`)
  const certificate = issue({ key, issuer, subject, years: LEAF_YEARS, extensions, now, signer: root.key })
  return { key, certificate }
}

export function readCommonName({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')
}

async function generateKey(): Promise<KeyObject> {
  return (await promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS })).privateKey
}

interface Plan {
  key: KeyObject
  subject: Buffer
  issuer: Buffer
  years: number
  extensions: Buffer[]
  now: Date
  signer: KeyObject
}

function issue({ key, subject, issuer, years, extensions, now, signer }: Plan): X509Certificate {
  const algorithm = sequence(identifier(OID.sha256WithRsa), element(0x05))
  const end = new Date(now)
  end.setUTCFullYear(end.getUTCFullYear() + years)
  // A clock that is a little behind must not see a certificate of the future.
  const start = new Date(now.getTime() - CLOCK_SKEW_MS)
  const body = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(randomSerial()),
    algorithm,
    issuer,
    sequence(time(start), time(end)),
    subject,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(...extensions)),
  )
  return new X509Certificate(sequence(body, algorithm, bits(sign('sha256', body, signer))))
}

const CLOCK_SKEW_MS = 3_600_000

/** 16 bytes, of which the first is neither zero nor above 127. */
function randomSerial(): Buffer {
  const serial = randomBytes(16)
  serial[0] = (serial[0]! & 0x3f) | 0x40
  return serial
}

function buildName(commonName: string): Buffer {
  const part = (id: string, value: string) => element(0x31, sequence(identifier(id), utf8(value)))
  return sequence(part(OID.organization, ORGANIZATION), part(OID.commonName, commonName))
}

function extension(id: string, value: Buffer, isCritical: boolean): Buffer {
  return sequence(identifier(id), ...(isCritical ? [TRUE] : []), octets(value))
}

function hashKey(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest()
}
