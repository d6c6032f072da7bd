import { CASES } from '../../../../tasks/formats/words/casing.ts'
import { ALGORITHMS } from '../../../../tasks/utils/hash/digest.ts'

const repeat = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))

/** The dearest inputs that we know of, for every operation that may run in the api. */
export const COSTLY_INPUTS: Record<string, (bytes: number) => Record<string, unknown>[]> = {
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

/** A JSON web token without a signature. */
export function toToken(payload: string): string {
  const part = Buffer.from(payload).toString('base64url')
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${part}.`
}

/** A list of rows of which each has a column of its own. */
export function makeWideRows(bytes: number): string {
  return `[${Array.from({ length: Math.floor(bytes / 12) }, (_, row) => `{"${row.toString(36)}":0}`).join(',')}]`
}

export function deepList(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}
