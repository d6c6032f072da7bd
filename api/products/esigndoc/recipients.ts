import { newId, Problem } from '#kit'
import { deriveLink, hashLink } from '../../../ops/products/esigndoc/links.ts'
import { hashToken } from '../../../ops/secrets.ts'
import type { LinkRow, NewRecipient } from '../../../sql/esigndoc/envelopes.ts'
import { requireWritable } from '../../../tasks/products/esigndoc/mark.ts'
import { signs } from '../../../tasks/products/esigndoc/place.ts'
import type { RecipientTerms } from '../../../tasks/products/esigndoc/terms.ts'
import type { ApiContext } from '../../context.ts'
import { parseVerificationId } from '../idverify/index.ts'
import type { OptionsRequest } from './envelope-body.ts'

type Context = Pick<ApiContext, 'config' | 'mail' | 'settings'>

/** Whom an envelope goes to, with what is not said of each. Throws what cannot be done here, before anything is charged. */
export function planRecipients(context: Context, options: OptionsRequest): NewRecipient[] {
  const asked = options.recipients.map((recipient, index) => planRecipient(context, options, recipient, index))
  const copied = options.ccOnComplete.map(email => ({
    ...asCopy(context, options, email),
  }))
  if (asked.length + copied.length > 25)
    throw new Problem('INVALID_PARAM', { field: 'ccOnComplete', reason: 'at most 25 recipients in all' })
  return [...asked, ...copied]
}

function asCopy(context: Context, { language }: OptionsRequest, email: string): NewRecipient {
  const id = newId()
  return {
    ...{ id, name: email, email: email.toLowerCase(), phone: undefined, role: 'cc' as const, turn: 25, language },
    ...{ delivery: 'email', verification: 'none', accessCodeHash: undefined, wallet: undefined },
    verificationId: undefined,
    ...{ redirectUrl: undefined, message: undefined, metadata: undefined, ...newLink(context, id) },
  }
}

function planRecipient(
  context: Context,
  options: OptionsRequest,
  recipient: RecipientTerms,
  index: number,
): NewRecipient {
  const id = newId()
  const { name, email, phone, role, order, accessCode, wallet, redirectUrl, message, metadata } = recipient
  const field = `recipients/${index}`
  requireWritable(name, `${field}/name`, 'INVALID_PARAM')
  const delivery = chooseDelivery(context, options, recipient, field)
  const acts = signs(recipient) || role === 'approver'
  const verification = recipient.verification ?? (acts ? options.verification : 'none')
  requireVerifiable(context, recipient, verification, field)
  if (redirectUrl !== undefined) requireUrl(`${field}/redirectUrl`, redirectUrl)
  return {
    ...{ id, name: name.trim() || name, email: email?.toLowerCase(), phone, role, turn: order },
    ...{ language: recipient.language ?? options.language, delivery, verification, wallet: wallet?.toLowerCase() },
    accessCodeHash:
      verification === 'access_code' ? toBytea(hashCode(context.config.secret, id, accessCode!)) : undefined,
    verificationId: recipient.verificationId && parseVerificationId(recipient.verificationId),
    ...{ redirectUrl, message, metadata, ...newLink(context, id) },
  }
}

export function requireUrl(field: string, url: string): void {
  if (!URL.canParse(url)) throw new Problem('INVALID_PARAM', { field })
}

function chooseDelivery(
  { mail }: Context,
  options: OptionsRequest,
  { delivery, email }: RecipientTerms,
  field: string,
): string {
  const chosen = delivery ?? options.delivery ?? (mail.isSending && email ? 'email' : 'link')
  if (chosen === 'email' && email === undefined) throw new Problem('MISSING_FIELD', { field: `${field}/email` })
  return chosen
}

const NEEDS = {
  email_otp: 'email',
  sms_otp: 'phone',
  access_code: 'accessCode',
  wallet: 'wallet',
  idverify: 'verificationId',
} as const

/** How a recipient proves who they are must be possible here, and with what is known of them. */
function requireVerifiable(
  { config, mail, settings }: Context,
  recipient: RecipientTerms,
  verification: string,
  field: string,
): void {
  const needed = NEEDS[verification as keyof typeof NEEDS]
  if (needed !== undefined && recipient[needed] === undefined)
    throw new Problem('MISSING_FIELD', { field: `${field}/${needed}`, neededBy: verification })
  if (verification === 'email_otp' && !mail.isSending)
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'notify.email', set: 'SMTP_URL' })
  if (verification === 'sms_otp' && config.notify.sms === undefined)
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'notify.sms', set: 'TWILIO_ACCOUNT' })
  const setting = 'idverify.manual_review_enabled'
  if (verification === 'idverify' && !config.identity && !settings.get(setting))
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'idverify', set: setting })
}

/** A link that follows from the id of a recipient and a new nonce. */
export function newLink({ config: { secret } }: Pick<Context, 'config'>, recipientId: string): LinkRow {
  const linkNonce = newId()
  return { linkNonce, tokenHash: toBytea(hashLink(secret, deriveLink(secret, recipientId, linkNonce))) }
}

/** Codes are short, so each is hashed for its recipient. */
export function hashCode(secret: string, recipientId: string, code: string): Buffer {
  return hashToken(secret, 'envelope-code', `${recipientId} ${code.trim()}`)
}

export function toBytea(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}
