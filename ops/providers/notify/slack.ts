import { openProviderClient } from '../http/client.ts'
import type { Notice, Notifier, Post } from './contract.ts'
import type { NotifyConfig } from './settings.ts'
import { shorten } from './shorten.ts'
import { postJson } from './webhook.ts'

const MAX_TEXT = 2_900

/** Errors by which Slack says that it will never deliver to this receiver. */
const REFUSALS = new Set(
  ['channel_not_found', 'not_in_channel', 'is_archived', 'user_not_found', 'cannot_dm_bot', 'user_disabled'].concat([
    'restricted_action',
    'no_permission',
    'messages_tab_disabled',
  ]),
)

/** Writes to addresses of incoming webhooks and, with a bot, to channels and users. */
export function openSlack(config: NotifyConfig['slack'], post: Post): Notifier {
  const client =
    config &&
    openProviderClient({
      provider: 'slack',
      baseUrl: config.url,
      headers: { authorization: `Bearer ${config.token}` },
    })
  return {
    async send(to, notice, signal) {
      const message = buildMessage(notice)
      if (to.startsWith('https://') || to.startsWith('http://')) return postJson(post, to, { body: message, signal })
      if (!client) return 'No Slack bot is configured here, so only addresses of incoming webhooks are reached.'
      const json = { channel: to, unfurl_links: false, unfurl_media: false, ...message }
      const answer = (await client({ path: '/chat.postMessage', json, signal })) as { ok?: boolean; error?: string }
      if (answer.ok) return undefined
      const refusal = `Slack answers ${answer.error ?? 'nothing known'}.`
      if (REFUSALS.has(answer.error ?? '')) return refusal
      throw new Error(refusal)
    },
  }
}

/** Plain text, so that nothing of the question is read as markup, mentions or links with other names. */
function buildMessage({ title, text, url }: Notice): object {
  const shown = shorten(text, MAX_TEXT)
  return {
    text: title,
    blocks: [
      { type: 'section', text: { type: 'plain_text', text: `${title}:\n${shown}`, emoji: false } },
      { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Reply' }, url }] },
    ],
  }
}
