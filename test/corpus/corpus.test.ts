import { expect, test } from 'vitest'
import { loadOperation, loadOperations } from '../../tasks/index.ts'
import { plainPdf } from '../support/pdf.ts'
import type { Call, Reply } from './ask.ts'
import { bodiesOf } from './bodies.ts'
import { callsFor } from './calls.ts'
import { judge } from './judge.ts'
import { mutantsOf } from './mutant-samples.ts'
import { sampleOf } from './sample.ts'
import { madeSamples } from './samples.ts'

const operations = await loadOperations()
const sample = sampleOf('pdf', 'two.pdf', () => plainPdf(2))
const operation = await loadOperation('pdf.rotate')
const call: Call = { operation, sample, body: bodiesOf(operation)[0]! }
const declared = new Set(['PDF_PARSE_FAILED'])

function replyOf(part: Partial<Reply>): Reply {
  return { status: 200, saidMicros: 0n, paidMicros: 0n, heldMicros: 0n, ms: 1, request: {}, ...part }
}

function rotated(bytes: Buffer, sizeBytes = bytes.length): Reply {
  const output = { inline: bytes.toString('base64'), sizeBytes, contentType: 'application/pdf' }
  return replyOf({ answer: { output, rotatedPages: 2 }, saidMicros: 2000n, paidMicros: 2000n })
}

test('every operation that takes a file is asked with one', () => {
  const taking = operations.filter(({ input }) => JSON.stringify(input).includes('"x-file"'))
  const left = taking.filter(each => !bodiesOf(each).some(({ takes }) => takes === 'file'))
  expect(left.map(({ name }) => name)).toEqual([])
})

test.each([
  ['a fault of ours', replyOf({ status: 500, code: 'INTERNAL' }), 'server fault'],
  ['no end', replyOf({ status: 0 }), 'no end'],
  ['a charge for a failure', replyOf({ status: 422, code: 'PDF_PARSE_FAILED', paidMicros: 1n }), 'charged'],
  ['money that stays on hold', replyOf({ status: 422, code: 'PDF_PARSE_FAILED', heldMicros: 1n }), 'charged'],
  ['a code that is not declared', replyOf({ status: 422, code: 'MERGE_CONFLICT' }), 'undeclared'],
  ['an answer of another shape', replyOf({ answer: {} }), 'misshapen'],
  ['an output that is none', rotated(Buffer.from('%PDF-1.7 and nothing else')), 'unreadable'],
  ['an output of another length', rotated(plainPdf(2), 7), 'unreadable'],
])('sees %s', async (_, reply, kind) => {
  const { failures } = await judge(call, reply, declared)
  expect(failures.map(failure => failure.kind)).toContain(kind)
})

test('has nothing to say of what is right', async () => {
  expect((await judge(call, rotated(plainPdf(2)), declared)).failures).toEqual([])
  const refused = replyOf({ status: 422, code: 'PDF_PARSE_FAILED' })
  expect((await judge(call, refused, declared)).failures).toEqual([])
})

test('chance goes by the seed', async () => {
  const bytesOf = async (seed: number) => Promise.all(mutantsOf([sample], seed).map(mutant => mutant.bytes()))
  expect(await bytesOf(1)).toEqual(await bytesOf(1))
  expect(await bytesOf(1)).not.toEqual(await bytesOf(2))
  const samples = madeSamples(1)
  expect(samples.length).toBeGreaterThan(200)
  expect(new Set(samples.map(({ name }) => name)).size).toBe(samples.length)
  const choice = { seed: 1, only: ['pdf/merge:bomb'], isThorough: false }
  const names = callsFor(operations, samples, choice).map(each => `${each.operation.name} ${each.sample.name}`)
  expect(names.length).toBeGreaterThan(2)
  expect(names.every(name => /^pdf\.merge .*bomb/.test(name))).toBe(true)
})
