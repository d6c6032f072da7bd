import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

async function openOwner() {
  const owner = await openBatonOwner(api)
  const begin = async (body: object) => {
    const reply = await owner.call('POST', '/v1/idverify/verifications', { type: 'document', ...body })
    return { status: reply.statusCode, body: reply.json() }
  }
  return { ...owner, begin }
}

test.each([
  ['no front', { documents: { back: { inline: 'AA==' } } }, 'DOCUMENTS_REQUIRED'],
  ['no selfie', { type: 'biometric', documents: { front: { inline: 'AA==' } } }, 'DOCUMENTS_REQUIRED'],
  ['no zone', { documents: { front: { inline: 'AA==' }, mrz: 'P<NOTHING' } }, 'MRZ_PARSE_FAILED'],
  ['a selfie for nothing', { selfie: { inline: 'AA==' } }, 'CONFLICTING_OPTIONS'],
  ['a file that is no image', { documents: { front: { inline: 'JVBERi0xLjQK' } } }, 'UNSUPPORTED_FORMAT'],
  ['an upload that is not there', { documents: { front: { inputKey: 'scratch/x/y' } } }, 'INPUT_NOT_FOUND'],
  ['an address that is none', { redirectUrl: 'https://[' }, 'INVALID_PARAM'],
])('%s is refused for free', async (_name, body, code) => {
  const owner = await openOwner()
  expect((await owner.begin(body)).body.code).toBe(code)
  expect(await owner.money()).toEqual([1_000_000n, 0n])
})

test('where nobody reviews, none is sold', async () => {
  const owner = await openOwner()
  const { db, settings } = api.context
  await writeSetting(db, 'idverify.manual_review_enabled', false)
  await settings.refresh()
  const { status, body } = await owner.begin({})
  expect([status, body.code]).toEqual([503, 'PROVIDER_NOT_CONFIGURED'])
  await writeSetting(db, 'idverify.manual_review_enabled', null)
  await settings.refresh()
  expect(await owner.money()).toEqual([1_000_000n, 0n])
})
