import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasProgram, PYTHON, runProgram } from '../../support/machine/programs.ts'
import { runOperation } from '../../support/operations/run.ts'

const make = async (body: Record<string, unknown>, now?: Date) =>
  (await runOperation('utils.uuid', body, now)).uuids as string[]
const inspect = (text: string) => runOperation('utils.uuid', { inspect: text })

/** RFC 9562 appendix A. */
test.each([
  ['3', 'dns', 'www.example.com', '5df41881-3aed-3515-88a7-2f4a814cf09e'],
  ['5', 'dns', 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
  [5, '6BA7B810-9DAD-11D1-80B4-00C04FD430C8', 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
])('version %s of a name in %s is the published one', async (version, namespace, name, expected) => {
  expect(await make({ version, namespace, name })).toEqual([expected])
})

describe('reads', () => {
  const at = '2022-02-22T19:22:22.000Z'

  test.each([
    [
      'C232AB00-9414-11EC-B3C8-9F6BDECED846',
      { version: 1, timestamp: at, clockSequence: 0x33c8, node: '9f6bdeced846' },
    ],
    [
      '1EC9414C-232A-6B00-B3C8-9F6BDECED846',
      { version: 6, timestamp: at, clockSequence: 0x33c8, node: '9f6bdeced846' },
    ],
    ['017F22E2-79B0-7CC3-98C4-DC0C0C07398F', { version: 7, timestamp: at, timestampMs: Date.parse(at) }],
    ['urn:uuid:919108f7-52d1-4320-9bac-f847db4148a8', { version: 4, variant: 'rfc9562', timestamp: null }],
    ['{2489e9ad-2ee2-8e00-8ec9-32d5f69181c0}', { version: 8, hex: '2489e9ad2ee28e008ec932d5f69181c0' }],
    ['00000000000000000000000000000000', { version: null, variant: 'nil' }],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', { version: null, variant: 'max' }],
    ['00000000-0000-0000-0000-000000000001', { version: null, variant: 'ncs' }],
    ['00000000-0000-0000-c000-000000000046', { version: null, variant: 'microsoft' }],
    ['01ARYZ6S41TSV4RRFFQ69G5FAV', { kind: 'ulid', timestampMs: 1_469_918_176_385 }],
    ['01aryz6s41tsv4rrffq69g5fav', { kind: 'ulid', timestampMs: 1_469_918_176_385 }],
    [
      '0ujtsYcgvSTl8PAuAdqWYSMnLOv',
      { kind: 'ksuid', timestamp: '2017-10-10T04:00:47.000Z', hex: '0669f7efb5a1cd34b5f99d1154fb6853345c9735' },
    ],
    ['V1StGXR8_Z5jdHi6B-myT', { kind: 'nanoid', timestamp: null }],
  ])('%s', async (text, expected) => {
    expect(await inspect(text)).toMatchObject(expected)
  })

  test.each([
    '',
    ' ',
    'nonsense',
    '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
    'zzzzzzzzzzzzzzzzzzzzzzzzzzz',
    '017F22E2-79B0-7CC3-98C4-DC0C0C07398G',
  ])('nothing from %j', async text => {
    await expect(inspect(text || ' ')).rejects.toMatchObject({ code: 'UUID_INVALID' })
  })
})

const PATTERNS: Record<string, RegExp> = {
  '1': /^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  '4': /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  '6': /^[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  '7': /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  ulid: /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/,
  nanoid: /^[\w-]{21}$/,
  ksuid: /^[0-9A-Za-z]{27}$/,
}

test.each(Object.entries(PATTERNS))(
  'ten thousand ids of version %s are well formed and distinct',
  async (version, pattern) => {
    const ids = await make({ version, count: 10_000 })
    expect(ids.filter(id => !pattern.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(10_000)
  },
)

test.each(['6', '7', 'ulid', 'ksuid'])(
  'ten thousand ids of version %s in one millisecond are strictly increasing',
  async version => {
    const ids = await make({ version, count: 10_000, timestamp: '2026-11-20T12:00:00Z' })
    expect(ids.every((id, index) => index === 0 || id > ids[index - 1]!)).toBe(true)
  },
)

test.each([
  ['1', -12_219_292_800_000, 103_072_857_660_000],
  ['6', -12_219_292_800_000, 103_072_857_660_000],
  ['7', 0, 2 ** 48 - 1],
  ['ulid', 0, 2 ** 48 - 1],
])('version %s contains the time it was generated for', async (version, min, max) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min, max }), async timestamp => {
      const [id] = await make({ version, timestamp })
      expect(await inspect(id!)).toMatchObject({ timestampMs: timestamp })
    }),
    { numRuns: 50, examples: [[min], [max]] },
  )
})

test('a KSUID keeps whole seconds', async () => {
  const [id] = await make({ version: 'ksuid' }, new Date('2026-11-20T12:00:00.999Z'))
  expect(await inspect(id!)).toMatchObject({ kind: 'ksuid', timestamp: '2026-11-20T12:00:00.000Z' })
})

test.skipIf(!hasProgram(PYTHON))('Python reads the parts of generated ids', async () => {
  const ids = await make({ version: 1, count: 5, timestamp: '2026-11-20T12:00:00.123Z' })
  const reader =
    'import sys,uuid\nfor line in sys.stdin:\n u=uuid.UUID(line.strip()); print(u.version, u.variant == uuid.RFC_4122, u.time)'
  const ticks = (BigInt(Date.parse('2026-11-20T12:00:00.123Z')) + 12_219_292_800_000n) * 10_000n
  const expected = ids.map((_, index) => `1 True ${ticks + BigInt(index)}`)
  expect(runProgram(PYTHON, ['-c', reader], ids.join('\n')).trim().split('\n')).toEqual(expected)
})

test.each([
  [{ version: 5, name: 'x' }, 'MISSING_FIELD', { field: 'namespace' }],
  [{ version: 3, namespace: 'dns' }, 'MISSING_FIELD', { field: 'name' }],
  [{ version: 5, namespace: 'nowhere', name: 'x' }, 'UUID_INVALID', { field: 'namespace' }],
  [{ version: 5, namespace: 'dns', name: 'x', count: 2 }, 'CONFLICTING_OPTIONS', { fields: ['count', 'version'] }],
  [{ version: 4, name: 'x' }, 'CONFLICTING_OPTIONS', { fields: ['version', 'name'] }],
  [{ timestamp: 1 }, 'CONFLICTING_OPTIONS', { fields: ['version', 'timestamp'] }],
  [{ inspect: 'x', timestamp: 1 }, 'CONFLICTING_OPTIONS', { fields: ['inspect', 'timestamp'] }],
  [{ version: 7, timestamp: -1 }, 'INVALID_PARAM', { field: 'timestamp', min: 0, max: 2 ** 48 - 1 }],
  [{ version: 7, timestamp: 'yesterday' }, 'INVALID_PARAM', { field: 'timestamp' }],
  [{ version: 7, timestamp: '2024-02-30T00:00:00Z' }, 'INVALID_PARAM', { field: 'timestamp' }],
  [{ version: 1, timestamp: '2023-02-29' }, 'INVALID_PARAM', { field: 'timestamp' }],
  [{ version: 'ksuid', timestamp: 0 }, 'INVALID_PARAM', { field: 'timestamp', min: 1_400_000_000_000 }],
])('rejects %j', async (body, code, hints) => {
  await expect(make(body)).rejects.toMatchObject({ code, hints })
})

test('rejects 10,001 at once, and an unknown version', async () => {
  await expect(make({ count: 10_001 })).rejects.toThrow('does not accept this body')
  await expect(make({ version: 2 })).rejects.toThrow('does not accept this body')
})
