import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { deriveKey, hashApiKey, mintedSecret, open, seal } from '../../ops/secrets.ts'
import { freshFolder } from '../support/folder.ts'

const SECRET = 'a secret of the test, long enough'

test.each(['', 'pa55word', 'naïve ⚙', 'x'.repeat(10_000)])('opens what it sealed', text => {
  expect(open(SECRET, seal(SECRET, text, 'job 1'), 'job 1')).toBe(text)
})

test('seals the same text differently each time', () => {
  expect(seal(SECRET, 'text', 'job 1')).not.toBe(seal(SECRET, 'text', 'job 1'))
})

test('does not open for another owner, under another secret, or after a change', () => {
  const sealed = seal(SECRET, 'text', 'job 1')
  const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA')
  expect(() => open(SECRET, sealed, 'job 2')).toThrow()
  expect(() => open(`${SECRET}!`, sealed, 'job 1')).toThrow()
  expect(() => open(SECRET, changed, 'job 1')).toThrow()
  expect(() => open(SECRET, 'v1.AAAA', 'job 1')).toThrow('cut short')
  expect(() => open(SECRET, 'plain', 'job 1')).toThrow('not a sealed value')
})

test('derives one key for each purpose, the same each time', () => {
  expect(deriveKey(SECRET, 'links')).toEqual(deriveKey(SECRET, 'links'))
  expect(deriveKey(SECRET, 'links')).not.toEqual(deriveKey(SECRET, 'seal'))
  expect(hashApiKey(SECRET, 'svc_test_a')).not.toEqual(hashApiKey(SECRET, 'svc_test_b'))
})

test('mints one secret, readable by its owner alone, and keeps to it', async () => {
  await using folder = await freshFolder()
  const dataDir = join(folder.path, 'made/on/demand')
  const secret = mintedSecret(dataDir)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(mintedSecret(dataDir)).toBe(secret)
  expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(0o600)
  expect(readdirSync(dataDir)).toEqual(['secret'])
})

test('mints one secret when many ask at the same moment', async () => {
  await using folder = await freshFolder()
  const dataDir = join(folder.path, 'data')
  mkdirSync(dataDir)
  const asker = `
    const { workerData, parentPort } = require('node:worker_threads')
    import(workerData.module).then(({ mintedSecret }) => {
      Atomics.add(new Int32Array(workerData.gate), 0, 1)
      while (Atomics.load(new Int32Array(workerData.gate), 0) < workerData.askers) {}
      parentPort.postMessage(mintedSecret(workerData.dataDir))
    })`
  const module = new URL('../../ops/secrets.ts', import.meta.url).href
  const workerData = { dataDir, module, gate: new SharedArrayBuffer(4), askers: 4 }
  const answers = await Promise.all(
    Array.from({ length: workerData.askers }, () => {
      const worker = new Worker(asker, { eval: true, workerData })
      return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
    }),
  )
  expect(new Set(answers).size).toBe(1)
})
