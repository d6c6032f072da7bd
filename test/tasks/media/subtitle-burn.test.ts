import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { listStreams, readFrames, record, sample, sine } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

const [WIDTH, HEIGHT] = [480, 200]
let pools: Pools & AsyncDisposable
let folder: string
let blank: Buffer
beforeAll(async () => {
  pools = await sharedPools()
  folder = mkdtempSync(join(tmpdir(), 'burn-'))
  blank = record('mp4', `-f lavfi -i color=black:s=${WIDTH}x${HEIGHT}:r=5:d=2 ${sine(440, 2)} -preset ultrafast`)
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const burn = (subtitles: string | Buffer, options: Record<string, unknown> = {}, file: Buffer | string = blank) =>
  runJob(pools, 'media.subtitle-burn', {
    file,
    subtitles: Buffer.from(subtitles as string),
    speedPreset: 'ultrafast',
    ...options,
  })
const srt = (text: string, from = '00:00:00,000', to = '00:00:01,000') => `1\n${from} --> ${to}\n${text}\n`

/** Which rows and columns of a frame are lit. */
function findText(frame: Uint8Array, width = WIDTH) {
  const lit = [...frame.keys()].filter(at => at % 3 === 0 && frame[at]! > 120).map(at => at / 3)
  const [columns, rows] = [lit.map(at => at % width), lit.map(at => Math.floor(at / width))]
  return { count: lit.length, top: Math.min(...rows), bottom: Math.max(...rows), left: Math.min(...columns) }
}

/** What tesseract reads in the first frame. */
function readText(video: Buffer, language: string): string {
  const [from, to] = [join(folder, 'in.mp4'), join(folder, 'frame.png')]
  writeFileSync(from, video)
  runProgram('ffmpeg', ['-v', 'error', '-nostdin', '-y', '-i', from, '-vf', 'negate', '-frames:v', '1', to])
  return runProgram('tesseract', [to, '-', '-l', language, '--psm', '6']).trim()
}

test('draws a cue while it is shown, copies the sound, and counts the minute', async () => {
  const { bytes, result, chargedMicros, warnings } = await burn(srt('<i>Hello</i> there'))
  expect([listStreams(bytes), warnings, chargedMicros]).toEqual([['h264 480x200', 'aac 16000/1'], [], 10_000n])
  expect(result.media).toMatchObject({ durationSec: expect.closeTo(2, 1), fps: 5 })
  const frames = readFrames(bytes, WIDTH, HEIGHT)
  expect([findText(frames[2]!).count > 100, findText(frames[7]!).count]).toEqual([true, 0])
  expect(findText(frames[2]!).top).toBeGreaterThan(HEIGHT / 2)
  expect(readText(bytes, 'eng')).toBe('Hello there')
})

test.each([
  ['ara', 'السلام عليكم', /السلام/],
  ['hin', 'नमस्ते दुनिया', /नमस्ते/],
  ['jpn', '字幕のテスト', /字幕のテスト/],
  ['rus', 'Привет, мир', /Привет/],
])('draws %s with a font that has it', async (language, text, expected) => {
  const { bytes, warnings } = await burn(srt(text), { style: { size: 20 } })
  expect(warnings).toEqual([])
  expect(readText(bytes, language).replaceAll(' ', language === 'jpn' ? '' : ' ')).toMatch(expected)
})

test('draws emoji, and names what no font has', async () => {
  const { bytes, warnings } = await burn(srt('🔥😀'))
  expect([findText(readFrames(bytes, WIDTH, HEIGHT)[0]!).count > 50, warnings]).toEqual([true, []])
  expect((await burn(srt('\u{1FAE8}'))).warnings).toEqual(['CHARACTERS_MISSING'])
})

test('a style has its effect', async () => {
  const styled = async (style: object) => {
    const { bytes } = await burn(srt('Hello'), { style })
    return { ...findText(readFrames(bytes, WIDTH, HEIGHT)[2]!), frame: readFrames(bytes, WIDTH, HEIGHT)[2]! }
  }
  const usual = await styled({})
  const top = await styled({ position: 'top', marginPct: 10, size: 20, bold: true, italic: true, outline: 0 })
  expect([top.top > 20, top.bottom < HEIGHT / 2, top.count > usual.count * 4]).toEqual([true, true, true])
  const box = await styled({ box: true, outlineColor: '#00ff00', color: '#ff0000', position: 'middle' })
  const greens = [...box.frame.keys()].filter(at => at % 3 === 1 && box.frame[at]! > 200 && box.frame[at - 1]! < 60)
  expect(greens.length).toBeGreaterThan(120)
  expect(box.top).toBeGreaterThan(60)
})

test('moves subtitles, and takes a named font or says that another was used', async () => {
  const frames = readFrames((await burn(srt('Hello'), { offsetMs: 1000 })).bytes, WIDTH, HEIGHT)
  expect([findText(frames[2]!).count, findText(frames[7]!).count > 30]).toEqual([0, true])
  expect((await burn(srt('Hello'), { style: { font: 'DejaVu Serif' } })).warnings).toEqual([])
  expect((await burn(srt('Hello'), { style: { font: 'No Such' } })).warnings).toEqual(['FONT_SUBSTITUTED'])
  const strict = burn(srt('Hello'), { style: { font: 'No Such' }, strictFont: true })
  await expect(strict).rejects.toMatchObject({ code: 'FONT_UNAVAILABLE' })
  await expect(burn(srt('Hello'), { offsetMs: -1000 })).rejects.toMatchObject({ code: 'BAD_TIME_RANGE' })
})

const STYLES =
  '[V4+ Styles]\nFormat: Name, Fontname, Fontsize, PrimaryColour, Alignment, MarginV\nStyle: A,Noto Sans,40,&H0000FF00,8,10\n'
const ass = (text: string) =>
  `[Script Info]\nScriptType: v4.00+\nPlayResX: 480\nPlayResY: 200\n\n${STYLES}\n[Events]\n` +
  `Format: Layer, Start, End, Style, Text\nDialogue: 0,0:00:00.00,0:00:01.00,A,${text}\n`

test('keeps the look of ass, but for what is changed', async () => {
  const frame = async (options = {}) => readFrames((await burn(ass('Hello'), options)).bytes, WIDTH, HEIGHT)[2]!
  const green = (bytes: Uint8Array) =>
    [...bytes.keys()].filter(at => at % 3 === 1 && bytes[at]! > 200 && bytes[at - 1]! < 60)
  const own = await frame()
  expect([green(own).length > 100, Math.max(...green(own)) / 3 / WIDTH < HEIGHT / 2]).toEqual([true, true])
  const changed = findText(await frame({ style: { color: '#ffffff', position: 'bottom' } }))
  expect(changed.top).toBeGreaterThan(HEIGHT / 2)
})

test('reads vtt, ttml and a track, and the text of each is only text', async () => {
  const text = 'a{b1}c C:\\Nile &lt;x&gt;'
  const vtt = await burn(`WEBVTT\n\n00:00.000 --> 00:01.000 line:0\n<v Ann>${text}\n`, { style: { size: 15 } })
  expect(readText(vtt.bytes, 'eng')).toMatch(/a\{b.\}c C:\\Nile <x>/)
  const ttml =
    '<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling"><body begin="1s">' +
    '<div><p begin="0s" dur="500ms">Hello<br/><span tts:fontStyle="italic">w&#246;rld</span></p></div></body></tt>'
  const frames = readFrames((await burn(ttml)).bytes, WIDTH, HEIGHT)
  expect(frames.map(frame => findText(frame).count > 0).join()).toBe(
    'false,false,false,false,false,true,true,true,false,false',
  )
  const { bytes } = await burn('', { subtitles: undefined, track: 'en' }, sample('captioned.mkv'))
  expect(listStreams(bytes).filter(stream => stream === 'subrip')).toEqual([])
})

test('turns with the picture, and breaks lines of upright videos', async () => {
  const upright = record('mp4', '-i @0 -c copy -metadata:s:v:0 rotate=90', [blank])
  const { bytes, result } = await burn(srt('一二三四五六七八九十'.repeat(3)), { style: { size: 12 } }, upright)
  expect(result.media).toMatchObject({ width: 200, height: 480 })
  const { left, top, bottom } = findText(readFrames(bytes, 200, 480)[2]!, 200)
  expect([left >= 4, top > 240, bottom - top > 40]).toEqual([true, true, true])
})

test('uses a font that a Matroska file brings for its subtitles', async () => {
  const font = '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'
  const attach =
    '-c copy -c:s ass -attach @2 -metadata:s:t mimetype=application/x-truetype-font -metadata:s:t filename=own.ttf'
  // The name is changed, so that only the file itself can be what is used.
  const bytes = Buffer.from(
    readFileSync(font)
      .toString('latin1')
      .replaceAll('\0D\0e\0j\0a\0V\0u', '\0Q\0u\0x\0z\0y\0w')
      .replaceAll('DejaVu', 'Quxzyw'),
    'latin1',
  )
  const own = ass('iiii').replace('Noto Sans', 'Quxzyw Sans Mono').replace('&H0000FF00', '&H00FFFFFF')
  const mkv = record('mkv', `-i @0 -f ass -i @1 -map 0:v -map 1 ${attach}`, [blank, own, bytes])
  const width = async (file: Buffer) => {
    const burned = await burn('', { subtitles: undefined, track: 1 }, file)
    const frame = readFrames(burned.bytes, WIDTH, HEIGHT)[2]!
    return findText(frame).left
  }
  const without = record('mkv', '-i @0 -f ass -i @1 -map 0:v -map 1 -c copy -c:s ass', [blank, own])
  expect(await width(mkv)).toBeLessThan((await width(without)) - 5)
})

test.each([
  ['', 'SUBTITLE_PARSE_FAILED'],
  ['no times', 'SUBTITLE_PARSE_FAILED'],
  [srt('x', '00:00:99:00'), 'SUBTITLE_PARSE_FAILED'],
  [ass('x').replace('0:00:01.00', 'later'), 'SUBTITLE_PARSE_FAILED'],
  ['<tt><p begin="soon">x</p></tt>', 'SUBTITLE_PARSE_FAILED'],
  [Buffer.from([0x80, 0, 1, 0xff, 0xfe]), 'SUBTITLE_PARSE_FAILED'],
])('refuses %# of what is no subtitles', async (subtitles, code) => {
  await expect(burn(subtitles)).rejects.toMatchObject({ code })
})

test('refuses a track that is not there, and what is neither or both', async () => {
  await expect(burn('', { subtitles: undefined, track: 2 })).rejects.toMatchObject({ code: 'TRACK_NOT_FOUND' })
  await expect(burn('', { subtitles: undefined })).rejects.toMatchObject({ code: 'MISSING_FIELD' })
  await expect(burn(srt('x'), { track: 1 })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  await expect(burn('', { subtitles: undefined, track: 1, encoding: 'utf-8' })).rejects.toMatchObject({
    code: 'CONFLICTING_OPTIONS',
  })
  await expect(burn(srt('x'), {}, sample('tone.wav'))).rejects.toMatchObject({ code: 'NO_VIDEO_STREAM' })
})
