import { expect } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { openBatonOwner } from '../stack/baton-owner.ts'
import type { InProcessApi } from '../stack/in-process-api.ts'
import { openWakingApi } from '../stack/waking-api.ts'

export const [YES, NO] = [{ decision: 'approved' }, { decision: 'denied' }] as const

export interface AskApi extends InProcessApi {
  openOwner(): ReturnType<typeof openOwner>
  /** Replies without an account. */
  reply(token: string, payload: object): Promise<{ status: number; body: Record<string, unknown> }>
}

/** An api that wakes calls that wait, and what is needed to ask and to reply. */
export async function openAskApi(env: Record<string, string> = {}): Promise<AskApi> {
  const api = await openWakingApi(env)
  return {
    ...api,
    openOwner: () => openOwner(api),
    reply: async (token, payload) => {
      const answer = await api.app.inject({ method: 'POST', url: `/v1/bridge/reply/${token}`, payload })
      return { status: answer.statusCode, body: answer.json() }
    },
  }
}

async function openOwner(api: InProcessApi) {
  const owner = await openBatonOwner(api)
  const own = async (method: 'GET' | 'POST', path: string, payload?: object, headers = {}) => {
    const reply = await owner.call(method, `/v1/bridge/asks${path}`, payload, headers)
    return { status: reply.statusCode, body: reply.json() }
  }
  const ask = async (body: object) => {
    const { status, body: created } = await own('POST', '', { question: 'May I?', ...body })
    expect(status, JSON.stringify(created)).toBe(201)
    const tokens = created.replyUrls.map(({ url }: { url: string }) => tokenOf(url)) as string[]
    return { id: created.id as string, tokens, created }
  }
  await owner.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['bridge.ask.replied'] })
  const events = async () => {
    const found = await rows<{ payload: Record<string, unknown> }>(
      api.context.db,
      `select d.payload from svc.webhook_delivery d join svc.webhook_endpoint e on e.id = d.endpoint_id
       where e.account_id = $1 order by d.sequence`,
      [owner.accountId],
    )
    return found.map(({ payload }) => payload)
  }
  return { ...owner, own, ask, events }
}

export function tokenOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1)!
}

/** The id as the database has it. */
export function uuidOf(ask: string): string {
  return ask.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** As if so much time had gone by for an ask. */
export async function ageAsk({ context }: InProcessApi, id: string, seconds: number): Promise<void> {
  await rows(
    context.db,
    `with asked as (update svc.ask set expires_at = expires_at - make_interval(secs => $2),
       reminders = array(select t - make_interval(secs => $2) from unnest(reminders) t) where id = $1 returning id)
     update svc.ask_recipient r set ask_at = ask_at - make_interval(secs => $2) from asked where r.ask_id = asked.id`,
    [uuidOf(id), seconds],
  )
}
