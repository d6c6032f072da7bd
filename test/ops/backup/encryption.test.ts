import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decrypt, encrypt } from '../../../ops/backup/encryption.ts'
import { createMasterKey, openMasterKey } from '../../../ops/backup/passphrase.ts'

const CHUNK = 256 * 1024
const master = randomBytes(32)

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const seal = (bytes: Buffer, size = 100_000) => buffer(encrypt(master, inPieces(bytes, size)))
const open = (bytes: Buffer, size = 70_001) => buffer(decrypt(master, inPieces(bytes, size)))

test.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 5])(
  '%i bytes come back, in whatever pieces they arrive',
  async size => {
    const bytes = randomBytes(size)
    const sealed = await seal(bytes, 1 + (size % 99_991))
    expect(sealed.includes(bytes.subarray(0, 64)) && size > 64).toBe(false)
    expect((await open(sealed)).equals(bytes)).toBe(true)
    expect((await open(sealed, 1 << 20)).equals(bytes)).toBe(true)
  },
)

test('whatever byte is changed, cut off, added or moved, it is refused', async () => {
  const sealed = await seal(randomBytes(CHUNK + 100))
  const step = CHUNK + 16
  const refused = [
    sealed.subarray(0, 32 + step),
    sealed.subarray(0, -1),
    Buffer.concat([sealed, Buffer.from([0])]),
    Buffer.concat([sealed.subarray(0, 32), sealed.subarray(32 + step), sealed.subarray(32, 32 + step)]),
    Buffer.concat([sealed.subarray(0, 32), sealed.subarray(32 + step)]),
    sealed.subarray(0, 20),
    Buffer.alloc(0),
  ]
  for (const bytes of refused) await expect(open(bytes)).rejects.toThrow('not as it was written')
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = Buffer.from(sealed)
      changed[at]! ^= by
      await expect(open(changed)).rejects.toThrow('not as it was written')
    }),
    { numRuns: 40 },
  )
})

test('only the passphrase opens the key', async () => {
  const made = await createMasterKey('a passphrase of the test')
  expect((await openMasterKey('a passphrase of the test', made.envelope)).equals(made.master)).toBe(true)
  await expect(openMasterKey('a passphrase of the tesT', made.envelope)).rejects.toThrow('BACKUP_KEY is not')
})
