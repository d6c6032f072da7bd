import { createHash, randomBytes } from 'node:crypto'
import { makeCsrfToken } from '../../../api/intake/identity/csrf.ts'
import { hashToken } from '../../../ops/secrets.ts'
import { createAccount, creditAccount } from '../../../sql/account.ts'
import { startSession } from '../../../sql/session.ts'
import type { InProcessApi } from '../stack/in-process-api.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const REDIRECT_URI = 'https://client.example/callback'

/** A signed-in browser of a new account. */
export async function openVisitor({ app, context }: InProcessApi, balanceMicros = 5_000_000n) {
  const { db, config } = context
  const { id: accountId } = await createAccount(db)
  if (balanceMicros > 0n) await creditAccount(db, { accountId, amountMicros: balanceMicros })
  const word = randomBytes(32).toString('base64url')
  await startSession(db, hashToken(config.secret, 'session', word), { accountId, openedBy: null })
  const cookie = `svc_session=${word}`
  const csrf = makeCsrfToken(config, word)
  return {
    accountId,
    cookie,
    csrf,
    get: (url: string) => app.inject({ url, headers: { cookie } }),
    post: (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      app.inject({
        method: 'POST',
        url,
        headers: { cookie, origin: config.publicUrl, ...FORM, ...headers },
        payload: new URLSearchParams({ csrf, ...fields }).toString(),
      }),
  }
}

export type Visitor = Awaited<ReturnType<typeof openVisitor>>

/** A client that registered itself, with the steps it takes. What a step changes is up to the test. */
export async function openOAuthClient({ app, context }: InProcessApi, redirectUri = REDIRECT_URI) {
  const registered = await app.inject({
    method: 'POST',
    url: '/oauth/register',
    payload: { client_name: 'Test client', redirect_uris: [redirectUri] },
  })
  const clientId = registered.json<{ client_id: string }>().client_id
  const verifier = randomBytes(32).toString('base64url')
  const resource = `${context.config.publicUrl}/mcp`
  const address = (changes: Record<string, string | undefined> = {}) => {
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const all = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'a state',
      resource,
      scope: 'mcp:read mcp:write',
      ...changes,
    }
    const pairs = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
    return `/oauth/authorize?${new URLSearchParams(pairs).toString()}`
  }
  const send = async (url: string, fields: Record<string, string>) => {
    const reply = await app.inject({
      method: 'POST',
      url,
      headers: FORM,
      payload: new URLSearchParams(fields).toString(),
    })
    return { status: reply.statusCode, headers: reply.headers, body: reply.json<Record<string, string>>() }
  }
  const approve = async (visitor: Visitor, changes?: Record<string, string | undefined>, day = '5') => {
    const reply = await visitor.post(address(changes), { decision: 'approve', day })
    return new URL(String(reply.headers.location)).searchParams.get('code') ?? ''
  }
  const redeem = (code: string, changes: Record<string, string> = {}) =>
    send('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
      resource,
      ...changes,
    })
  const refresh = (token: string, changes: Record<string, string> = {}) =>
    send('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...changes })
  const revoke = (token: string, changes: Record<string, string> = {}) =>
    send('/oauth/revoke', { client_id: clientId, token, ...changes })
  const connect = async (visitor: Visitor, changes?: Record<string, string | undefined>, day?: string) =>
    (await redeem(await approve(visitor, changes, day), changes?.resource ? { resource: changes.resource } : {})).body
  return { clientId, resource, address, approve, redeem, refresh, revoke, connect, registered }
}
