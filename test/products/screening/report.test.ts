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

/** The text of a report, laid out as on its pages. */
async function readText({ output }: { output: { inline: string } }): Promise<string> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'report.pdf')
  await writeFile(path, Buffer.from(output.inline, 'base64'))
  return (await run('pdftotext', ['-layout', path, '-'])).stdout
}

test('a report has all that was asked, searched, found and dismissed, and nothing of others', async () => {
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
  const text = (await readText(made)).replaceAll(/\s+/g, ' ')
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

test('words of the tables are whole however long the title of a list is, and only what is longer than a line is broken', async () => {
  const title = `Persons and organizations that our correspondent banks have declined ${'Z'.repeat(80)}`
  const file = { text: 'name,born\nWilhelmina Unwanted,1961-04-17\n' }
  await customer.post('/v1/screening/load-list', { title, file, columns: { dob: 'born' } })
  const asked = { name: 'Wilhelmina Unwanted', dob: '1961-04-17', lists: ['sanctions', 'custom'] }
  const { body: screened } = await customer.post('/v1/screening/match', asked)
  const text = await readText(await report({ screeningId: screened.screeningId }))
  for (const row of [
    /^ *sanctions +us_ofac_sdn +not loaded/m,
    /^ *sanctions +coverage: none$/m,
    /^ *custom +Persons /m,
  ])
    expect(text).toMatch(row)
  for (const word of ['organizations', 'correspondent', 'Compared', 'Likeness']) expect(text).toContain(word)
  expect(text.match(/Z{5,}/g)!.join('')).toHaveLength(80)
})
