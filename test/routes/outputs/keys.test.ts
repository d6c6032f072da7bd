import { describe, expect, test } from 'vitest'
import { newId } from '#kit'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { recordOutputs } from '../../../sql/object.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

describe('an upload ticket', () => {
  test('uploads one file, which only its owner finds', async () => {
    await using api = await openInProcessApi()
    const [owner, other] = [await createCustomer(api), await createCustomer(api)]
    const ticket = await owner.post('/v1/cputools/upload-url', { ext: '.PDF!', contentType: 'application/pdf' })
    expect(ticket.status).toBe(201)
    expect(ticket.body).toMatchObject({
      url: `${api.context.config.publicUrl}/objects`,
      inputKey: expect.stringMatching(new RegExp(`^scratch/${owner.accountId}/[0-9a-f-]{36}$`)),
      maxBytes: 50 * 2 ** 20,
    })
    expect(minutesUntil(ticket.body.expiresAt)).toBe(60)
    expect(minutesUntil(ticket.body.inputExpiresAt)).toBe(24 * 60)
    expect(await uploadForm(api, ticket.body.fields, 'content')).toBe(204)
    const found = await owner.get(`/v1/outputs/${ticket.body.inputKey}`)
    expect(found.body).toEqual({
      outputKey: ticket.body.inputKey,
      url: expect.stringContaining(ticket.body.inputKey),
      sizeBytes: 7,
      contentType: 'application/pdf',
      expiresAt: ticket.body.inputExpiresAt,
    })
    const fetched = await api.app.inject(found.body.url.slice(api.context.config.publicUrl.length))
    expect([fetched.payload, fetched.headers['content-disposition']]).toEqual([
      'content',
      'attachment; filename="upload.pdf"',
    ])
    expect((await other.get(`/v1/outputs/${ticket.body.inputKey}`)).status).toBe(404)
  })

  test('needs no body', async () => {
    await using api = await openInProcessApi()
    const { accountId, headers } = await createCustomer(api)
    const answer = await api.app.inject({ method: 'POST', url: '/v1/cputools/upload-url', headers })
    expect([answer.statusCode, answer.json().inputKey]).toEqual([201, expect.stringContaining(accountId)])
    expect(answer.json().fields).not.toHaveProperty('Content-Type')
  })

  test.each([
    [{ ext: 'x'.repeat(13) }, 'INVALID_PARAM'],
    [{ contentType: 'x'.repeat(256) }, 'INVALID_PARAM'],
    [{ contentType: 'text/plain\r\nX: y' }, 'INVALID_PARAM'],
    [{ key: 'scratch/mine' }, 'UNKNOWN_FIELD'],
  ])('refuses %j', async (body, code) => {
    await using api = await openInProcessApi()
    expect(await (await createCustomer(api)).post('/v1/cputools/upload-url', body)).toMatchObject({
      status: 400,
      body: { code },
    })
  })

  test('needs credentials', async () => {
    await using api = await openInProcessApi()
    const answer = await api.app.inject({ method: 'POST', url: '/v1/cputools/upload-url' })
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'MISSING_AUTH'])
  })
})

describe('a stored output', () => {
  test('is found by its complete key, with its slashes encoded or not', async () => {
    await using api = await openInProcessApi()
    const owner = await createCustomer(api)
    const key = await owner.output('turned.pdf')
    for (const path of [key, encodeURIComponent(key)]) {
      const { status, body } = await owner.get(`/v1/outputs/${path}`)
      expect([status, body.outputKey]).toEqual([200, key])
      expect(body.url).toContain('filename=turned.pdf')
    }
  })

  test('is not found by another account, without credentials, after it expired, or without its bytes', async () => {
    await using api = await openInProcessApi()
    const [owner, other] = [await createCustomer(api), await createCustomer(api)]
    const [key, expired, missing] = [await owner.output(), await owner.output(), await owner.output()]
    await rows(api.context.db, "update svc.object set expires_at = now() - interval '1 second' where key = $1", [
      expired,
    ])
    await api.context.store.remove(missing)
    const answers = [
      await other.get(`/v1/outputs/${key}`),
      await owner.get(`/v1/outputs/${expired}`),
      await owner.get(`/v1/outputs/${missing}`),
      await owner.get('/v1/outputs/'),
      await owner.get(`/v1/outputs/${encodeURIComponent(`scratch/../${key}`)}`),
      await owner.get(`/v1/outputs/${encodeURIComponent('../../../etc/passwd')}`),
      await owner.get(`/v1/outputs/${key}%00`),
    ]
    for (const { status, body } of answers) expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
    expect((await api.app.inject(`/v1/outputs/${key}`)).statusCode).toBe(404)
  })

  test('gets an address that expires with it', async () => {
    await using api = await openInProcessApi()
    const owner = await createCustomer(api)
    const key = await owner.output()
    await rows(api.context.db, "update svc.object set expires_at = now() + interval '5 minutes' where key = $1", [key])
    const { body } = await owner.get(`/v1/outputs/${key}`)
    const ends = Number(new URL(body.url).searchParams.get('expires')) * 1000
    expect(minutesUntil(new Date(ends).toISOString())).toBe(5)
  })
})

interface Answer {
  code: string
  url: string
  fields: Record<string, string>
  inputKey: string
  outputKey: string
  expiresAt: string
  inputExpiresAt: string
}

async function createCustomer(api: InProcessApi) {
  const { app, context } = api
  const { id: accountId } = await createAccount(context.db)
  const hash = (key: string) => hashApiKey(context.config.secret, key)
  const key = await createKey(context.db, { accountId, mode: 'test', hash })
  const headers = { authorization: `Bearer ${key}` }
  const toAnswer = (answer: { statusCode: number; json(): unknown }) => ({
    status: answer.statusCode,
    body: answer.json() as Answer,
  })
  return {
    accountId,
    headers,
    get: async (url: string) => toAnswer(await app.inject({ url, headers })),
    post: async (url: string, payload: object) => toAnswer(await app.inject({ method: 'POST', url, headers, payload })),
    async output(name = 'out.pdf') {
      const stored = `scratch/${accountId}/${newId()}`
      const type = 'application/pdf'
      const { sizeBytes: size } = await context.store.put(stored, Buffer.from('output'), { contentType: type })
      await recordOutputs(context.db, accountId, newId(), [{ key: stored, size, type, name, hours: 24 }])
      return stored
    },
  }
}

async function uploadForm({ app }: InProcessApi, fields: Record<string, string>, content: string): Promise<number> {
  const form = new FormData()
  for (const [name, text] of Object.entries(fields)) form.append(name, text)
  form.append('file', new Blob([content]), 'a.bin')
  const { headers, body } = new Response(form)
  const payload = Buffer.from(await new Response(body).arrayBuffer())
  const type = headers.get('content-type')!
  return (await app.inject({ method: 'POST', url: '/objects', payload, headers: { 'content-type': type } })).statusCode
}

function minutesUntil(at: string): number {
  return Math.round((Date.parse(at) - Date.now()) / 60_000)
}
