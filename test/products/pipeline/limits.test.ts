import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeSetting } from '../../../sql/setting.ts'
import { openAccountKey } from '../../support/mcp/key.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
let key: string
beforeAll(async () => {
  api = await openInProcessApi()
  const account = await openAccountKey(api.context, 0n)
  key = account.key
})
afterAll(() => api[Symbol.asyncDispose]())

const STRIP = { op: 'image/exif-strip' }
const UPPER = { op: 'text/case', params: { to: 'upper' } }

/** A pipeline is checked when it is saved as when it is called. */
async function save(steps: object[]) {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await api.app.inject({ method: 'PUT', url: '/v1/pipelines/photos', headers, payload: { steps } })
  return { status: answer.statusCode, body: answer.json() as Record<string, unknown> }
}

test('ten steps may work on files, beside those on tables and texts; the refusal of more tells another way', async () => {
  const others = [...Array(10).fill({ op: 'data/slice', input: 'table', params: { limit: 1 } }), UPPER]
  const steps = [...Array(10).fill(STRIP), ...others]
  expect(await save(steps)).toMatchObject({ status: 201 })
  expect((await save([...steps, { ...STRIP, input: 'photo' }])).body).toMatchObject({
    code: 'PIPELINE_INVALID',
    stepIndex: 21,
    max: 10,
    set: 'pipeline.max_file_steps',
    instead: expect.stringContaining('outputKey'),
  })
})

test('an operator can forbid steps on files', async () => {
  await writeSetting(api.context.db, 'pipeline.allow_files', false)
  await api.context.settings.refresh()
  expect(await save([UPPER, STRIP])).toMatchObject({
    status: 403,
    body: {
      code: 'MODE_DISABLED',
      set: 'pipeline.allow_files',
      instead: expect.stringContaining('"inputKey"'),
      step: 'step2',
      stepIndex: 1,
      op: 'image/exif-strip',
    },
  })
})
