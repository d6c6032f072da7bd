import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

/** The first pixel as ImageMagick reads it, with 16 bits a channel. */
const readCorner = (input: Uint8Array) =>
  execFileSync('convert', ['png:-', '-depth', '16', '-crop', '1x1+0+0', 'txt:-'], { input }).toString()

test.each([
  ['image.extend', { all: 4 }],
  ['image.resize', { width: 40, height: 40, fit: 'contain' }],
  ['image.resize', { width: 40, height: 40, fit: 'contain', position: { x: 0.5, y: 0.5 } }],
  ['image.rotate', { degrees: 30 }],
])('%s fills an image of 16 bits with the colour that was asked for: %j', async (operation, options) => {
  const file = execFileSync('convert', ['-size', '40x20', 'gradient:red-blue', 'PNG48:-'])
  const { bytes } = await runJob(pools, operation, { file, ...options, background: '#ff8000' })
  expect(readCorner(bytes)).toMatch(/#FFFF80800000\b/)
})
