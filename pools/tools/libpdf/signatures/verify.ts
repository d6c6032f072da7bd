import type { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, type PdfDict, PdfNumber, type PdfObject, PdfString } from '@libpdf/core'
import { Problem } from '#kit'
import { parsePdfTime } from '../../../../tasks/formats/pdf/properties.ts'
import { type Resolve, resolveDict } from '../objects.ts'
import { type Change, listChanges } from './changes.ts'
import { type CmsCheck, checkDetached, checkTimestamp } from './cms.ts'
import { judgeTrust, listBundledRoots, readCertificates, type Trust } from './trust.ts'

// Decision 0112: check signatures with Node and pkijs.

interface VerifyPlan {
  password?: string
  usesBundledRoots: boolean
  /** The time for which certificates are judged; left out: that of the timestamp, else now. */
  at?: string
  now: string
}

interface VerifiedSignature {
  field: string
  integrity: 'valid' | 'invalid'
  trust: Trust
  signer?: Record<'commonName' | 'organization' | 'email' | 'serial' | 'issuer', string | undefined>
  signedAt?: string
  timestamp?: string
  subFilter: string
  digest?: string
  algorithm?: string
  isWeak: boolean
  reason?: string
  location?: string
  certification?: number
  coversWholeFile: boolean
  changesAfter: Change[]
  ltv: boolean
  problem?: string
}

/** Checks all signatures that the readable document has against exactly the bytes of the uploaded file. */
export async function verifySignatures(
  [file, readable, ...trust]: string[],
  { password, usesBundledRoots, at, now }: VerifyPlan,
): Promise<{ signatures: VerifiedSignature[]; hasUsageRights: boolean }> {
  const bytes = await readFile(file!)
  const given = await Promise.all(trust.map(async path => readCertificates(await readFile(path))))
  const unreadable = given.findIndex(certificates => certificates.length === 0)
  if (unreadable >= 0) throw new Problem('CERTIFICATE_INVALID', { field: 'trust', index: unreadable })
  const structure = readable === file ? bytes : await readFile(readable!)
  const pdf = await PDF.load(structure, password === undefined ? {} : { credentials: password })
  const resolve: Resolve = ref => pdf.getObject(ref)
  const roots = [...given.flat(), ...(usesBundledRoots ? listBundledRoots() : [])]
  const catalog = pdf.getCatalog()
  const hasValidationData = catalog.has('DSS')
  const fields = listSignatureFields(catalog.getDict('AcroForm', resolve), resolve)
  const signatures = fields.map(({ name, value }) =>
    verifyOne(bytes, name, value, { resolve, roots, time: { at, now }, hasValidationData }),
  )
  return { signatures, hasUsageRights: catalog.getDict('Perms', resolve)?.has('UR3') ?? false }
}

interface SignatureField {
  name: string
  value: PdfDict
}

function listSignatureFields(form: PdfDict | undefined, resolve: Resolve): SignatureField[] {
  const found: SignatureField[] = []
  const seen = new Set<PdfDict>()
  const visit = (item: PdfObject, prefix: string, inherited: string | undefined): void => {
    const field = resolveDict(item, resolve)
    if (!field || seen.has(field)) return
    seen.add(field)
    const type = field.getName('FT', resolve)?.value ?? inherited
    const part = field.get('T', resolve)
    const name = part instanceof PdfString ? [prefix, part.asString()].filter(Boolean).join('.') : prefix
    const value = field.getDict('V', resolve)
    if (type === 'Sig' && value) found.push({ name, value })
    for (const kid of field.getArray('Kids', resolve) ?? []) visit(kid, name, type)
  }
  for (const item of form?.getArray('Fields', resolve) ?? []) visit(item, '', undefined)
  return found
}

interface Context {
  resolve: Resolve
  roots: readonly X509Certificate[]
  time: { at?: string; now: string }
  hasValidationData: boolean
}

function verifyOne(bytes: Buffer, field: string, value: PdfDict, context: Context): VerifiedSignature {
  const { resolve } = context
  const subFilter = value.getName('SubFilter', resolve)?.value ?? ''
  const text = (name: string) => {
    const found = value.get(name, resolve)
    return found instanceof PdfString ? found.asString() : undefined
  }
  const certification = readCertification(value, resolve)
  const facts = { field, subFilter, reason: text('Reason'), location: text('Location'), certification }
  const signedAt = parsePdfTime(text('M'))
  const range = readRange(value, bytes, resolve)
  if (!range)
    return { ...facts, ...UNREADABLE, signedAt, problem: 'The byte range does not enclose exactly the signature.' }
  const changesAfter = range.coversWholeFile ? [] : listChanges(bytes, range.end, certification)
  const coverage = { coversWholeFile: range.coversWholeFile, changesAfter, ltv: context.hasValidationData }
  try {
    const isStamp = subFilter === 'ETSI.RFC3161'
    const check = isStamp ? checkTimestamp(range.contents, range.signed) : checkDetached(range.contents, range.signed)
    return { ...facts, ...describeCheck(check, context, signedAt), ...coverage }
  } catch (error) {
    return { ...facts, ...UNREADABLE, ...coverage, signedAt, problem: (error as Error).message.slice(0, 200) }
  }
}

const UNREADABLE = {
  ...({ integrity: 'invalid', trust: 'unknown' } as const),
  ...{ isWeak: false, coversWholeFile: false, changesAfter: [], ltv: false },
}

function describeCheck(check: CmsCheck, { roots, time }: Context, stated: string | undefined) {
  const { signer, certificates, timestamp, claimedTime, digest, algorithm, isValid } = check
  const at = time.at ? new Date(time.at) : (timestamp ?? new Date(time.now))
  return {
    integrity: isValid ? ('valid' as const) : ('invalid' as const),
    trust: judgeTrust(signer, certificates, roots, at),
    signer: describeSigner(signer),
    signedAt: claimedTime?.toISOString() ?? stated,
    timestamp: timestamp?.toISOString(),
    digest,
    algorithm,
    isWeak: digest === 'SHA-1' || /RSA(-PSS)? (512|768|1024)$/.test(algorithm),
  }
}

function describeSigner({ subject, issuer, serialNumber }: X509Certificate): VerifiedSignature['signer'] {
  const read = (name: string, from = subject) => new RegExp(`^${name}=(.*)$`, 'm').exec(from)?.[1]
  return {
    commonName: read('CN'),
    organization: read('O'),
    email: read('emailAddress'),
    serial: serialNumber.toLowerCase(),
    issuer: read('CN', issuer) ?? issuer.replaceAll('\n', ', '),
  }
}

/** The level of a signature that certifies the document: 1, 2 or 3. */
function readCertification(value: PdfDict, resolve: Resolve): number | undefined {
  for (const item of value.getArray('Reference', resolve) ?? []) {
    const reference = resolveDict(item, resolve)
    if (reference?.getName('TransformMethod', resolve)?.value !== 'DocMDP') continue
    return reference.getDict('TransformParams', resolve)?.getNumber('P', resolve)?.value ?? 2
  }
  return undefined
}

interface SignedRange {
  signed: Buffer
  contents: Buffer
  end: number
  coversWholeFile: boolean
}

/** The gap of the range must hold the signature and nothing else, or other content could hide there. */
function readRange(value: PdfDict, bytes: Buffer, resolve: Resolve): SignedRange | undefined {
  const array = value.get('ByteRange', resolve)
  const numbers =
    array instanceof PdfArray ? array.toArray().map(item => (item instanceof PdfNumber ? item.value : -1)) : []
  const [start, length, second, rest] = numbers as [number, number, number, number]
  const end = second + rest
  const isOrdered =
    numbers.length === 4 && start === 0 && length > 0 && second > length && rest > 0 && end <= bytes.length
  if (!isOrdered) return undefined
  const gap = bytes.toString('latin1', length, second)
  if (!/^<[0-9a-fA-F\s]*>$/.test(gap)) return undefined
  const padded = Buffer.from(gap.slice(1, -1).replaceAll(/\s/g, ''), 'hex')
  const signed = Buffer.concat([bytes.subarray(0, length), bytes.subarray(second, end)])
  return { signed, contents: trimPadding(padded), end, coversWholeFile: bytes.toString('latin1', end).trim() === '' }
}

/** The space for a signature is padded with zeros; its own length is in its head. */
function trimPadding(der: Buffer): Buffer {
  const first = der[1] ?? 0
  if (first < 0x80) return der.subarray(0, 2 + first)
  const count = first & 0x7f
  if (count === 0 || count > 4) return der
  return der.subarray(0, 2 + count + der.readUIntBE(2, count))
}
