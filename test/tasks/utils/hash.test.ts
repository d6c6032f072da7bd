import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createBytes } from '../../support/data/bytes.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runProgram } from '../../support/machine/programs.ts'
import type { Answer } from '../../support/operations/run.ts'
import { computePrice, runOperation } from '../../support/operations/run.ts'

const hash = (body: Record<string, unknown>) => runOperation('utils.hash', body)

/** Published by NIST, RFC 7693, the Keccak team, the catalogue of CRCs and RFC 1321. */
test.each([
  ['sha256', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['sha256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['sha384', 'abc', 'cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7'],
  [
    'sha512',
    'abc',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  ],
  ['sha1', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['md5', 'message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
  ['sha3-256', 'abc', '3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532'],
  [
    'blake2b512',
    'abc',
    'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
  ],
  ['keccak256', '', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ['keccak256', 'abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
  [
    'keccak256',
    'The quick brown fox jumps over the lazy dog',
    '4d741b6f1eb29cb2a9b9911c82f56fa8d73b04959d3d9d222895df6c0b28aa15',
  ],
  ['crc32', '123456789', 'cbf43926'],
])('%s of "%s" is the published digest', async (algorithm, text, digest) => {
  const answer = await hash({ text, algorithms: [algorithm] })
  expect(answer).toMatchObject({ hashes: { [algorithm]: digest }, sizeBytes: text.length })
})

describe('agrees with the programs of the system', () => {
  const readers = {
    md5: 'md5sum',
    sha1: 'sha1sum',
    sha256: 'sha256sum',
    sha384: 'sha384sum',
    sha512: 'sha512sum',
    blake2b512: 'b2sum',
  }

  test.each([0, 1, 135, 136, 137, 1024, 65_537, 4 * 2 ** 20])('on %i bytes', async size => {
    const bytes = createBytes(size, 7)
    const { hashes } = await hash({ file: { inline: bytes.toString('base64') }, algorithms: Object.keys(readers) })
    for (const [algorithm, program] of Object.entries(readers)) {
      const [digest] = runProgram(program, [], bytes).split(' ')
      expect(hashes).toHaveProperty([algorithm], digest)
    }
  })
})

test('gives the same digests for a streamed file', async () => {
  const algorithms = ['sha256', 'keccak256', 'crc32', 'sha3-256']
  const text = createBytes(2 ** 20 + 12_345, 3)
    .toString('latin1')
    .replace(/[^a-z]/g, 'é')
  const streamed = await hash({ file: { text }, algorithms })
  const whole = await hash({ text, algorithms })
  expect(streamed).toEqual(whole)
})

test.each([
  ['hex', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['base64', 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
  ['base64url', 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0'],
  ['multihash', 'QmatYkNGZnELf8cAGdyJpUca2PyY4szai3RHyyWofNY1pY'],
])('writes the digest as %s', async (encoding, digest) => {
  expect(await hash({ text: 'abc', encoding })).toMatchObject({ hashes: { sha256: digest } })
})

test.each([
  ['BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD\n', true],
  ['ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=', true],
  ['900150983cd24fb0d6963f7d28e17f72', false],
  ['nonsense', false],
])('compares with the expected %j', async (expected, matches) => {
  expect(await hash({ text: 'abc', encoding: 'base64', expect: expected })).toMatchObject({ matches })
})

test('warns about broken algorithms', async () => {
  const { warnings } = await hash({ text: 'abc', algorithms: ['sha256', 'md5', 'sha1'] })
  expect(warnings?.map(({ code }) => code)).toEqual(['WEAK_ALGORITHM', 'WEAK_ALGORITHM'])
  expect(await hash({ text: 'abc' })).not.toHaveProperty('warnings')
})

test('writes a manifest that sha256sum verifies, even with unusual names', async () => {
  await using folder = await freshFolder()
  const contents = { 'plain.txt': 'one', 'with space': 'two', 'new\nline\\back': 'three', 'ünï.txt': 'four' }
  const files = Object.values(contents).map(text => ({ text }))
  const answer: Answer = await hash({ files, names: Object.keys(contents), manifest: true })
  for (const [name, text] of Object.entries(contents)) await writeFile(join(folder.path, name), text)
  const read = runProgram('sha256sum', ['--check', '--strict', '-'], answer.output!.bytes, folder.path)
  expect(read.match(/OK$/gm)).toHaveLength(4)
  expect(answer).toMatchObject({ output: { contentType: 'text/plain', name: 'sha256sums.txt' } })
})

test('hashes several files without a manifest', async () => {
  const answer = await hash({ files: [{ text: 'a' }, { text: 'bc' }], algorithms: ['crc32'] })
  expect(answer).toEqual({
    files: [
      { index: 0, hashes: { crc32: 'e8b7be43' }, sizeBytes: 1 },
      { index: 1, hashes: { crc32: 'c2a92b38' }, sizeBytes: 2 },
    ],
  })
})

test.each([
  [{}, 'MISSING_FIELD', { field: 'text' }],
  [{ text: 'a', file: { text: 'a' } }, 'CONFLICTING_OPTIONS', { fields: ['text', 'file'] }],
  [{ text: 'a', manifest: true }, 'CONFLICTING_OPTIONS', { fields: ['manifest', 'text'] }],
  [{ files: [{ text: 'a' }], manifest: true, encoding: 'base64' }, 'CONFLICTING_OPTIONS', {}],
  [{ files: [{ text: 'a' }], manifest: true, algorithms: ['md5', 'sha1'] }, 'CONFLICTING_OPTIONS', {}],
  [{ files: [{ text: 'a' }], expect: 'x' }, 'CONFLICTING_OPTIONS', { fields: ['expect', 'files'] }],
  [{ files: [{ text: 'a' }], names: ['a', 'b'] }, 'INVALID_PARAM', { field: 'names', min: 1, max: 1 }],
  [{ text: 'a', names: ['a'] }, 'CONFLICTING_OPTIONS', { fields: ['names', 'text'] }],
  [{ text: 'é'.repeat(2 ** 21 + 1) }, 'INPUT_TOO_LARGE', { limitBytes: 4 * 2 ** 20 }],
  [{ text: 'a\ud800' }, 'INVALID_PARAM', { field: 'text' }],
])('rejects body %#', async (body, code, hints) => {
  await expect(hash(body)).rejects.toMatchObject({ code, hints })
})

test('costs 0.001 USD and as much again for each started 5 MiB after the first', async () => {
  const mebibytes = (count: number) => ({ inline: Buffer.alloc(count * 2 ** 20).toString('base64') })
  expect(await computePrice('utils.hash', { text: 'abc' })).toBe(1_000n)
  expect(await computePrice('utils.hash', { file: mebibytes(5) })).toBe(1_000n)
  expect(await computePrice('utils.hash', { files: [mebibytes(3), mebibytes(3)] })).toBe(2_000n)
  expect(await computePrice('utils.hash', { files: [mebibytes(5), mebibytes(5), { text: 'x' }] })).toBe(3_000n)
})
