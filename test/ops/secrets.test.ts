import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { deriveKey, hashApiKey, readOrCreateSecret, seal, unseal } from '../../ops/secrets.ts'
import { freshFolder } from '../support/machine/folder.ts'

const SECRET = 'a secret of the test, long enough'

test.each(['', 'pa55word', 'naïve ⚙', 'x'.repeat(10_000)])('unseals what it sealed', text => {
  expect(unseal(SECRET, seal(SECRET, text, 'job 1'), 'job 1')).toBe(text)
})

test('seals the same text differently each time', () => {
  expect(seal(SECRET, 'text', 'job 1')).not.toBe(seal(SECRET, 'text', 'job 1'))
})

test('does not unseal for another owner, with another secret, or after a change', () => {
  const sealed = seal(SECRET, 'text', 'job 1')
  const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA')
  expect(() => unseal(SECRET, sealed, 'job 2')).toThrow()
  expect(() => unseal(`${SECRET}!`, sealed, 'job 1')).toThrow()
  expect(() => unseal(SECRET, changed, 'job 1')).toThrow()
  expect(() => unseal(SECRET, 'v1.AAAA', 'job 1')).toThrow('cut short')
  expect(() => unseal(SECRET, 'plain', 'job 1')).toThrow('not a sealed value')
})

test('derives one key for each purpose, the same each time', () => {
  expect(deriveKey(SECRET, 'links')).toEqual(deriveKey(SECRET, 'links'))
  expect(deriveKey(SECRET, 'links')).not.toEqual(deriveKey(SECRET, 'seal'))
  expect(hashApiKey(SECRET, 'svc_test_a')).not.toEqual(hashApiKey(SECRET, 'svc_test_b'))
})

test('creates one secret, readable by its owner only, and keeps it', async () => {
  await using folder = await freshFolder()
  const dataDir = join(folder.path, 'made/on/demand')
  const secret = readOrCreateSecret(dataDir)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(readOrCreateSecret(dataDir)).toBe(secret)
  expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(0o600)
  expect(readdirSync(dataDir)).toEqual(['secret'])
})

test('creates one secret when many processes ask at the same time', async () => {
  await using folder = await freshFolder()
  const dataDir = join(folder.path, 'data')
  mkdirSync(dataDir)
  const threadSource = `
    const { workerData, parentPort } = require('node:worker_threads')
    import(workerData.module).then(({ readOrCreateSecret }) => {
      Atomics.add(new Int32Array(workerData.gate), 0, 1)
      while (Atomics.load(new Int32Array(workerData.gate), 0) < workerData.askers) {}
      parentPort.postMessage(readOrCreateSecret(workerData.dataDir))
    })`
  const module = new URL('../../ops/secrets.ts', import.meta.url).href
  const workerData = { dataDir, module, gate: new SharedArrayBuffer(4), askers: 4 }
  const answers = await Promise.all(
    Array.from({ length: workerData.askers }, () => {
      const worker = new Worker(threadSource, { eval: true, workerData })
      return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
    }),
  )
  expect(new Set(answers).size).toBe(1)
})
