import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshFolder } from '../../support/machine/folder.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

const run = promisify(execFile)

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer(1_000_000n)
})
afterAll(() => stack[Symbol.asyncDispose]())

async function report(body: object, by = customer) {
  const sent = await by.post('/v1/screening/report', body, { prefer: 'wait=60' })
  if (sent.status !== 202) return sent.body
  const { result, error } = await by.waitForEnd(sent.body.ticket as string, 120_000)
  return result ?? error
}

test('a report has all that was asked, searched, found and dismissed, and nothing of others', async () => {
  await using folder = await freshFolder()
  const hostile = '<img src=x onerror=alert(1)> & "Quexington"'
  const asked = {
    name: 'Quexington Zorblatt',
    dob: '1961-04-17',
    address: hostile,
    referenceId: 'case-7',
    allowSample: true,
  }
  const { body: screened } = await customer.post('/v1/screening/match', asked)
  const { screeningId } = screened
  const reason = 'Another person of this name.'
  await customer.post(`/v1/screening/matches/${screeningId}/dismissals`, { entityId: 'sample:s-1', reason })
  const before = (await customer.money()).balance
  const made = await report({ screeningId, title: 'Onboarding check', note: 'Decided by <b>Ida</b>.\nSecond line.' })
  expect(made).toMatchObject({ screeningId, status: 'match', matches: 1, output: { contentType: 'application/pdf' } })
  expect(before - (await customer.money()).balance).toBe(5_000n)
  const path = join(folder.path, 'report.pdf')
  await writeFile(path, Buffer.from(made.output.inline, 'base64'))
  const { stdout } = await run('pdftotext', ['-layout', path, '-'])
  const text = stdout.replaceAll(/\s+/g, ' ')
  for (const part of [
    ...['Onboarding check', 'Quexington Zorblatt', screeningId, 'case-7', screened.queryHash, '1961-04-17', hostile],
    ...['Decided by <b>Ida</b>. Second line.', 'sample:s-1', 'coverage: sample', reason, 'threshold 0.85'],
    ...['invented', screened.matches[0].entryHash, screened.matches[0].score.toFixed(3)],
  ])
    expect(text).toContain(part)
  expect(text).toMatch(/ 1 of \d/)

  const other = await stack.customer(1_000_000n)
  for (const [id, by] of [
    [screeningId, other],
    ['scr_00000000-0000-7000-8000-000000000000', customer],
  ] as const)
    expect(await report({ screeningId: id }, by)).toMatchObject({ code: 'NOT_FOUND', field: 'screeningId' })
  expect(await report({ screeningId, record: {} })).toMatchObject({ code: 'UNKNOWN_FIELD' })
  expect((await other.money()).balance).toBe(1_000_000n)
})
