import { newId, Problem } from '#kit'
import { seal } from '../../../ops/secrets.ts'
import type { Settings } from '../../../sql/setting.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { priceLease, requireAtMost, requireDuration } from '../lease/index.ts'
import { requireAllowedUrl } from '../webhook/index.ts'
import { parseContentTypes } from './message-reading.ts'

interface MailboxHeaders {
  'X-Duration-Seconds': number
  'X-Capacity-Bytes': number
  'X-Max-Message-Bytes': number
  'X-Max-Messages': number
  'X-Drop-Rate': number
  'X-Allowed-Content-Types'?: string
  'X-Label'?: string
  'X-Webhook-Url'?: string
  'X-Webhook-Secret'?: string
}

/** What a mailbox is to be like by its headers, and what it costs. */
export function planMailbox(settings: Settings, headers: MailboxHeaders) {
  const atMost = (
    header: 'X-Capacity-Bytes' | 'X-Max-Message-Bytes' | 'X-Max-Messages',
    min: number,
    setting: 'lease.mailbox_bytes' | 'lease.message_bytes' | 'lease.messages',
  ) => requireAtMost(header, headers[header], min, settings.get(setting))
  if (headers['X-Webhook-Secret'] !== undefined && headers['X-Webhook-Url'] === undefined)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['X-Webhook-Secret', 'X-Webhook-Url'] })
  const seconds = requireDuration(settings, headers['X-Duration-Seconds'])
  const capacityBytes = atMost('X-Capacity-Bytes', 1_024, 'lease.mailbox_bytes')
  return {
    seconds,
    capacityBytes,
    maxMessageBytes: atMost('X-Max-Message-Bytes', 1, 'lease.message_bytes'),
    maxMessages: atMost('X-Max-Messages', 1, 'lease.messages'),
    dropRate: headers['X-Drop-Rate'],
    contentTypes: parseContentTypes(headers['X-Allowed-Content-Types']),
    label: headers['X-Label'] ?? null,
    price: priceLease(settings, 'mailbox', capacityBytes, seconds),
  }
}

/** The endpoint that is told of each message, if the caller wants one. */
export async function prepareWebhook(
  context: ApiContext,
  caller: Caller,
  { 'X-Webhook-Url': text, 'X-Webhook-Secret': ownSecret }: MailboxHeaders,
  mintedSecret: string,
): Promise<{ id: string; url: string; secret: string } | undefined> {
  if (text === undefined) return undefined
  const url = await requireAllowedUrl(context, caller, text)
  const id = newId()
  return { id, url, secret: seal(context.config.secret, ownSecret ?? mintedSecret, id) }
}
