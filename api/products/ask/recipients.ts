import { type Static, Type } from 'typebox'
import { Problem } from '#kit'
import type { AskView, RecipientKind } from '../../../sql/ask/asks.ts'
import {
  checkAddresses,
  createTrust,
  DestinationRefused,
  literalAddresses,
  parseDestination,
} from '../../../tasks/formats/web-address/destination.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { Text } from './schema.ts'

export const RecipientBody = Type.Object(
  {
    name: Type.Optional(Text(100)),
    email: Type.Optional(Text(320)),
    slack: Type.Optional(Text(2_048, 'A channel, a user, or the address of an incoming webhook.')),
    telegram: Type.Optional(Text(40, 'The id of a chat, or the @name of a channel.')),
    sms: Type.Optional(Text(20, 'A number such as +491701234567.')),
    webhook: Type.Optional(Text(2_048, 'Is posted the ask as JSON, with the link to reply.')),
    wallet: Type.Optional(Text(42, 'Only its owner can reply; nothing is sent.')),
    channelId: Type.Optional(Text(40, 'A channel of yours, which gets the ask as a message.')),
  },
  {
    additionalProperties: false,
    description: 'One address, and a name if you like; of a name alone there is a link to pass on.',
  },
)

/** Whom to ask, as the database knows them. */
export interface Contact {
  name: string | undefined
  kind: RecipientKind
  address: string | undefined
}

const KIND_OF = {
  ...({ email: 'email', slack: 'slack', telegram: 'telegram', sms: 'sms', webhook: 'webhook' } as const),
  ...({ wallet: 'wallet', channelId: 'channel' } as const),
}
type Field = keyof typeof KIND_OF
const FIELDS = Object.keys(KIND_OF) as Field[]

const FORMS: Record<Field, RegExp> = {
  email: /^[^\s@<>"(),;:\\]+@[^\s@<>"(),;:\\]+$/,
  slack: /^(https?:\/\/|[#@]?[\w.-]{1,80}$)/,
  telegram: /^(-?\d{1,20}|@\w{4,32})$/,
  sms: /^\+[1-9]\d{6,14}$/,
  webhook: /^https?:\/\//,
  wallet: /^0x[0-9a-fA-F]{40}$/,
  channelId: /^chn_[0-9a-f]{32}$/,
}

/** Throws RECIPIENT_INVALID. Who has a name alone is given a link by whoever asks. */
export function readContact(
  { config }: Pick<ApiContext, 'config'>,
  { mode }: Pick<Caller, 'mode'>,
  body: Static<typeof RecipientBody>,
  recipient: string,
): Contact {
  const given = FIELDS.filter(field => body[field] !== undefined)
  const [field] = given
  if (field === undefined && body.name !== undefined) return { name: body.name, kind: 'link', address: undefined }
  if (field === undefined || given.length > 1)
    throw new Problem('RECIPIENT_INVALID', { recipient, reason: `a name, or exactly one of ${FIELDS.join(', ')}` })
  const address = body[field]!
  if (!FORMS[field].test(address))
    throw new Problem('RECIPIENT_INVALID', { recipient, reason: `not a valid ${field}: ${address.slice(0, 100)}` })
  if (/^https?:/.test(address)) requireDestination({ config, mode }, address, recipient)
  const isCaseless = field === 'email' || field === 'wallet'
  return { name: body.name, kind: KIND_OF[field], address: isCaseless ? address.toLowerCase() : address }
}

/** What can be checked without a look-up; the rest is checked when something is sent. */
function requireDestination(
  { config, mode }: Pick<ApiContext, 'config'> & Pick<Caller, 'mode'>,
  address: string,
  recipient: string,
): void {
  try {
    const url = parseDestination(address)
    const isTrusted = createTrust(config.webhookNetworks)
    const addresses = literalAddresses(url, { isTrusted })
    if (addresses) checkAddresses(url, addresses, { isTrusted, allowsPlainHttp: mode === 'test' })
    else if (url.protocol !== 'https:' && mode !== 'test') throw new DestinationRefused('not an https URL')
  } catch (error) {
    if (!(error instanceof DestinationRefused)) throw error
    throw new Problem('RECIPIENT_INVALID', { recipient, reason: error.message })
  }
}

/** Those of an earlier ask who were asked first. */
export function readContacts({ recipients }: Pick<AskView, 'recipients'>): Contact[] {
  const first = recipients.filter(({ step, kind, name }) => step === 0 && (kind !== 'link' || name !== null))
  return first.map(({ name, kind, address }) => ({ name: name ?? undefined, kind, address: address ?? undefined }))
}

/** What an operator sets so that people of a kind can be reached. */
const SET: Partial<Record<RecipientKind, string>> = {
  ...{ email: 'SMTP_URL', slack: 'SLACK_BOT_TOKEN', telegram: 'TELEGRAM_BOT_TOKEN', sms: 'TWILIO_ACCOUNT' },
}

/** Why a recipient cannot be reached by this installation; undefined if he can. */
export function findMissing(
  { config, mail }: Pick<ApiContext, 'config' | 'mail'>,
  { kind, address = '' }: Contact,
): { capability: string; set: string } | undefined {
  const has = {
    email: mail.isSending,
    slack: config.notify.slack !== undefined || /^https?:/.test(address),
    telegram: config.notify.telegram !== undefined,
    sms: config.notify.sms !== undefined,
  }
  const isMissing = kind in has && !has[kind as keyof typeof has]
  return isMissing ? { capability: `notify.${kind}`, set: SET[kind]! } : undefined
}
