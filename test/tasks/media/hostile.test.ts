import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { loadOperations } from '../../../tasks/index.ts'
import { listDescendants } from '../../support/machine/processes.ts'
import { record, sample, sine } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
const folder = mkdtempSync(join(tmpdir(), 'canary-'))
const canary = join(folder, 'canary.wav')
const requests: string[] = []
const server = createServer((request, response) => {
  requests.push(request.url ?? '')
  response.end('no')
})

beforeAll(async () => {
  pools = await sharedPools()
  writeFileSync(canary, record('wav', sine(440, 0.5)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const address = () => `http://127.0.0.1:${(server.address() as { port: number }).port}/leak.ts`

/** Scripts that make ffmpeg open other files. Bytes that are no text get them past the first look at the type. */
const SCRIPTS: [string, () => string][] = [
  ['a playlist of a file', () => `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${canary}\n#EXT-X-ENDLIST\n`],
  ['a playlist of an address', () => `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${address()}\n#EXT-X-ENDLIST\n`],
  ['a concat script', () => `ffconcat version 1.0\nfile '${canary}'\n`],
  [
    'a session description',
    () => `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n`,
  ],
  [
    'a manifest',
    () =>
      `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><BaseURL>${address()}</BaseURL></Period></MPD>`,
  ],
]

test.each(SCRIPTS)('%s opens nothing', async (_, script) => {
  for (const text of [script(), `${script()}\0`]) {
    const call = runJob(pools, 'media.audio-convert', { file: Buffer.from(text), to: 'wav' })
    await expect(call).rejects.toMatchObject({ code: 'MEDIA_DECODE_FAILED' })
  }
  expect(requests).toEqual([])
})

test('an MP4 whose media is in another file does not bring that file', async () => {
  const clip = readFileSync(sample('clip.mp4'))
  const at = clip.indexOf('url ') - 4
  const reference = Buffer.from(clip)
  reference.writeUInt32BE(0, at + 8)
  const file = await runJob(pools, 'media.convert', { file: reference, to: 'mkv' }).catch(({ code }) => ({
    code,
    bytes: Buffer.alloc(0),
  }))
  expect(file.bytes.includes(readFileSync(canary).subarray(44, 200))).toBe(false)
  expect(requests).toEqual([])
})

test('no broken file is more than a problem, in any operation', { timeout: 240_000 }, async () => {
  const clip = readFileSync(sample('clip.mp4'))
  const broken = [
    Buffer.from([0]),
    Buffer.from('%d.png'),
    clip.subarray(0, 700),
    Buffer.concat([clip.subarray(0, 200), Buffer.alloc(4000, 0xff)]),
  ]
  const operations = (await loadOperations()).filter(
    ({ name, uses }) => name.startsWith('media.') && uses.includes('ffmpeg'),
  )
  for (const [index, { name, examples }] of operations.entries()) {
    const { input } = examples[0]!
    const file = broken[index % broken.length]!
    const body = Object.fromEntries(Object.entries(input).map(([field, value]) => [field, replaceSamples(value, file)]))
    const outcome = await runJob(pools, name, body).catch((error: { code?: string }) => error.code ?? String(error))
    expect([name, typeof outcome === 'string' ? outcome : 'answered']).toEqual([
      name,
      expect.stringMatching(new RegExp(`^(${refusalOf(name)}|answered)$`)),
    ])
    if (name !== 'media.probe') expect(outcome).toBe(refusalOf(name))
  }
})

/** One operation takes no recording, but a file of subtitles. */
function refusalOf(name: string): string {
  return name === 'media.subtitle-convert' ? 'SUBTITLE_PARSE_FAILED' : 'MEDIA_DECODE_FAILED'
}

function replaceSamples(value: unknown, file: Buffer): unknown {
  if (typeof value === 'string') return value.startsWith('sample:') ? file : value
  if (Array.isArray(value)) return value.map(item => replaceSamples(item, file))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceSamples(item, file)]))
}

test('subtitles open nothing, whatever they name', async () => {
  const clip = readFileSync(sample('clip.mp4'))
  const burn = (subtitles: string) =>
    runJob(pools, 'media.subtitle-burn', { file: clip, subtitles: Buffer.from(subtitles), speedPreset: 'ultrafast' })
  for (const [, script] of SCRIPTS)
    await expect(burn(script())).rejects.toMatchObject({ code: 'SUBTITLE_PARSE_FAILED' })
  const text = `{\\fn${canary}}{\\1img(file://${canary})}{\\fn${address()}}x',movie=${canary}[x]`
  const ass =
    `[Script Info]\nScriptType: v4.00+\n!: ${address()}\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\n` +
    `Style: A,${canary},20\n\n[Events]\nFormat: Layer, Start, End, Style, Text\n` +
    `Dialogue: 0,0:00:00.00,0:00:01.00,A,${text}\nMovie: 0,0:00:00.00,0:00:01.00,A,${canary}\n`
  const srt = `1\n00:00:00,000 --> 00:00:01,000\n${text}\n`
  const entity = `<!DOCTYPE tt [<!ENTITY leak SYSTEM "file://${canary}"><!ENTITY web SYSTEM "${address()}">]>`
  const ttml = `<?xml version="1.0"?>${entity}<tt><body><p begin="0s" end="1s">a&leak;&web;</p></body></tt>`
  for (const subtitles of [ass, srt]) {
    const { bytes } = await burn(subtitles)
    expect(bytes.includes(readFileSync(canary).subarray(44, 200))).toBe(false)
  }
  await burn(ttml).catch(({ code }) => expect(code).toBe('SUBTITLE_PARSE_FAILED'))
  const convert = (subtitles: string) =>
    runJob(pools, 'media.subtitle-convert', { file: Buffer.from(subtitles), to: 'txt' })
  const disguised = SCRIPTS.map(([, script]) => `${script()}\n${ass}`)
  for (const subtitles of [ass, srt, ...disguised]) {
    const file = await convert(subtitles).catch(({ code }) => ({ code, bytes: Buffer.alloc(0) }))
    expect(file.bytes.includes(readFileSync(canary).subarray(44, 200))).toBe(false)
  }
  expect(requests).toEqual([])
})

test('no operation reads a script as a recording, at any place where it takes a file', {
  timeout: 240_000,
}, async () => {
  const operations = (await loadOperations()).filter(({ uses }) => uses.includes('ffmpeg'))
  for (const [index, { name, examples }] of operations.entries()) {
    const script = SCRIPTS[index % SCRIPTS.length]![1]()
    const body = replaceSamples(examples[0]!.input, Buffer.from(`${script}\0`)) as Record<string, unknown>
    const code = await runJob(pools, name, body).then(
      () => 'answered',
      (error: { code?: string }) => error.code ?? String(error),
    )
    expect([name, code]).toEqual([name, refusalOf(name)])
  }
  expect(requests).toEqual([])
})

test('a cancelled encode is killed', async () => {
  const long = record('mp4', '-f lavfi -i testsrc2=s=320x240:r=30:d=20 -pix_fmt yuv420p -preset ultrafast -g 30')
  const controller = new AbortController()
  const call = runJob(
    pools,
    'media.convert',
    { file: long, to: 'webm', speedPreset: 'slow' },
    { limitSeconds: 300, signal: controller.signal },
  )
  const listEncoders = () => listDescendants(process.pid).filter(({ command }) => command.includes('libvpx-vp9'))
  const ended = expect(call).rejects.toThrow()
  await expect.poll(() => listEncoders().length).toBeGreaterThan(0)
  controller.abort()
  await ended
  await expect.poll(() => listEncoders().length).toBe(0)
  expect(pools.stats().program.running).toBe(0)
})
