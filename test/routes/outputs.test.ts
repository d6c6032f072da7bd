import { describe, expect, test } from 'vitest'
import { newId } from '#kit'
import { hashApiKey } from '../../ops/secrets.ts'
import { createAccount } from '../../sql/account.ts'
import { rows } from '../../sql/db.ts'
import { createKey } from '../../sql/key.ts'
import { recordOutputs } from '../../sql/object.ts'
import { type FrontDoor, openFrontDoor } from '../support/front-door.ts'

describe('an upload ticket', () => {
  test('uploads one file, which its owner then finds and nobody else', async () => {
    await using door = await openFrontDoor()
    const [owner, other] = [await customer(door), await customer(door)]
    const ticket = await owner.post('/v1/cputools/upload-url', { ext: '.PDF!', contentType: 'application/pdf' })
    expect(ticket.status).toBe(201)
    expect(ticket.body).toMatchObject({
      url: `${door.floor.config.publicUrl}/objects`,
      inputKey: expect.stringMatching(new RegExp(`^scratch/${owner.accountId}/[0-9a-f-]{36}$`)),
      maxBytes: 50 * 2 ** 20,
    })
    expect(minutesUntil(ticket.body.expiresAt)).toBe(60)
    expect(minutesUntil(ticket.body.inputExpiresAt)).toBe(24 * 60)
    expect(await send(door, ticket.body.fields, 'content')).toBe(204)
    const found = await owner.get(`/v1/outputs/${ticket.body.inputKey}`)
    expect(found.body).toEqual({
      outputKey: ticket.body.inputKey,
      url: expect.stringContaining(ticket.body.inputKey),
      sizeBytes: 7,
      contentType: 'application/pdf',
      expiresAt: ticket.body.inputExpiresAt,
    })
    const fetched = await door.app.inject(found.body.url.slice(door.floor.config.publicUrl.length))
    expect([fetched.payload, fetched.headers['content-disposition']]).toEqual([
      'content',
      'attachment; filename="upload.pdf"',
    ])
    expect((await other.get(`/v1/outputs/${ticket.body.inputKey}`)).status).toBe(404)
  })

  test('needs no body', async () => {
    await using door = await openFrontDoor()
    const { accountId, headers } = await customer(door)
    const answer = await door.app.inject({ method: 'POST', url: '/v1/cputools/upload-url', headers })
    expect([answer.statusCode, answer.json().inputKey]).toEqual([201, expect.stringContaining(accountId)])
    expect(answer.json().fields).not.toHaveProperty('Content-Type')
  })

  test.each([
    [{ ext: 'x'.repeat(13) }, 'INVALID_PARAM'],
    [{ contentType: 'x'.repeat(256) }, 'INVALID_PARAM'],
    [{ contentType: 'text/plain\r\nX: y' }, 'INVALID_PARAM'],
    [{ key: 'scratch/mine' }, 'UNKNOWN_FIELD'],
  ])('refuses %j', async (body, code) => {
    await using door = await openFrontDoor()
    expect(await (await customer(door)).post('/v1/cputools/upload-url', body)).toMatchObject({
      status: 400,
      body: { code },
    })
  })

  test('is given to nobody unknown', async () => {
    await using door = await openFrontDoor()
    const answer = await door.app.inject({ method: 'POST', url: '/v1/cputools/upload-url' })
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'MISSING_AUTH'])
  })
})

describe('a stored output', () => {
  test('is found by its whole key, however its slashes are written', async () => {
    await using door = await openFrontDoor()
    const owner = await customer(door)
    const key = await owner.output('turned.pdf')
    for (const path of [key, encodeURIComponent(key)]) {
      const { status, body } = await owner.get(`/v1/outputs/${path}`)
      expect([status, body.outputKey]).toEqual([200, key])
      expect(body.url).toContain('filename=turned.pdf')
    }
  })

  test('is not there for another, for nobody, after its time, or without its bytes', async () => {
    await using door = await openFrontDoor()
    const [owner, other] = [await customer(door), await customer(door)]
    const [key, late, lost] = [await owner.output(), await owner.output(), await owner.output()]
    await rows(door.floor.db, "update svc.object set expires_at = now() - interval '1 second' where key = $1", [late])
    await door.floor.store.remove(lost)
    const answers = [
      await other.get(`/v1/outputs/${key}`),
      await owner.get(`/v1/outputs/${late}`),
      await owner.get(`/v1/outputs/${lost}`),
      await owner.get('/v1/outputs/'),
      await owner.get(`/v1/outputs/${encodeURIComponent(`scratch/../${key}`)}`),
      await owner.get(`/v1/outputs/${encodeURIComponent('../../../etc/passwd')}`),
      await owner.get(`/v1/outputs/${key}%00`),
    ]
    for (const { status, body } of answers) expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
    expect((await door.app.inject(`/v1/outputs/${key}`)).statusCode).toBe(404)
  })

  test('is given out no longer than it lives', async () => {
    await using door = await openFrontDoor()
    const owner = await customer(door)
    const key = await owner.output()
    await rows(door.floor.db, "update svc.object set expires_at = now() + interval '5 minutes' where key = $1", [key])
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

async function customer(door: FrontDoor) {
  const { app, floor } = door
  const { id: accountId } = await createAccount(floor.db)
  const hash = (key: string) => hashApiKey(floor.config.secret, key)
  const key = await createKey(floor.db, { accountId, mode: 'test', hash })
  const headers = { authorization: `Bearer ${key}` }
  const answered = (answer: { statusCode: number; json(): unknown }) => ({
    status: answer.statusCode,
    body: answer.json() as Answer,
  })
  return {
    accountId,
    headers,
    get: async (url: string) => answered(await app.inject({ url, headers })),
    post: async (url: string, payload: object) => answered(await app.inject({ method: 'POST', url, headers, payload })),
    async output(name = 'out.pdf') {
      const stored = `scratch/${accountId}/${newId()}`
      const type = 'application/pdf'
      const { sizeBytes: size } = await floor.store.put(stored, Buffer.from('output'), { contentType: type })
      await recordOutputs(floor.db, accountId, newId(), [{ key: stored, size, type, name, hours: 24 }])
      return stored
    },
  }
}

async function send({ app }: FrontDoor, fields: Record<string, string>, content: string): Promise<number> {
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
