import { type Static, Type } from 'typebox'
import { Choice, Problem } from '#kit'
import type { IdentityProvider } from '../../../ops/providers/identity/contract.ts'
import { IDENTITY_PROVIDERS } from '../../../ops/providers/identity/settings.ts'
import { isRealDate } from '../../../tasks/formats/identity/aamva.ts'
import { DOCUMENT_TYPES, readTypedZone } from '../../../tasks/products/idverify/index.ts'
import type { ApiContext } from '../../context.ts'
import { LOCALES, TYPES } from './schema.ts'
import { Image } from './sources.ts'

const PRINTABLE = '^[^\\u0000\\ud800-\\udfff]*$'
const Text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: PRINTABLE, ...(description && { description }) })
const Country = Type.String({ pattern: '^[A-Z]{3}$', description: 'Three letters, as documents have them: `DEU`.' })

const Aml = Type.Union(
  [
    Type.Boolean(),
    Type.Object(
      {
        lists: Type.Optional(
          Type.Array(Choice(['sanctions', 'pep']), {
            minItems: 1,
            maxItems: 2,
            uniqueItems: true,
            description: 'Both, if it is left out.',
          }),
        ),
        threshold: Type.Optional(Type.Number({ minimum: 0.5, maximum: 1, description: '0.85, if it is left out.' })),
        allowSample: Type.Optional(
          Type.Boolean({ description: 'Where no list is loaded, use invented entries for trial.' }),
        ),
      },
      { additionalProperties: false },
    ),
  ],
  { description: 'Screen the person as POST /v1/screening/match does, for 0.01 more.' },
)

export const VerificationBody = Type.Object(
  {
    type: Choice(TYPES, {
      description:
        '`document`: an identity document; `biometric`: a document and the face of its owner; `liveness`: a face alone.',
    }),
    subject: Type.Optional(
      Type.Object(
        {
          firstName: Type.Optional(Text(200)),
          lastName: Type.Optional(Text(200)),
          dob: Type.Optional(Type.String({ format: 'date' })),
          country: Type.Optional(Country),
        },
        {
          additionalProperties: false,
          description: 'Who it should be. It is compared with the document, not trusted.',
        },
      ),
    ),
    documentTypes: Type.Array(Choice(DOCUMENT_TYPES), {
      minItems: 1,
      maxItems: 5,
      uniqueItems: true,
      default: ['passport', 'id_card', 'driving_licence', 'residence_permit'],
    }),
    countries: Type.Array(Country, { maxItems: 250, default: [], description: 'Of issue; without any, all.' }),
    minAge: Type.Optional(Type.Integer({ minimum: 1, maximum: 120 })),
    addons: Type.Optional(Type.Object({ aml: Aml }, { additionalProperties: false })),
    redirectUrl: Type.Optional(
      Type.String({ maxLength: 2_000, pattern: '^https?://', description: 'Where the page leads in the end.' }),
    ),
    locale: Choice(LOCALES, { default: 'en', description: 'Of the page.' }),
    expiresInSeconds: Type.Integer({ minimum: 300, maximum: 2_592_000, default: 604_800 }),
    maxAttempts: Type.Integer({ minimum: 1, maximum: 5, default: 3 }),
    retentionDays: Type.Integer({
      minimum: 0,
      maximum: 365,
      default: 30,
      description: 'How long images and personal data are kept after the end; 0 erases them with it.',
    }),
    referenceId: Type.Optional(Text(128, 'Yours, for this person.')),
    metadata: Type.Optional(
      Type.Record(Type.String({ pattern: '^[\\w.:-]{1,64}$' }), Text(500), { maxProperties: 16 }),
    ),
    documents: Type.Optional(
      Type.Object(
        { front: Type.Optional(Image), back: Type.Optional(Image), mrz: Type.Optional(Text(200)) },
        {
          additionalProperties: false,
          description:
            'Images that you have already, so that the person need not open the page. `mrz`: as it was typed.',
        },
      ),
    ),
    selfie: Type.Optional(Image),
    frames: Type.Optional(
      Type.Array(Image, {
        minItems: 1,
        maxItems: 5,
        description: 'Further images of the face, in their order, such as of a turn of the head.',
      }),
    ),
  },
  { additionalProperties: false },
)

export type VerificationRequest = Static<typeof VerificationBody>

/**
 * Who verifies: a provider, or, if undefined, the operator's reviewers. Images that the caller has already go to those.
 * Throws PROVIDER_NOT_CONFIGURED.
 */
export function chooseVerifier(
  { identityProvider: provider, settings }: Pick<ApiContext, 'identityProvider' | 'settings'>,
  { type, documents, selfie, frames }: VerificationRequest,
): IdentityProvider | undefined {
  const hasImages = documents !== undefined || selfie !== undefined || frames !== undefined
  if (!hasImages && provider?.types.includes(type)) return provider
  const setting = 'idverify.manual_review_enabled'
  if (settings.get(setting)) return undefined
  const hints = { adapters: [...IDENTITY_PROVIDERS], set: `IDENTITY_PROVIDER, or ${setting} where people review` }
  const reason = hasImages ? 'images of the caller are reviewed by people' : `nobody here verifies ${type}`
  throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'idverify', reason, ...hints })
}

/** Refuses, before anything is paid, what can be known to be wrong. */
export function checkRequest(body: VerificationRequest): void {
  const { documents, redirectUrl, subject } = body
  if (redirectUrl !== undefined && !URL.canParse(redirectUrl))
    throw new Problem('INVALID_PARAM', { field: 'redirectUrl' })
  if (subject?.dob !== undefined && !isRealDate(subject.dob))
    throw new Problem('INVALID_PARAM', { field: 'subject/dob', reason: 'a date such as 1990-12-31' })
  if (documents?.mrz !== undefined && !readTypedZone(documents.mrz, new Date())) throw new Problem('MRZ_PARSE_FAILED')
  checkImagesNamed(body)
}

/** Images of the caller are all that the type needs, or none. */
function checkImagesNamed({ type, documents, selfie, frames }: VerificationRequest): void {
  const ofFace = { selfie, frames }
  const unasked = type === 'liveness' ? { documents } : type === 'document' ? ofFace : {}
  const [unused] = Object.entries(unasked).flatMap(([field, given]) => (given ? [field] : []))
  if (unused) throw new Problem('CONFLICTING_OPTIONS', { fields: ['type', unused] })
  if (!documents && !selfie && !frames) return
  if (type !== 'liveness' && !documents?.front) throw new Problem('DOCUMENTS_REQUIRED', { needed: 'documents.front' })
  if (type !== 'document' && !selfie) throw new Problem('DOCUMENTS_REQUIRED', { needed: 'selfie' })
}

const AML_DEFAULTS = { lists: ['sanctions', 'pep'], threshold: 0.85, allowSample: false }

/** How the person is screened; undefined if not at all. */
export function readAml({ addons }: VerificationRequest): typeof AML_DEFAULTS | undefined {
  const aml = addons?.aml
  return aml === undefined || aml === false ? undefined : { ...AML_DEFAULTS, ...(aml !== true && aml) }
}
