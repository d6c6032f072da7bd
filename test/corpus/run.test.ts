import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadOperation, loadOperations } from '../../tasks/index.ts'
import { plainPdf } from '../support/pdf/document.ts'
import type { Call, Reply } from './ask.ts'
import { listBodies } from './bodies.ts'
import { planCalls } from './calls.ts'
import { judge } from './judge.ts'
import { buildSamples } from './samples/all.ts'
import { createSample } from './samples/kinds.ts'
import { buildMutants } from './samples/mutations.ts'

const operations = await loadOperations()
const sample = createSample('pdf', 'two.pdf', () => plainPdf(2))
const operation = await loadOperation('pdf.rotate')
const call: Call = { operation, sample, body: listBodies(operation)[0]! }
const declared = new Set(['PDF_PARSE_FAILED'])

function createReply(part: Partial<Reply>): Reply {
  return { status: 200, reportedMicros: 0n, paidMicros: 0n, heldMicros: 0n, ms: 1, request: {}, ...part }
}

function createRotatedReply(bytes: Buffer, sizeBytes = bytes.length): Reply {
  const output = { inline: bytes.toString('base64'), sizeBytes, contentType: 'application/pdf' }
  return createReply({ answer: { output, rotatedPages: 2 }, reportedMicros: 2000n, paidMicros: 2000n })
}

test('every operation that takes a file is called with one', () => {
  const fileOperations = operations.filter(({ input }) => JSON.stringify(input).includes('"x-file"'))
  const uncovered = fileOperations.filter(each => !listBodies(each).some(({ takes }) => takes === 'file'))
  expect(uncovered.map(({ name }) => name)).toEqual([])
})

test.each([
  ['an internal error', createReply({ status: 500, code: 'INTERNAL' }), 'server fault'],
  ['a call without a result', createReply({ status: 0 }), 'no result'],
  ['a charge for a failure', createReply({ status: 422, code: 'PDF_PARSE_FAILED', paidMicros: 1n }), 'charged'],
  ['an amount that stays held', createReply({ status: 422, code: 'PDF_PARSE_FAILED', heldMicros: 1n }), 'charged'],
  ['an undeclared code', createReply({ status: 422, code: 'MERGE_CONFLICT' }), 'undeclared'],
  ['an answer that does not match the schema', createReply({ answer: {} }), 'schema mismatch'],
  ['an unreadable output', createRotatedReply(Buffer.from('%PDF-1.7 and nothing else')), 'unreadable'],
  ['an output of another length than reported', createRotatedReply(plainPdf(2), 7), 'unreadable'],
])('reports %s', async (_, reply, kind) => {
  const { failures } = await judge(call, reply, declared)
  expect(failures.map(failure => failure.kind)).toContain(kind)
})

test('reports nothing for a correct reply', async () => {
  expect((await judge(call, createRotatedReply(plainPdf(2)), declared)).failures).toEqual([])
  const refused = createReply({ status: 422, code: 'PDF_PARSE_FAILED' })
  expect((await judge(call, refused, declared)).failures).toEqual([])
})

test('compares the size that the answer to an image states with that of the file', async () => {
  const image = await loadOperation('image.resize')
  const png = readFileSync('tasks/samples/gradient.png')
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const output = { inline: png.toString('base64'), sizeBytes: png.length, contentType: 'image/png' }
  const judgeSize = async (stated: number) => {
    const answer = { output, image: { width: stated, height, format: 'png' } }
    const reply = createReply({ answer, reportedMicros: 1000n, paidMicros: 1000n })
    const { failures } = await judge({ ...call, operation: image }, reply, declared)
    return failures.filter(({ kind }) => kind === 'unreadable').map(({ detail }) => detail)
  }
  expect(await judgeSize(width)).toEqual([])
  expect(await judgeSize(7)).toEqual([`image/png: the answer says 7x${height}, the file ${width}x${height}`])
})

test('random samples and their order depend only on the seed', async () => {
  const bytesOf = async (seed: number) => Promise.all(buildMutants([sample], seed).map(mutant => mutant.bytes()))
  expect(await bytesOf(1)).toEqual(await bytesOf(1))
  expect(await bytesOf(1)).not.toEqual(await bytesOf(2))
  const samples = buildSamples(1)
  expect(samples.length).toBeGreaterThan(200)
  expect(new Set(samples.map(({ name }) => name)).size).toBe(samples.length)
  const choice = { seed: 1, only: ['pdf/merge:bomb'], isThorough: false }
  const names = planCalls(operations, samples, choice).map(each => `${each.operation.name} ${each.sample.name}`)
  expect(names.length).toBeGreaterThan(2)
  expect(names.every(name => /^pdf\.merge .*bomb/.test(name))).toBe(true)
})
