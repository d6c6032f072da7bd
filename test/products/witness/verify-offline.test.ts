import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { freshFolder } from '../../support/machine/folder.ts'
import { openWitnessedLedger, type Proof } from '../../support/stack/witnessed-ledger.ts'

const SCRIPT = fileURLToPath(new URL('../../../ops/products/witness/verify.mjs', import.meta.url))
const { verifyWitness } = (await import(SCRIPT)) as {
  verifyWitness(proof: Proof, keys: object, content?: Buffer): { entries: number; isChainChecked: boolean }
}

let proof: Proof
let keys: { keys: Record<string, unknown>[] }
let content: Buffer
beforeAll(async () => {
  const ledger = await openWitnessedLedger()
  ;({ proof, keys, content } = ledger)
  await ledger.api[Symbol.asyncDispose]()
})

/** Valid with all of its entries. */
const isValid = (changed: Proof, bytes?: Buffer, set: object = keys) => {
  try {
    const { entries, isChainChecked } = verifyWitness(changed, set, bytes)
    return isChainChecked && entries === proof.entries.length
  } catch {
    return false
  }
}

test('what was not changed is valid', () => {
  expect([isValid(proof), isValid(proof, content)]).toEqual([true, true])
})

test('the offline verifier runs with Node alone', async () => {
  await using folder = await freshFolder()
  const files = { 'proof.json': JSON.stringify(proof), 'jwks.json': JSON.stringify(keys), content }
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder.path, name), bytes)
  const run = (...names: string[]) => execa('node', [SCRIPT, ...names], { cwd: folder.path, reject: false })
  expect((await run('proof.json', 'jwks.json', 'content')).stdout).toBe('valid, with 6 entries')
  await writeFile(join(folder.path, 'content'), Buffer.concat([content, Buffer.from('!')]))
  const forged = await run('proof.json', 'jwks.json', 'content')
  expect([forged.exitCode, forged.stderr]).toEqual([1, 'not valid: the content is not what was signed'])
  const { entries: _, ...bare } = proof
  await writeFile(join(folder.path, 'proof.json'), JSON.stringify(bare))
  const note = '(by the statement; the proof lists none of them); the content was not compared'
  expect((await run('proof.json', 'jwks.json')).stdout).toBe(`valid, with 6 entries ${note}`)
  const tampered: [string, string][] = [
    [JSON.stringify({ ...bare, jws: 'a.b.c' }), 'it cannot be read'],
    [JSON.stringify({ ...bare, statement: { ...bare.statement, size: 1 } }), 'the statement is not what was signed'],
    ['{', 'it cannot be read'],
    ['{"error":"The baton is not witnessed.","code":"NOT_WITNESSED"}', 'the first file is no proof'],
  ]
  for (const [text, reason] of tampered) {
    await writeFile(join(folder.path, 'proof.json'), text)
    const refused = await run('proof.json', 'jwks.json')
    expect([refused.exitCode, refused.stderr.split('\n')]).toEqual([
      1,
      [expect.stringContaining(`not valid: ${reason}`)],
    ])
  }
})

/** One character of a text replaced by another. */
const replace = (text: string, at: number, by: string) => `${text.slice(0, at)}${by}${text.slice(at + 1)}`
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

test('the offline verifier finds any change of any character, of the order and of the content', () => {
  const text = JSON.stringify({
    statement: proof.statement,
    jws: proof.jws,
    created_at: proof.created_at,
    entries: proof.entries,
  })
  const parse = (changed: string): Proof | undefined => {
    try {
      return JSON.parse(changed) as Proof
    } catch {
      return undefined
    }
  }
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom(...'0aZ9_-" ,:}{1.e'), (at, by) => {
      const changed = parse(replace(text, at, by))
      if (changed && !isSame(changed, JSON.parse(text))) expect(isValid(changed)).toBe(false)
    }),
    { numRuns: 2_000 },
  )
  fc.assert(
    fc.property(fc.nat(content.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const changed = Buffer.from(content)
      changed[at]! ^= mask
      expect(isValid(proof, changed)).toBe(false)
    }),
    { numRuns: 100 },
  )
  fc.assert(
    fc.property(fc.subarray(proof.entries.map((_, index) => index)), fc.nat(proof.entries.length), (kept, turned) => {
      const order = [...kept.slice(turned), ...kept.slice(0, turned)]
      const entries = order.map(index => proof.entries[index]!)
      expect(isValid({ ...proof, entries })).toBe(isSame(entries, proof.entries))
    }),
    { numRuns: 200 },
  )
})

test('the offline verifier takes the key from the set alone, and none that had ended', () => {
  const [key] = keys.keys
  expect(isValid(proof, content, { keys: [] })).toBe(false)
  const swapped = { ...key, x: createHash('sha256').update('x').digest('base64url') }
  expect(isValid(proof, content, { keys: [swapped] })).toBe(false)
  const ended = (year: number) => ({ keys: [{ ...key, svc_not_after: `${year}-01-01T00:00:00.000Z` }] })
  expect([isValid(proof, content, ended(2_100)), isValid(proof, content, ended(2_020))]).toEqual([true, false])
})
