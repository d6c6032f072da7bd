import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi({ PUBLIC_URL: 'https://api.example' })
})
afterAll(() => api[Symbol.asyncDispose]())

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('both packages are the same in every process, named by their content, and sent once', async () => {
  await using other = await openInProcessApi({ PUBLIC_URL: 'https://api.example' })
  const [npm, cli, address, whole] = await Promise.all(
    ['/sdk.tgz', '/cli.tgz', '/sdk.txt', '/sdk.whl'].map(url => api.app.inject(url)),
  )
  expect(hashOf(cli!.rawPayload)).toBe(hashOf(npm!.rawPayload))
  expect(npm!.headers).toMatchObject({ 'content-type': 'application/gzip', 'cache-control': 'public, max-age=60' })
  // A client of HTTP would unpack it on the way.
  expect(
    (await api.app.inject({ url: '/sdk.tgz', headers: { 'accept-encoding': 'gzip' } })).headers,
  ).not.toHaveProperty('content-encoding')
  const asked = { url: '/sdk.tgz', headers: { 'if-none-match': String(npm!.headers.etag) } }
  expect((await api.app.inject(asked)).statusCode).toBe(304)
  expect(hashOf((await other.app.inject('/sdk.tgz')).rawPayload)).toBe(hashOf(npm!.rawPayload))
  const wheel = address!.body.trim()
  expect(wheel).toMatch(/^https:\/\/api\.example\/sdk\/coinop-\d+\.\d+\.\d+-py3-none-any\.whl$/)
  const found = await api.app.inject(new URL(wheel).pathname)
  expect(whole!.headers['content-disposition']).toContain(wheel.split('/').at(-1))
  expect(hashOf(whole!.rawPayload)).toBe(hashOf(found.rawPayload))
  expect(found.rawPayload.subarray(0, 2).toString()).toBe('PK')
  expect((await other.app.inject(new URL(wheel).pathname)).headers.etag).toBe(found.headers.etag)
  const older = await api.app.inject('/sdk/coinop-0.0.1-py3-none-any.whl')
  expect([older.statusCode, older.json()]).toEqual([404, expect.objectContaining({ current: wheel })])
})

test('the package has no dependencies, no types in its scripts and no key of ours', async () => {
  const tar = gunzipSync((await api.app.inject('/sdk.tgz')).rawPayload).toString('latin1')
  const manifest = JSON.parse(/package\/package\.json[^{]*(\{[\s\S]*?\n\})/.exec(tar)![1]!) as object
  expect(manifest).toMatchObject({ name: 'coinop', bin: { coinop: 'bin.js' } })
  expect(Object.keys(manifest).filter(name => /dependencies/i.test(name))).toEqual([])
  expect(tar).not.toMatch(/from '[^']+\.ts'/)
  expect(tar).not.toContain(api.context.config.secret)
})

test('the page about the clients prints the commands of this installation', async () => {
  const { body } = await api.app.inject('/docs/sdk')
  expect(body).toContain('npm install https://api.example/sdk.tgz')
  expect(body).toContain('pip install $(curl -s https://api.example/sdk.txt)')
})
