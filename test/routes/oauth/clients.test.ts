import { randomBytes } from 'node:crypto'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../../api/oauth/scopes.ts'
import { createSignInLink } from '../../../ops/providers/sign-in/link.ts'
import { createLink } from '../../../sql/session.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

/** The secret that startStack configures. */
const SECRET = 'a secret of the tests alone'
const INFO = { name: 'test', version: '1' }

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer(5_000_000n)
})
afterAll(() => stack[Symbol.asyncDispose]())

/** The cookie of a browser that is signed in to the account of the customer. */
async function signIn(): Promise<string> {
  const { url, hash } = createSignInLink({ secret: SECRET, publicUrl: stack.url })
  await createLink(stack.db, { hash, accountId: customer.accountId, minutes: 15 })
  const reply = await fetch(url, { method: 'POST', redirect: 'manual', headers: { origin: stack.url } })
  return reply.headers
    .getSetCookie()
    .find(line => line.startsWith('svc_session='))!
    .split(';')[0]!
}

/** Approves as a user would, and returns the address to which the browser is sent. */
async function approve(authorizationUrl: URL, cookie: string): Promise<URL> {
  const page = await fetch(authorizationUrl, { headers: { cookie } })
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(await page.text()) ?? []
  const reply = await fetch(authorizationUrl, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: stack.url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ csrf, decision: 'approve', day: '1' }).toString(),
  })
  return new URL(reply.headers.get('location')!)
}

interface Tokens {
  access_token: string
  refresh_token?: string
  token_type: string
}

/** What an application keeps; the official clients call it for every step. */
class Provider {
  readonly redirectUrl = 'http://127.0.0.1:39999/callback'
  readonly clientMetadata = { client_name: 'Official client', redirect_uris: [this.redirectUrl] }
  readonly stateText = randomBytes(8).toString('hex')
  authorizationUrl: URL | undefined
  #client: unknown
  #tokens: Tokens | undefined
  #verifier = ''

  state(): string {
    return this.stateText
  }
  clientInformation(): unknown {
    return this.#client
  }
  saveClientInformation(client: unknown): void {
    this.#client = client
  }
  tokens(): Tokens | undefined {
    return this.#tokens
  }
  saveTokens(tokens: Tokens): void {
    this.#tokens = tokens
  }
  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }
  codeVerifier(): string {
    return this.#verifier
  }
}

const url = () => new URL(`${stack.url}/mcp`)
const HASH = { name: 'utils_hash', arguments: { text: 'abc', algorithms: ['md5'] } }
const MD5 = { hashes: { md5: '900150983cd24fb0d6963f7d28e17f72' } }

test('the official client registers, is approved, calls and refreshes', async () => {
  const cookie = await signIn()
  const provider = new Provider()
  const open = () =>
    new StreamableHTTPClientTransport(url(), { authProvider: provider as unknown as OAuthClientProvider })
  const client = new Client(INFO)
  let transport = open()
  await client.connect(transport as never)
  await expect(client.callTool({ name: 'account_profile', arguments: {} })).rejects.toBeInstanceOf(UnauthorizedError)
  const asked = provider.authorizationUrl!
  expect(asked.searchParams.get('scope')).toBe(SCOPES.join(' '))
  const returned = await approve(asked, cookie)
  expect(returned.searchParams.get('iss')).toBe(stack.url)
  expect(returned.searchParams.get('state')).toBe(provider.stateText)
  await transport.finishAuth(returned.searchParams.get('code')!)
  const profile = await client.callTool({ name: 'account_profile', arguments: {} })
  expect(profile.structuredContent).toMatchObject({ balanceMicros: '5000000' })

  expect((await client.callTool(HASH)).structuredContent).toMatchObject(MD5)
  await client.close()

  // A token that is refused is replaced by the refresh token, without the user.
  const before = provider.tokens()!
  provider.saveTokens({ ...before, access_token: `svc_access_${'x'.repeat(43)}` })
  provider.authorizationUrl = undefined
  transport = open()
  const later = new Client(INFO)
  await later.connect(transport as never)
  expect((await later.callTool(HASH)).structuredContent).toMatchObject(MD5)
  expect(provider.tokens()!.refresh_token).not.toBe(before.refresh_token)
  expect(provider.authorizationUrl).toBeUndefined()
  await later.close()
  expect((await customer.money()).balance).toBe(4_998_000n)
})

test('the official client of the second generation does the same', async () => {
  const cookie = await signIn()
  const provider = new Provider()
  const transport = new ModernTransport(url(), { authProvider: provider as never })
  const client = new ModernClient(INFO, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  await expect(client.callTool({ name: 'account_profile', arguments: {} })).rejects.toThrow()
  const returned = await approve(provider.authorizationUrl!, cookie)
  await transport.finishAuth(returned.searchParams)
  expect((await client.callTool(HASH)).structuredContent).toMatchObject(MD5)
  await client.close()
})
