import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from '../../../sql/ledger.ts'
import { type S3Server, startS3Server } from '../../support/servers/s3.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let s3: S3Server
let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  s3 = await startS3Server()
  const { bucket, url, keys } = s3
  const places = { S3_BUCKET: bucket, S3_ENDPOINT: url, S3_REGION: keys.region, S3_FORCE_PATH_STYLE: 'true' }
  api = await openInProcessApi({
    ...places,
    S3_ACCESS_KEY_ID: keys.accessKeyId,
    S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
  })
  owner = await openBatonOwner(api, 10_000_000n)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
  await s3[Symbol.asyncDispose]()
})

test('a read for which the store is too busy can be repeated, and burns nothing', async () => {
  const content = 'x'.repeat(20_000)
  const { tokens } = await owner.create({ preset: 'pass', tier: 'femto', content })
  const read = () => api.app.inject(`/v1/baton/${tokens[0].id}`)
  for (let attempt = 0; attempt < 3; attempt++) s3.failNext(request => request.method === 'GET', 503)
  const busy = await read()
  expect([busy.statusCode, busy.json().code, busy.headers['retry-after']]).toEqual([503, 'BUSY', '1'])
  expect([(await read()).body, (await read()).statusCode]).toEqual([content, 410])
})

test('a file that is replaced while it is taken over counts as what was taken', async () => {
  const { id, tokens, upload } = await owner.create({ preset: 'pass', tier: 'femto', requestPresignedUpload: true })
  const put = (text: string) =>
    s3.objects.set(upload.fields.key, { bytes: Buffer.from(text), contentType: 'text/plain', modifiedAt: new Date() })
  put('the first one')
  s3.failNext(({ method, url }) => {
    if (method === 'GET' && url!.includes(upload.fields.key)) put('another')
    return false
  }, 500)
  const answer = await api.app.inject(`/v1/baton/${tokens[0].id}`)
  expect([answer.body, answer.headers['content-length']]).toEqual(['another', '7'])
  expect((await owner.call('GET', `/v1/baton/${id}`)).statusCode).toBe(410)
})
