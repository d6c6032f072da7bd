import { Type } from 'typebox'
import type { SigningView } from '../../../../sql/esigndoc/signing.ts'
import { chooseConsent } from '../../../../tasks/products/esigndoc/index.ts'
import { toLanguage } from '../../../../tasks/products/esigndoc/terms.ts'
import { FieldReply, NullableText, STATUSES } from '../schema.ts'
import { buildWalletProof } from './proving.ts'

const Any = Type.Object({}, { additionalProperties: true })

export const SignerParam = Type.Object({
  token: Type.String({ maxLength: 100, description: 'The end of a signingUrl: `sgn_…`.' }),
})

export const SignerReply = Type.Object({
  id: Type.String(),
  status: Type.Enum(STATUSES),
  title: Type.String(),
  sender: Type.String(),
  message: NullableText,
  language: Type.String(),
  timezone: Type.String(),
  dateFormat: Type.String(),
  expiresAt: Type.String(),
  recipient: Any,
  isAdmitted: Type.Boolean({
    description: 'Without it there are neither documents nor fields: prove who you are first.',
  }),
  verification: Type.String({ description: 'How to prove it.' }),
  walletProof: Type.Union([Any, Type.Null()], { description: 'What the wallet signs, with verification `wallet`.' }),
  allowDecline: Type.Boolean(),
  allowReassign: Type.Boolean(),
  files: Type.Array(Any, { description: 'With the sizes of the pages, in points.' }),
  fields: Type.Array(FieldReply, { description: 'What others have filled in, and with `isOwn` what you fill in.' }),
  others: Type.Array(Any),
  consent: Type.Object({ version: Type.String(), text: Type.String() }),
  session: Type.Optional(
    Type.String({ description: 'For programs without cookies: send it as the header X-Signing-Session.' }),
  ),
})

/** What a recipient, or a program in their place, sees. */
export function describeForSigner(view: SigningView, mark?: string): object {
  const { recipient, files, fields, language } = view
  const { uuid: _uuid, ...shown } = recipient
  return {
    ...{ id: view.id, status: view.status, title: view.title, sender: view.sender, message: view.message, language },
    ...{ timezone: view.timezone, dateFormat: view.dateFormat, expiresAt: view.expiresAt, recipient: shown },
    ...{ isAdmitted: view.isAdmitted, verification: view.verification },
    walletProof: view.wallet === null ? null : buildWalletProof(view, Math.floor(Date.now() / 1_000)),
    ...{ allowDecline: view.allowDecline, allowReassign: view.allowReassign, fields, others: view.others },
    files: files.map(({ name, pages }) => ({ name, pages })),
    consent: chooseConsent(toLanguage(language), recipient.role),
    ...(mark !== undefined && { session: mark }),
  }
}

export const SIGNER_ERRORS = ['NOT_FOUND', 'LINK_EXPIRED', 'NOT_YOUR_TURN', 'RATE_LIMITED'] as const

export const ACTING_ERRORS = [
  ...SIGNER_ERRORS,
  ...(['RECIPIENT_ALREADY_SIGNED', 'RECIPIENT_DONE', 'VERIFICATION_REQUIRED', 'LINK_IN_USE', 'INVALID_PARAM'] as const),
]

export const VALUE_ERRORS = [
  ...(['FIELD_INVALID', 'INPUT_EMPTY', 'INPUT_TOO_LARGE', 'UNSUPPORTED_FORMAT', 'SIGNATURE_EMPTY', 'BUSY'] as const),
  ...(['IMAGE_DECODE_FAILED', 'TOO_MANY_PIXELS', 'INVALID_BASE64'] as const),
]
