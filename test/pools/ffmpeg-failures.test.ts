import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Problem } from '#kit'
import type { Pools } from '../../pools/index.ts'
import { toFailure } from '../../pools/tools/ffmpeg/failure.ts'
import { sample } from '../support/media/recordings.ts'
import { runJob, testPools } from '../support/pools/open.ts'

const folder = mkdtempSync(join(tmpdir(), 'wrong-'))
let pools: Pools & AsyncDisposable
/** Runs the real ffmpeg, with what is in `extra` among its arguments. */
function plantProgram(extra: string): string {
  const path = join(folder, 'ffmpeg')
  writeFileSync(
    path,
    `#!/bin/sh\nfor last; do :; done\n[ "$1" = -version ] && exec /usr/bin/ffmpeg -version\nexec /usr/bin/ffmpeg "$@" ${extra}\n`,
  )
  chmodSync(path, 0o755)
  return path
}
beforeAll(async () => {
  pools = await testPools({ ffmpegPath: plantProgram('-map 0:9 ./more.mp4') })
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test('a wrong command of ours is an error that names it, and no problem of the file', async () => {
  const call = runJob(pools, 'media.audio-convert', { file: sample('tone.wav'), to: 'mp3' })
  const error: unknown = await call.catch((caught: unknown) => caught)
  expect(error).not.toBeInstanceOf(Problem)
  expect(String(error)).toMatch(/wrong command: Stream map '0:9' matches no streams.*-filter_complex/)
})

test('a file that cannot be read is its own problem even then', async () => {
  const call = runJob(pools, 'media.audio-convert', { file: Buffer.from('RIFF\0\0\0\0WAVEnothing'), to: 'mp3' })
  await expect(call).rejects.toMatchObject({ code: 'MEDIA_DECODE_FAILED' })
})

test.each([
  "[AVFilterGraph @ 0x5] No such filter: 'nosuchfilter'\nError reinitializing filters!",
  "[Eval @ 0x7] Undefined constant or missing '(' in 'abc'\nError reinitializing filters!",
  "Unrecognized option 'nosuchopt'.\nError splitting the argument list: Option not found",
  "Unknown encoder 'nosuchenc'",
  "Output with label 'y' does not exist in any defined filter graph, or was already used elsewhere.",
  "[NULL @ 0x5] Requested output format 'nosuch' is not a suitable output format\nout.x: Invalid argument",
  '[AVFilterGraph @ 0x5] Bad (empty?) label found in the following: "[".',
])('%# is a wrong command', stderr => {
  expect(toFailure({ code: 1, stderr }, [])).not.toBeInstanceOf(Problem)
})

test.each([
  '[mp3 @ 0x5] Failed to read frame size: Could not seek to 4023.\n./input-0: Invalid argument',
  './input-0: Invalid data found when processing input',
  '[mov,mp4 @ 0x5] moov atom not found',
  '[h264 @ 0x5] error while decoding MB 3 4\nError while decoding stream #0:0: Invalid data found',
])('%# is a problem of the file', stderr => {
  expect(toFailure({ code: 1, stderr }, [])).toMatchObject({ code: 'MEDIA_DECODE_FAILED' })
})
