import { createPrivateKey, KeyObject, sign, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { P12Signer, type Signer } from '@libpdf/core'
import { Problem } from '#kit'
import { readCertificates } from './trust.ts'

export interface KeySource {
  /** Private key in PEM. */
  key?: string
  keyPassword?: string
}

/** Opens the key of a signer: a PKCS#12 file, or a key in PEM with a file of its certificate and those of its issuers. */
export async function openSigner(file: Buffer, { key, keyPassword = '' }: KeySource): Promise<Signer> {
  if (key === undefined) return openPkcs12(file, keyPassword)
  const certificates = readCertificates(file)
  const privateKey = openPem(key, keyPassword)
  const own = certificates.find(certificate => certificate.checkPrivateKey(privateKey))
  if (certificates.length === 0) throw new Problem('CERTIFICATE_INVALID', { field: 'certificate' })
  if (!own) throw new Problem('KEY_INVALID', { field: 'key', detail: 'the key does not belong to the certificate' })
  return buildSigner(
    privateKey,
    own,
    certificates.filter(certificate => certificate !== own),
  )
}

async function openPkcs12(file: Buffer, password: string): Promise<Signer> {
  try {
    return await P12Signer.create(file, password, { buildChain: false })
  } catch (error) {
    const { message } = error as Error
    // The file is authenticated by its password.
    if (message.includes('Integrity'))
      throw new Problem('KEY_INVALID', { field: 'keyPassword', detail: 'It does not open the PKCS#12 file.' })
    throw new Problem('KEY_INVALID', { field: 'pkcs12', detail: message.slice(0, 200) })
  }
}

/** The key and the certificates of a PKCS#12 file, its own first, for a signer outside of this process. */
export async function readPkcs12(
  [file]: string[],
  { password }: { password: string },
): Promise<{ key: string; certificates: Uint8Array[] }> {
  const signer = await openPkcs12(await readFile(file!), password)
  // The class hides the key, which it needs no more here.
  const { privateKey } = signer as unknown as { privateKey: CryptoKey }
  const key = KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }) as string
  const found = [signer.certificate, ...(signer.certificateChain ?? [])].map(bytes => new X509Certificate(bytes))
  const own = found.find(certificate => certificate.checkPrivateKey(createPrivateKey(key)))
  if (!own) throw new Problem('KEY_INVALID', { field: 'pkcs12', detail: 'no certificate belongs to the key' })
  const certificates = [own, ...found.filter(certificate => certificate !== own)]
  return { key, certificates: certificates.map(({ raw }) => new Uint8Array(raw)) }
}

function openPem(key: string, passphrase: string): KeyObject {
  try {
    return createPrivateKey({ key, passphrase })
  } catch {
    throw new Problem('KEY_INVALID', { field: 'key' })
  }
}

function buildSigner(key: KeyObject, own: X509Certificate, others: readonly X509Certificate[]): Signer {
  const isElliptic = key.asymmetricKeyType === 'ec'
  if (!isElliptic && key.asymmetricKeyType !== 'rsa')
    throw new Problem('KEY_TYPE', { field: 'key', supported: ['RSA', 'EC'] })
  return {
    certificate: new Uint8Array(own.raw),
    certificateChain: others.map(certificate => new Uint8Array(certificate.raw)),
    keyType: isElliptic ? 'EC' : 'RSA',
    signatureAlgorithm: isElliptic ? 'ECDSA' : 'RSASSA-PKCS1-v1_5',
    sign: async (data, algorithm) =>
      new Uint8Array(sign(algorithm.replace('SHA-', 'sha'), data, { key, dsaEncoding: 'der' })),
  }
}

/** Whether the key may be used at that time. */
export function requireValidAt(certificate: Uint8Array, now: Date): X509Certificate {
  const { validFromDate, validToDate } = new X509Certificate(certificate)
  if (now < validFromDate || now > validToDate)
    throw new Problem('CERTIFICATE_INVALID', { detail: 'expired', from: validFromDate, to: validToDate })
  return new X509Certificate(certificate)
}
