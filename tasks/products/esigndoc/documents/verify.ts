import type { InputFile, Tools } from '#kit'
import { isDamaged, openPdf } from '../../../formats/pdf/opening.ts'
import type { VerifiedSeal } from '../document.ts'

type VerifyingTools = Pick<Tools, 'libpdf' | 'qpdf'> & { out(name: string): string }
type Checked = Awaited<ReturnType<Tools['libpdf']['verifySignatures']>>['signatures'][number]

/** Checks the signatures of a document; `roots` are files of the certificates by which this service seals. */
export async function verifySeal(
  file: InputFile,
  roots: readonly string[],
  now: Date,
  { libpdf, qpdf, out }: VerifyingTools,
): Promise<Omit<VerifiedSeal, 'sha256'>> {
  const readable = isDamaged(file)
    ? await openPdf(file, { qpdf, password: undefined, to: out('readable.pdf') })
    : file.path
  const check = (trust: readonly string[], usesBundledRoots: boolean) =>
    libpdf.verifySignatures(file.path, readable, trust, { usesBundledRoots, now: now.toISOString() })
  const own = (await check(roots, false)).signatures
  const others = own.every(({ trust }) => trust === 'trusted') ? own : (await check([], true)).signatures
  const signatures = own.map((one, index) => describe(one, others[index]!))
  const isValid =
    own.length > 0 &&
    own.every(({ integrity, changesAfter }) => integrity === 'valid' && changesAfter.every(({ allowed }) => allowed))
  return { isValid, signatures }
}

function describe(own: Checked, other: Checked): VerifiedSeal['signatures'][number] {
  const isCades = own.subFilter === 'ETSI.CAdES.detached'
  return {
    field: own.field,
    integrity: own.integrity === 'valid' ? 'valid' : own.problem === undefined ? 'modified' : 'unreadable',
    trust: own.trust === 'trusted' ? 'service' : other.trust,
    level: isCades ? (own.timestamp === undefined ? 'B-B' : 'B-T') : 'other',
    signer: own.signer?.commonName ?? null,
    issuer: own.signer?.issuer ?? null,
    signedAt: own.signedAt ?? null,
    timestamp: own.timestamp ?? null,
    coversWholeFile: own.coversWholeFile,
    changesAfter: own.changesAfter,
    problem: own.problem ?? null,
  }
}
