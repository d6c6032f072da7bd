import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { Notifier } from './contract.ts'
import type { NotifyConfig } from './settings.ts'
import { shorten } from './shorten.ts'

const MAX_TEXT = 3_500

/** Writes to chats by their ids. Without a parse mode, the text is not read as markup. */
export function openTelegram({ token, url: baseUrl }: NonNullable<NotifyConfig['telegram']>): Notifier {
  const client = openProviderClient({ provider: 'telegram', baseUrl })
  return {
    async send(to, { title, text, url, isQuiet }, signal) {
      const shown = shorten(text, MAX_TEXT)
      const message = { chat_id: to, text: `${title}:\n${shown}\n\nReply: ${url}` }
      const json = { ...message, link_preview_options: { is_disabled: true }, disable_notification: isQuiet }
      try {
        await client({ path: `/bot${token}/sendMessage`, json, signal })
        return undefined
      } catch (error) {
        if (error instanceof ProviderRefusal) return `Telegram answers: ${readReason(error.body)}.`
        throw error
      }
    },
  }
}

function readReason(body: unknown): string {
  const { description } = (body ?? {}) as { description?: unknown }
  return typeof description === 'string' ? description.slice(0, 200) : 'it refuses the message'
}
