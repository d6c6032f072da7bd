import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import { LOGO_PATTERN, MAX_LOGO_LENGTH } from './logo.ts'

const PRINTABLE = '^[^\\u0000\\ud800-\\udfff]*$'

export const Text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: PRINTABLE, ...(description && { description }) })

export const LANGUAGES = ['en', 'de', 'fr', 'es'] as const

const PAGE_LANGUAGES = [...LANGUAGES, 'auto'] as const

export const ROLES = ['signer', 'witness', 'approver', 'viewer', 'cc'] as const

const VERIFICATIONS = ['none', 'email_otp', 'access_code', 'sms_otp', 'wallet', 'idverify'] as const

export const DELIVERIES = ['email', 'link', 'none'] as const

export const Email = (description?: string) =>
  Type.String({
    pattern: '^[^\\s\\u0000\\ud800-\\udfff@<>"(),;:\\\\]+@[^\\s\\u0000\\ud800-\\udfff@<>"(),;:\\\\]+$',
    maxLength: 320,
    ...(description && { description }),
  })

const Address = (description: string) => Type.String({ maxLength: 2_000, pattern: '^https?://', description })

export const RecipientBody = Type.Object(
  {
    name: Text(200, 'Without emoji, for which the documents have no font.'),
    email: Type.Optional(Email('Needed for delivery by email. Two recipients may have the same.')),
    phone: Type.Optional(Type.String({ pattern: '^\\+[1-9]\\d{6,14}$', description: 'Such as +491701234567.' })),
    role: Choice(ROLES, {
      default: 'signer',
      description:
        'A signer or witness signs, an approver agrees, a viewer may read along, cc gets the result. The envelope waits for the first three.',
    }),
    order: Type.Integer({
      minimum: 1,
      maximum: 25,
      default: 1,
      description: 'With `signingOrder: "sequential"`: when.',
    }),
    language: Type.Optional(Choice(PAGE_LANGUAGES, { description: 'Of the mails, the page and the consent.' })),
    delivery: Type.Optional(Choice(DELIVERIES)),
    verification: Type.Optional(Choice(VERIFICATIONS)),
    accessCode: Type.Optional(Text(100, 'What the recipient must type; tell it to them yourself.')),
    wallet: Type.Optional(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'That must sign.' })),
    verificationId: Type.Optional(
      Type.String({
        pattern: '^idv_[0-9a-f]{32}$',
        description: 'With verification idverify: a verification of yours for this person, which must be approved.',
      }),
    ),
    redirectUrl: Type.Optional(Address('Where the page leads when they are done.')),
    message: Type.Optional(Text(5_000, 'For this recipient, in place of that for all.')),
    metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: false },
)

export type RecipientTerms = Static<typeof RecipientBody>

const Reminders = Type.Object(
  {
    firstAfterDays: Type.Integer({ minimum: 1, maximum: 30, default: 3 }),
    everyDays: Type.Integer({ minimum: 1, maximum: 30, default: 3 }),
    max: Type.Integer({ minimum: 0, maximum: 10, default: 3 }),
  },
  { additionalProperties: false, default: { firstAfterDays: 3, everyDays: 3, max: 3 } },
)

export const ENVELOPE_OPTIONS = {
  subject: Type.Optional(Text(255, 'Of mails; filled in as `message`.')),
  message: Type.Optional(
    Text(5_000, 'Plain text; `{{recipient.name}} {{title}} {{sender}} {{link}} {{expiresAt}}` are filled in.'),
  ),
  signingOrder: Choice(['parallel', 'sequential'], {
    default: 'parallel',
    description: 'Sequential: by `order`; nobody has access before their turn.',
  }),
  delivery: Type.Optional(
    Choice(DELIVERIES, {
      description: 'By default `email` where mail is configured, else `link`: pass on each signingUrl.',
    }),
  ),
  reminders: Reminders,
  expiresInDays: Type.Integer({ minimum: 1, maximum: 365, default: 30 }),
  allowDecline: Type.Boolean({ default: true }),
  allowReassign: Type.Boolean({ default: false }),
  allowDownloadBeforeSigning: Type.Boolean({ default: true }),
  singleSession: Type.Boolean({
    default: false,
    description: 'A link serves only the first browser.',
  }),
  verification: Choice(VERIFICATIONS, {
    default: 'none',
    description: 'Besides having the link.',
  }),
  redirectUrl: Type.Optional(Address('After signing.')),
  declineRedirectUrl: Type.Optional(Address('After declining.')),
  embedOrigins: Type.Array(Type.String({ pattern: '^https?://[\\w.:-]+$', maxLength: 255 }), {
    maxItems: 10,
    default: [],
    description: 'Who may show the page in a frame.',
  }),
  ccOnComplete: Type.Array(Email(), { maxItems: 10, default: [], description: 'Who gets the result by mail.' }),
  referenceId: Type.Optional(Text(128, 'Yours.')),
  metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
  language: Choice(PAGE_LANGUAGES, {
    default: 'auto',
    description: 'auto: as the browser asks; mails in English.',
  }),
  timezone: Type.String({
    ...{ default: 'UTC', maxLength: 64, pattern: '^[A-Za-z0-9_+/-]+$' },
    description: 'Such as Europe/Berlin, for dates and reminders.',
  }),
  dateFormat: Choice(['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY'], { default: 'YYYY-MM-DD' }),
  branding: Type.Optional(
    Type.Object(
      {
        name: Type.Optional(Text(100, 'Of the sender.')),
        color: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Of the certificate.' })),
        logo: Type.Optional(
          Type.String({
            ...{ pattern: LOGO_PATTERN, maxLength: MAX_LOGO_LENGTH },
            description: 'On the page of signers and the certificate: a data URI of a PNG or JPEG of up to 32 kB.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  ),
  certificate: Choice(['appended', 'separate', 'both'], { default: 'appended' }),
  seal: Type.Object(
    { level: Type.Optional(Choice(['B-B', 'B-T'], { description: 'B-T has a timestamp.' })) },
    { additionalProperties: false, default: {} },
  ),
}

export const EnvelopeOptions = Type.Object(ENVELOPE_OPTIONS)

export type EnvelopeTerms = Static<typeof EnvelopeOptions>

export type Language = (typeof LANGUAGES)[number]

/** The language where none can be asked for. */
export function toLanguage(set: string): Language {
  return LANGUAGES.find(one => one === set) ?? 'en'
}
