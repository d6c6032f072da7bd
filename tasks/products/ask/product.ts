import { Type } from 'typebox'
import { Choice, event, notification, numberSetting, product, transitions } from '#kit'

const NullableText = Type.Union([Type.String(), Type.Null()])
const EVENT = 'bridge.ask.replied'
const MAX_SUBJECT = 100

const ask = product({
  title: 'Asks',
  summary: 'Questions of agents to people, who reply by a page, a mail, a chat or an inbox.',
  family: 'bridge',
  dashboard: { path: '/dashboard/asks', position: 46 },
  states: transitions(
    'svc.ask',
    {
      open: ['partially_replied', 'replied', 'expired', 'defaulted', 'cancelled', 'undeliverable'],
      partially_replied: ['replied', 'expired', 'defaulted', 'cancelled'],
      replied: [],
      expired: [],
      defaulted: [],
      cancelled: [],
      undeliverable: [],
    },
    { replied: EVENT, expired: EVENT, defaulted: EVENT, cancelled: EVENT, undeliverable: EVENT },
  ),
  events: {
    [EVENT]: event({
      of: 'account',
      summary:
        'An ask has ended: it was replied to, its time is over, it was cancelled, or it reached nobody. Sent once for each ask.',
      payload: {
        askId: Type.String(),
        status: Choice(['replied', 'defaulted', 'expired', 'cancelled', 'undeliverable']),
        outcome: Type.Union([Choice(['approved', 'denied', 'choice', 'answered', 'timeout']), Type.Null()], {
          description: 'Null of one that was cancelled or reached nobody. A timeout is no approval.',
        }),
        replies: Type.Array(
          Type.Object({
            recipient: Type.String(),
            decision: NullableText,
            value: Type.Unknown(),
            comment: NullableText,
            editedProposal: Type.Unknown(),
            method: Choice(['api', 'page']),
            repliedAt: Type.String({ format: 'date-time' }),
          }),
        ),
        threadId: Type.String(),
        referenceId: NullableText,
        metadata: Type.Unknown(),
        defaultReply: Type.Unknown({ description: 'Of one with status `defaulted`.' }),
      },
      example: {
        askId: 'ask_019ab3c45d6e7f809a1b2c3d4e5f6071',
        status: 'replied',
        outcome: 'approved',
        replies: [
          {
            recipient: 'Ida',
            decision: 'approved',
            value: null,
            comment: 'Go ahead.',
            editedProposal: null,
            method: 'page',
            repliedAt: '2026-11-24T10:00:00.000Z',
          },
        ],
        threadId: 'ask_019ab3c45d6e7f809a1b2c3d4e5f6071',
        referenceId: 'deploy-42',
        metadata: null,
        defaultReply: null,
      },
    }),
  },
  notifications: {
    'ask.question': notification({
      summary: 'Somebody is asked a question, or reminded of it.',
      data: {
        question: Type.String(),
        name: NullableText,
        isReminder: Type.Boolean(),
        isUrgent: Type.Boolean(),
        expiresAt: Type.String(),
        url: Type.String(),
      },
      secrets: ['url'],
      example: {
        question: 'May I deploy version 42?',
        name: 'Ida',
        isReminder: false,
        isUrgent: false,
        expiresAt: '2026-11-25T10:00:00.000Z',
        url: 'https://coinop.example/r/rpl_example',
      },
      subject: ({ question, isReminder, isUrgent }) =>
        `${isReminder ? 'Reminder: ' : ''}${isUrgent ? 'Urgent: ' : ''}${shorten(question)}`,
      text: ({ question, name, expiresAt, url }) =>
        `${name ? `Hello ${name},\n\n` : ''}you are asked:\n\n${question}\n\nReply until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC here:\n\n${url}\n\nWhoever has this link can reply, so do not pass it on.\n`,
    }),
  },
  problems: {
    ASK_CLOSED: [409, 'The ask has ended; nobody can reply to it any more. Ask again if you still need to.'],
    ALREADY_REPLIED: [409, 'This recipient has replied; the first reply counts.'],
    OPTIONS_REQUIRED: [422, 'An ask of kind choice needs 2 to 20 options with keys of their own.'],
    REPLY_INVALID: [422, 'The reply is not one that was asked for; `path` says where.'],
    RECIPIENT_INVALID: [422, 'A recipient cannot be written to; `recipient` says which one of `to`.'],
    TOO_MANY_ASKS: [409, 'The account has as many open asks as it can have; cancel one or wait for a reply.'],
    REMINDED_RECENTLY: [409, 'The recipients were reminded a moment ago; try again after retryAfterMs.'],
    WRONG_WALLET: [403, 'Only the owner of `wallet` can reply; sign in with that wallet first.'],
  },
  settings: {
    'ask.max_open': numberSetting(1_000, 1, 1_000_000, 'How many open asks one account may have.'),
    'ask.days': numberSetting(90, 1, 3_650, 'How long asks are kept after their end, in days.'),
    'ask.max_file_bytes': numberSetting(
      5_242_880,
      1,
      33_554_432,
      'The largest file that can be attached to an ask or sent as a reply, and the most that all attachments of one have.',
    ),
    'rate.replies_per_minute': numberSetting(
      120,
      1,
      1_000_000,
      'Calls and pages per minute with one reply link, and with such links from one address.',
    ),
  },
  retention: [
    { of: 'asks with their replies, files and logs', after: 'their end and ask.days', removedBy: 'chore ask.forget' },
  ],
  erase: 'ask.erase_account',
  exported: 'ask.export_account',
})

export default ask

/** The first line, as the subject of a mail can have it. */
function shorten(question: string): string {
  const [first] = question.trim().split(/[\r\n]/, 1)
  const characters = [...first!.replaceAll(/\p{Cc}/gu, ' ').trim()]
  return characters.length > MAX_SUBJECT ? `${characters.slice(0, MAX_SUBJECT).join('')}…` : characters.join('')
}

declare module '../../kit/product.ts' {
  interface Products {
    ask: typeof ask
  }
}
