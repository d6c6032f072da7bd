import { randomInt } from 'node:crypto'
import { newId, type Price, usd } from '#kit'
import { createVerification, type VerificationView } from '../../../../sql/idverify/verifications.ts'
import type { ApiContext } from '../../../context.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { type RouteJob, route } from '../../../route.ts'
import { readCoverage } from '../../screening/index.ts'
import { type CheckedImage, checkImage, withStoredImages } from '../images.ts'
import { withLink } from '../link.ts'
import { checkRequest, chooseVerifier, readAml, VerificationBody, type VerificationRequest } from '../request.ts'
import { LINK, Verification } from '../schema.ts'
import { readImage } from '../sources.ts'

const PRICE: Price<VerificationRequest> = {
  unit: 'document',
  ...{ rateMicros: usd('0.05'), baseMicros: 0n, basis: 'body', minUnits: 1, maxUnits: 18 },
  units: ({ type }) => (type === 'document' ? 1 : 3),
  note: 'A face, alone or with a document, costs as much as three documents. Where a provider verifies, as GET /v1/capabilities says, a document costs 0.50 and a face 0.90, unless the operator sets otherwise. addons.aml adds 0.01.',
}

const AML_MICROS = usd('0.01')

export default route({
  at: 'POST /v1/idverify/verifications',
  summary: 'Verify an identity document or a face, by a page for the person or by images that you have.',
  keywords:
    'kyc, identity verification, id check, verify a passport, age verification, selfie check, liveness, face match, know your customer, driving licence check, kyc check, verify a person, who a person says they are, check a passport, onboarding',
  description:
    'Give the person `hostedUrl`. Documents are read by machine (MRZ check digits, AAMVA barcodes, OCR), and each check is listed. What has expired or is of a minor is declined at once; that a document is genuine and a face is the right one is decided by a provider, where the operator has one, or by a person (`manual_review`), never by the machine here. Wait with GET /v1/idverify/verifications/{id}/status, or register a webhook. Never opened, it gives back 80 % of its price when it expires.',
  auth: BILLABLE_AUTH,
  body: VerificationBody,
  reply: { status: 201, schema: Verification },
  price: PRICE,
  settles: true,
  errors: [
    ...(['INVALID_PARAM', 'CONFLICTING_OPTIONS', 'DOCUMENTS_REQUIRED', 'MRZ_PARSE_FAILED', 'INPUT_EMPTY'] as const),
    ...(['INPUT_TOO_LARGE', 'INPUT_NOT_FOUND', 'INVALID_BASE64', 'UNSUPPORTED_FORMAT', 'TIME_LIMIT_EXCEEDED'] as const),
    ...(['TOO_MANY_VERIFICATIONS', 'PROVIDER_NOT_CONFIGURED', 'SCREENING_LISTS_NOT_LOADED'] as const),
  ],
  examples: [
    {
      title: 'An adult, by the page',
      input: { type: 'document', minAge: 18, referenceId: 'customer-7', subject: { lastName: 'Eriksson' } },
    },
  ],
  async quote({ caller, body }, context) {
    checkRequest(body)
    const provider = chooseVerifier(context, body)
    const aml = readAml(body)
    // Throws where none of the lists is loaded, so that nothing is paid for a screening that cannot be.
    if (aml) await readCoverage(context, { ...aml, sources: [], asOf: undefined }, caller?.accountId)
    return priceOf(context, body, provider !== undefined) + (aml ? AML_MICROS : 0n)
  },
  async handle({ body, job }, context) {
    const id = newId()
    const images = await readImages(context, job!, body)
    return withStoredImages(context, { accountId: job!.accountId, verificationId: id }, images, stored => {
      const row = planVerification(context, id, body)
      return createVerification(context.db, job!, row, stored, context.settings.get('idverify.max_open'))
    })
  },
  reveal: (result, context) => withLink(context, result as VerificationView),
})

function priceOf({ settings }: ApiContext, { type }: VerificationRequest, isByProvider: boolean): bigint {
  const isDocument = type === 'document'
  if (!isByProvider) return (isDocument ? 1n : 3n) * PRICE.rateMicros
  return BigInt(settings.get(isDocument ? 'idverify.provider_document_micros' : 'idverify.provider_face_micros'))
}

async function readImages(
  context: ApiContext,
  { accountId }: RouteJob,
  body: VerificationRequest,
): Promise<CheckedImage[]> {
  const { documents, selfie, frames = [] } = body
  const sent = [
    ['front', documents?.front, 'documents.front'],
    ['back', documents?.back, 'documents.back'],
    ['selfie', selfie, 'selfie'],
    ...frames.map((frame, at) => [`frame${at + 1}`, frame, `frames/${at}`] as const),
  ] as const
  const images: CheckedImage[] = []
  for (const [side, source, field] of sent)
    if (source)
      images.push(await checkImage(context, { side, bytes: await readImage(context, accountId, source, field) }))
  return images
}

function planVerification(context: ApiContext, id: string, body: VerificationRequest) {
  const { config } = context
  const { type, subject, documentTypes, countries, minAge, expiresInSeconds, documents, ...kept } = body
  return {
    ...{ id, type, subject, referenceId: kept.referenceId, metadata: kept.metadata, redirectUrl: kept.redirectUrl },
    ...{ locale: kept.locale, maxAttempts: kept.maxAttempts, retentionDays: kept.retentionDays },
    terms: { documentTypes, countries, minAge, aml: readAml(body) },
    tokenHash: LINK.hash(config.secret, LINK.derive(config.secret, id)),
    challenge: String(randomInt(1_000, 10_000)),
    typedZone: documents?.mrz,
    provider: chooseVerifier(context, body)?.name,
    expiresAt: new Date(Date.now() + expiresInSeconds * 1_000),
  }
}
