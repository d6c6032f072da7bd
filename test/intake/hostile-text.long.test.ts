import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { value } from '../../sql/db.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await startStack()
  customer = await stack.customer()
})
afterAll(() => stack[Symbol.asyncDispose]())

const NAMES = [
  ['NUL', 'a\u0000b.txt', 'ab.txt'],
  ['half a surrogate pair', 'a\ud800b.txt', 'ab.txt'],
  ['a pair that the limit cuts', `${'a'.repeat(250)}😀😀`, `${'a'.repeat(250)}.txt`],
] as const
const CALLS = [
  ['utils/base64', { action: 'encode', text: 'abc', outFormat: 'file' }],
  ['text/template', { template: 'a', outFormat: 'file' }],
] as const

async function readOutputNames(): Promise<string[]> {
  return value(stack.db, 'select array_agg(name order by created_at) from svc.object', [])
}

test.each(NAMES)('%s in `filename` is left out', async (_name, filename, kept) => {
  for (const [path, body] of CALLS) {
    const answer = await customer.post(`/v1/${path}`, { ...body, filename })
    expect([path, answer.status, answer.text]).toEqual([path, 200, expect.stringContaining('outputKey')])
    expect((await readOutputNames()).at(-1)).toBe(kept)
  }
})

test.each(NAMES)('%s in the name of an attachment is left out', async (_name, given) => {
  const inline = (await readFile('tasks/samples/letter.pdf')).toString('base64')
  const attachments = [{ file: { text: 'x' }, name: given, description: given }]
  const added = await customer.post('/v1/pdf/attachments', { file: { inline }, action: 'add', attachments })
  expect(added.status).toBe(200)
  const file = { inline: added.body.output.inline }
  const extracted = await customer.post('/v1/pdf/attachments', { file, action: 'extract' })
  expect([extracted.status, extracted.body.files?.length]).toEqual([200, 1])
})

test.each([
  ['letters', 'a'],
  ['doubled quotes', '"'],
])('a cell of 40 MB of %s is converted or refused, without another attempt', async (_name, mark) => {
  const cell = Buffer.alloc(40_000_000, mark)
  const body = Buffer.concat([Buffer.from('a,b\n1,"'), cell, Buffer.from('"\n')])
  const headers = { 'content-type': 'text/csv', prefer: 'respond-async' }
  const answer = await customer.request('/v1/csv/convert?to=json', { method: 'POST', body, headers })
  expect(answer.status).toBe(202)
  const job = await customer.waitForEnd(answer.body.id, 100_000)
  expect([job.status, job.error?.code]).toEqual(['succeeded', undefined])
})
