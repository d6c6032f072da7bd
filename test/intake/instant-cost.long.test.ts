import { describe, expect, test } from 'vitest'
import { isInstantCall, mapFiles, runWithoutTools } from '#kit'
import { makeInputReady } from '../../api/intake/files/stage-files.ts'
import { CASES } from '../../tasks/formats/words/casing.ts'
import { loadOperations, type NamedOperation } from '../../tasks/index.ts'
import { ALGORITHMS } from '../../tasks/utils/hash/digest.ts'
import { deepList, makeWideRows, toToken } from '../support/intake/costly-inputs.ts'
import { listSchemaErrors } from '../support/operations/run.ts'

/** The yardstick takes 8 ms of a quiet machine, and a run may keep the api busy for 20. Both take longer on a busy one. */
const MAX_YARDSTICKS = 2.5
const RUNS = 6
/** On a busy machine few runs are not interrupted, so that more of them are tried. */
const MAX_RUNS = 100
const repeat = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))

type Body = Record<string, unknown>

/** The dearest inputs that we know of, for every operation that may run in the api. */
const WORST: Record<string, (bytes: number) => Body[]> = {
  'csv.convert': bytes =>
    ['json', 'ndjson', 'csv'].flatMap(to => [
      { file: { text: makeWideRows(bytes) }, to, types: 'infer' },
      { file: { text: makeWideRows(bytes) }, to, jsonShape: 'columns' },
      { file: { text: `a,b\n${repeat('"""",1\n', bytes)}` }, to, types: 'infer' },
      { file: { text: repeat('a,', bytes) }, to },
    ]),
  'csv.dedupe': bytes =>
    ['most-complete', 'last'].flatMap(keep => [
      { file: { text: makeWideRows(bytes) }, keep, caseInsensitive: true, reportDuplicates: true, outFormat: 'json' },
      { file: { text: `a\n${repeat('é\n', bytes)}` }, keep, caseInsensitive: true, reportDuplicates: true },
    ]),
  'text.case': bytes =>
    ['a', 'aA', 'a ', 'a. ', 'ij ', 'é\n', '\n', 'ß', '𝒜', "a'", '1a', 'a: '].flatMap(piece =>
      ['und', 'tr', 'lt'].flatMap(locale =>
        CASES.map(to => ({ text: repeat(piece, bytes), to, locale, lines: piece === '\n', keepAcronyms: true })),
      ),
    ),
  'utils.base64': bytes =>
    ['base64', 'base32', 'base85', 'hex'].flatMap(encoding => [
      { action: 'encode', encoding, text: repeat('é', bytes) },
      ...['<', '{"a":', '[0,', 'a,b\n', '\u0000', '%PDF-'].map(piece => ({
        action: 'decode',
        encoding: 'base64',
        text: Buffer.from(repeat(piece, (bytes * 3) / 4)).toString('base64'),
      })),
      { action: 'decode', encoding, lenient: true, text: repeat(encoding === 'hex' ? '4 1 ' : 'AEBA\n', bytes) },
    ]),
  'utils.hash': bytes => [
    { text: repeat('é', bytes), algorithms: [...ALGORITHMS] },
    { files: Array.from({ length: 100 }, () => ({ text: repeat('a', bytes / 100) })), algorithms: [...ALGORITHMS] },
  ],
  'utils.hmac': bytes => [
    { text: repeat('é', bytes), key: 'k', algorithm: 'sha512' },
    {
      preset: 'stripe',
      key: 'k',
      body: '',
      headers: { 'stripe-signature': `t=${nowSec()},${repeat('v1=00,', 8000)}` },
    },
  ],
  'utils.jwt-decode': bytes =>
    [`{"a":[${repeat('0,', bytes * 0.7)}0]}`, `{"a":"${repeat('\\"', bytes * 0.7)}"}`, `{"a":${deepList(190)}}`].map(
      payload => ({ token: toToken(payload) }),
    ),
  'utils.uuid': () => ['1', '4', '6', '7', 'ulid', 'nanoid', 'ksuid'].map(version => ({ version, count: 1000 })),
}

function nowSec(): number {
  return Math.floor(Date.now() / 1000)
}

const instant = (await loadOperations()).filter(operation => operation.instant)

test('every operation that may run in the api uses no tools and has its worst input here', () => {
  expect(instant.map(({ name }) => name).sort()).toEqual(Object.keys(WORST).sort())
  expect(instant.filter(({ uses, wait }) => uses.length > 0 || wait === 'ticket')).toEqual([])
})

/** The input of a call as the api has it in memory. */
async function stageInMemory(operation: NamedOperation, body: Body): Promise<unknown> {
  const input = structuredClone(body)
  expect(listSchemaErrors(operation.input, input)).toEqual([])
  const staged = await mapFiles(operation.input, input, source => {
    const { text, name } = source as { text: string; name?: string }
    const bytes = Buffer.from(text)
    return { inline: bytes.toString('base64'), type: 'text/plain', sizeBytes: bytes.length, name, options: {} }
  })
  return makeInputReady(operation.input, staged)
}

const YARDSTICK = JSON.stringify(
  Array.from({ length: 8_000 }, (_, id) => ({ id, name: `row ${id}`, value: id / 7, tags: ['a', 'b'] })),
)

/** How often the yardstick could be read and written anew while a run goes on and its answer is written; the least of some runs. */
async function compare(operation: NamedOperation, body: Body): Promise<number> {
  let [leastRunMs, leastYardstickMs] = [Infinity, Infinity]
  for (let run = 0; run < RUNS || (leastRunMs > MAX_YARDSTICKS * leastYardstickMs && run < MAX_RUNS); run++) {
    const input = await stageInMemory(operation, body)
    const startedMs = performance.now()
    const { result } = await runWithoutTools(operation, input)
    JSON.stringify(result)
    const endedMs = performance.now()
    JSON.stringify(JSON.parse(YARDSTICK))
    leastRunMs = Math.min(leastRunMs, endedMs - startedMs)
    leastYardstickMs = Math.min(leastYardstickMs, performance.now() - endedMs)
  }
  return leastRunMs / leastYardstickMs
}

describe.each(instant.map(operation => [operation.name, operation] as const))('%s', (name, operation) => {
  test('costs little for its worst input', async () => {
    const tooDear: string[] = []
    for (const body of WORST[name]!(operation.instant!.maxBytes)) {
      expect(isInstantCall(operation, body, operation.instant!.maxBytes)).toBe(true)
      const yardsticks = await compare(operation, body)
      if (yardsticks > MAX_YARDSTICKS)
        tooDear.push(`${yardsticks.toFixed(1)} for ${JSON.stringify(body).slice(0, 120)}`)
    }
    expect(tooDear).toEqual([])
  })
})
