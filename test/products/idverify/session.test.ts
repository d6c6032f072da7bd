import { afterAll, beforeAll, expect, test } from 'vitest'
import { REVIEW } from '../../../ops/products/idverify/review-link.ts'
import { addReviewLink } from '../../../sql/idverify/reviews.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { allowReviews } from '../../support/people/reviews.ts'
import { sharedPools } from '../../support/pools/open.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { openParts } from './parts.ts'
import { drawPassport } from './passport.ts'

let api: InProcessApi
let parts: ReturnType<typeof openParts>
let front: string
beforeAll(async () => {
  const [opened, pools, passport] = await Promise.all([
    openInProcessApi({ WEBHOOK_NETWORKS: '127.0.0.0/8' }),
    sharedPools(),
    drawPassport(),
  ])
  api = opened
  front = passport.toString('base64')
  parts = openParts(api, pools)
  await allowReviews(api)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

/** A program that works for the person of a link. */
function openProgram({ hostedUrl }: { hostedUrl: string }) {
  const path = `/v1/idverify/session/${new URL(hostedUrl).pathname.split('/').at(-1)}`
  return async (method: 'GET' | 'POST', verb: string, payload?: object, session?: string) => {
    const headers = session === undefined ? {} : { 'x-verify-session': session }
    const reply = await api.app.inject({ method, url: path + verb, headers, ...(payload && { payload }) })
    return { status: reply.statusCode, body: reply.json() }
  }
}

test('a program does by JSON what the page does, and only the one that has started', async () => {
  const owner = await parts.openOwner()
  const call = openProgram(await owner.begin({ documentTypes: ['passport'], subject: { lastName: 'Muster' } }))
  const { body: first } = await call('GET', '')
  expect(first).toMatchObject({ status: 'created', isStarted: false, sides: [{ side: 'front', isNeeded: true }] })
  expect(JSON.stringify(first)).not.toMatch(/Muster|accountId/)
  expect((await call('POST', '/images', { front })).body.code).toBe('IMAGES_NOT_EXPECTED')
  const { body: started } = await call('POST', '/begin')
  expect(started).toMatchObject({ status: 'started', isStarted: true, session: expect.stringMatching(/^vs_.{43}$/) })
  const { session } = started
  expect((await call('POST', '/begin', undefined, session)).body.session).toBe(session)
  for (const other of [undefined, `vs_${'A'.repeat(43)}`, 'x']) {
    expect((await call('GET', '', undefined, other)).body.code).toBe('SESSION_USED')
    expect((await call('POST', '/images', { front }, other)).status).toBe(410)
  }
  const send = (body: object) => call('POST', '/images', body, session)
  expect((await send({})).body).toMatchObject({ code: 'INPUT_EMPTY', field: 'front' })
  expect((await send({ front: '%%' })).body.code).toBe('INVALID_BASE64')
  expect((await send({ front, selfie: front })).body).toMatchObject({ code: 'INVALID_PARAM', field: 'selfie' })
  expect((await send({ front: Buffer.from('%PDF-1.7').toString('base64') })).body.code).toBe('UNSUPPORTED_FORMAT')
  expect((await send({ front })).body).toMatchObject({ reading: true })
  await parts.read()
  expect((await call('GET', '', undefined, session)).body).toMatchObject({ status: 'manual_review', reading: false })
})

test('reviewers decide by JSON with the token of their link, and nobody else does', async () => {
  const owner = await parts.openOwner()
  const made = await owner.begin({ documents: { front: { inline: front } } })
  await parts.read()
  const { config, db } = api.context
  const token = REVIEW.mint()
  await addReviewLink(db, REVIEW.hash(config.secret, token), 'Ida', 1)
  const call = async (method: 'GET' | 'POST', path: string, authorization?: string, payload?: object) => {
    const headers = { ...(authorization !== undefined && { authorization }) }
    const reply = await api.app.inject({ method, url: `/admin/idverify/${path}`, headers, ...(payload && { payload }) })
    return { status: reply.statusCode, body: reply.json() }
  }
  const { key } = owner as unknown as { key: string }
  for (const other of [undefined, `Bearer idr_${'A'.repeat(43)}`, `Bearer ${key}`]) {
    expect([401, 404]).toContain((await call('GET', 'queue', other)).status)
    expect([401, 404]).toContain((await call('POST', `${made.id}/decision`, other, { decision: 'approved' })).status)
  }
  const bearer = `Bearer ${token}`
  expect((await call('GET', 'queue', bearer)).body.data.at(-1)).toMatchObject({ type: 'document', reasonCodes: [] })
  expect((await call('POST', `${made.id}/decision`, bearer, { decision: 'perhaps' })).status).toBe(400)
  const decided = await call('POST', `${made.id}/decision`, bearer, { decision: 'declined', note: 'Ütƒ 東' })
  expect(decided.body).toMatchObject({ status: 'completed', reasonCodes: ['REVIEWER_DECLINED'] })
  expect((await call('POST', `${made.id}/decision`, bearer, { decision: 'approved' })).body.code).toBe(
    'VERIFICATION_TERMINAL',
  )
  const log = (
    await owner.call('GET', `/v1/audit/idverify/${made.id.replace(/^idv_(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`)
  ).json()
  expect(JSON.stringify(log)).toContain('"reviewer":"Ida"')
})
