import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { Notifier } from './contract.ts'
import type { NotifyConfig } from './settings.ts'
import { shorten } from './shorten.ts'

const MAX_TEXT = 300

/** Sends SMS. A long question is on the page, so only its beginning is paid for. */
export function openTwilio({ account, token, from, url }: NonNullable<NotifyConfig['sms']>): Notifier {
  const authorization = `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`
  const client = openProviderClient({ provider: 'twilio', baseUrl: url, headers: { authorization } })
  return {
    async send(to, { text, url: link }, signal) {
      const shown = shorten(text, MAX_TEXT)
      const body = new URLSearchParams({ To: to, From: from, Body: `${shown}\n${link}` })
      try {
        await client({ path: `/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`, body, signal })
        return undefined
      } catch (error) {
        if (error instanceof ProviderRefusal) return `Twilio answers: ${readReason(error.body)}.`
        throw error
      }
    },
  }
}

function readReason(body: unknown): string {
  const { message } = (body ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message.slice(0, 200) : 'it refuses the message'
}
