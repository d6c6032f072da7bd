import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'

export type Trust = 'trusted' | 'untrusted' | 'expired' | 'unknown'

const MAX_CHAIN = 12
const PEM = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED )?CERTIFICATE-----/g

let bundled: X509Certificate[] | undefined

/** The roots of the Mozilla programme, which come with Node. */
export function listBundledRoots(): X509Certificate[] {
  bundled ??= rootCertificates.map(pem => new X509Certificate(pem))
  return bundled
}

/** The certificates of a file: one in DER, or any number in PEM. Returns nothing for another file. */
export function readCertificates(bytes: Buffer): X509Certificate[] {
  try {
    const blocks = bytes.toString('latin1').match(PEM) ?? []
    return blocks.length > 0 ? blocks.map(block => new X509Certificate(block)) : [new X509Certificate(bytes)]
  } catch {
    return []
  }
}

/**
 * Follows the issuers up to a trusted root. `unknown` means that a certificate between is missing; `untrusted`, that the
 * chain ends in a root that is not trusted.
 */
export function judgeTrust(
  signer: X509Certificate,
  others: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  at: Date,
): Trust {
  const isRoot = (certificate: X509Certificate) =>
    roots.some(root => root.fingerprint256 === certificate.fingerprint256)
  const chain = [signer]
  while (chain.length <= MAX_CHAIN) {
    const current = chain.at(-1)!
    if (isRoot(current)) return chain.every(certificate => isValidAt(certificate, at)) ? 'trusted' : 'expired'
    if (isIssuedBy(current, current)) return 'untrusted'
    const issuer = [...roots, ...others].find(candidate => candidate.ca && isIssuedBy(current, candidate))
    if (!issuer) return 'unknown'
    chain.push(issuer)
  }
  return 'unknown'
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function isValidAt({ validFromDate, validToDate }: X509Certificate, at: Date): boolean {
  return validFromDate <= at && at <= validToDate
}
