import { expect } from 'vitest'
import { LETTER, SIGNATURE } from '../../products/esigndoc/parts.ts'
import type { WebhookReceiver } from '../servers/webhook-receiver.ts'
import type { Answer } from '../stack/client.ts'
import type { Outcome } from '../stack/held-locks.ts'
import type { Role } from '../stack/role.ts'
import { complete, makeBatch, sendAll, sign, uuidOf, type Walked, type Walks } from './walks.ts'

const PATH = '/v1/esigndoc/envelopes'
/** What is told of an envelope that two have signed. */
export const DONE = ['sent', 'viewed', 'signed', 'viewed', 'signed', 'completed']

/** A call that is made again until it is done: the first answer is lost. */
export interface Act {
  envelope: string
  call(): Promise<Answer>
  /** Statuses and codes that say that it is done, by this call or the one before. */
  done: readonly (number | string)[]
  /** All that is told of the envelope in the end. */
  events: readonly string[]
}

export interface Home {
  walks: Walks
  api: Role
  worker: Role
  receiver: WebhookReceiver
  codes: (title: string) => Promise<string>
  /** What must have been told in the end, by envelope. */
  expected: { title: string; walked: Walked; events: readonly string[] }[]
  /** Calls that wait until a lost one is over. */
  late: Promise<unknown>[]
}

type Planned = Omit<Act, 'envelope'>

async function note(
  home: Home,
  outcome: Outcome,
  plans: Record<string, (walked: Walked) => Planned[]>,
): Promise<Act[]> {
  const titles = Object.keys(plans).map(title => `${title} ${outcome}`)
  const sent = await sendAll(home.walks, titles)
  return titles.flatMap(title => {
    const walked = sent.get(title)!
    const planned = plans[title.slice(0, -outcome.length - 1)]!(walked)
    home.expected.push({ title, walked, events: planned[0]!.events })
    return planned.map(act => ({ ...act, envelope: title }))
  })
}

export function planSignersCalls(home: Home, outcome: Outcome): Promise<Act[]> {
  const { walks } = home
  const { customer } = walks
  const to = { name: 'Bo', email: 'bo@example.com' }
  const call = (made: () => Promise<Answer>, events: string[], done: (number | string)[] = [200]): Planned[] => [
    { call: made, events, done },
  ]
  return note(home, outcome, {
    opened: ({ tokens: [first] }) => call(() => sign(walks, first!, 'open'), ['sent', 'viewed']),
    signed: ({ tokens: [first] }) => call(() => complete(walks, first!), ['sent', 'viewed', 'signed']),
    last: ({ tokens }) => tokens.flatMap(token => call(() => complete(walks, token), DONE)),
    declined: ({ tokens: [first] }) =>
      call(() => sign(walks, first!, 'decline', { reason: 'No.' }), ['sent', 'viewed', 'rejected']),
    reassigned: ({ tokens: [first] }) =>
      call(() => sign(walks, first!, 'reassign', to), ['sent'], [200, 'LINK_EXPIRED']),
    cancelled: ({ id }) =>
      call(() => customer.delete(`${PATH}/${id}`), ['sent', 'cancelled'], [200, 'ENVELOPE_TERMINAL']),
  })
}

/** Those of owners, and those before the signing. */
export async function planOwnersCalls(home: Home, outcome: Outcome): Promise<Act[]> {
  const { walks, codes } = home
  const { customer } = walks
  const acts = await note(home, outcome, {
    'code asked': ({ tokens: [first] }) => [
      { call: () => sign(walks, first!, 'otp'), events: ['sent'], done: [202, 'CODE_SENT_RECENTLY'] },
    ],
    'code given': ({ tokens: [first] }) => [
      {
        call: async () => sign(walks, first!, 'verify', { code: await codes(`code given ${outcome}`) }),
        ...{ events: ['sent', 'viewed'], done: [200, 'CODE_WRONG'] },
      },
    ],
    saved: ({ tokens: [first] }) => [
      {
        call: () => sign(walks, first!, 'fields', { values: { note: 'kept' } }),
        ...{ events: ['sent', 'viewed'], done: [200] },
      },
    ],
    resent: ({ id }) => [
      { call: () => customer.post(`${PATH}/${id}/resend`, {}), events: ['sent'], done: [200, 'RESENT_RECENTLY'] },
    ],
    changed: ({ id }) => [
      {
        call: () => customer.request(`${PATH}/${id}`, { method: 'PATCH', body: { title: 'Another' } }),
        ...{ events: ['sent'], done: [200] },
      },
    ],
  })
  const asked = home.expected.find(({ title }) => title === `code given ${outcome}`)!
  expect((await sign(walks, asked.walked.tokens[0]!, 'otp')).status).toBe(202)
  await codes(asked.title)
  return [...acts, await planSend(home, outcome), await planCreate(home, outcome)]
}

const toKey = (title: string) => title.replaceAll(' ', '-')

async function planSend(home: Home, outcome: Outcome): Promise<Act> {
  const { customer } = home.walks
  const title = `draft ${outcome}`
  const { rows: drafts } = await makeBatch(home.walks, [title], false)
  const id = drafts[0]!.envelopeId
  const events = ['sent']
  home.expected.push({ title, walked: { id, uuid: uuidOf(id), tokens: [] }, events })
  const call = () => customer.post(`${PATH}/${id}/send`, {}, { 'idempotency-key': toKey(title) })
  return { envelope: title, call, events, done: [200] }
}

async function planCreate(home: Home, outcome: Outcome): Promise<Act> {
  const title = `created ${outcome}`
  const body = { file: await LETTER(), title, recipients: [{ name: 'Ida' }], fields: [SIGNATURE] }
  const events = ['sent']
  const call = async () => {
    const answer = await home.walks.customer.post(PATH, body, { 'idempotency-key': toKey(title) })
    const { id } = answer.body as { id: string }
    if (answer.status === 201) home.expected.push({ title, walked: { id, uuid: uuidOf(id), tokens: [] }, events })
    return answer
  }
  return { envelope: title, call, events, done: [201] }
}
