import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describePlainFile } from '../../pools/tools/ffmpeg/plain-file.ts'
import { type ProbeOutput, parseMediaFacts } from '../../tasks/formats/media/description.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { sample } from '../support/media/recordings.ts'

const VISUAL = '-map 0 -t 1 -c:v libx264 -pix_fmt yuv420p'
const SOUND = '-map 1 -t 1 -c:a aac'
const COLORS = '-colorspace smpte170m -color_primaries smpte170m -color_trc smpte170m'

const PLAIN: Record<string, string> = {
  'with reordered frames': `${VISUAL} ${SOUND} -r 30000/1001 -preset fast`,
  'without reordered frames': `${VISUAL} ${SOUND} -profile:v baseline -ar 48000 -ac 2 -movflags +faststart`,
  'cropped, with colors': `${VISUAL} -vf scale=66:50,setsar=1 -r 12.5 -preset ultrafast ${COLORS}`,
  'with tags': `${VISUAL} ${SOUND} -preset ultrafast -metadata title=Tide -metadata:s:a language=eng -metadata creation_time=2024-05-06T07:08:09Z`,
  'of sound': SOUND,
}
const OTHER: Record<string, string> = {
  'full range': `${VISUAL} -pix_fmt yuvj420p`,
  'oblong pixels': `${VISUAL} -vf setsar=4/3`,
  interlaced: `${VISUAL} -flags +ildct+ilme`,
  'more colors': `${VISUAL} -pix_fmt yuv444p`,
  'wide colors': `${VISUAL} -colorspace bt2020nc -color_trc smpte2084`,
  'in fragments': `${VISUAL} -movflags frag_keyframe+empty_moov`,
  'letters that not every reader decodes': `${VISUAL} -metadata title=Été`,
  'a QuickTime file': `${SOUND} -f mov`,
  'another codec': '-map 0 -t 1 -c:v mpeg4',
}

let folder: Awaited<ReturnType<typeof freshFolder>>
const pathOf = (name: string) => join(folder.path, `${Object.keys({ ...PLAIN, ...OTHER }).indexOf(name)}.mp4`)
const edit = (name: string, change: (bytes: Buffer) => Buffer) => {
  const path = join(folder.path, 'edited.mp4')
  writeFileSync(path, change(readFileSync(pathOf(name))))
  return path
}

beforeAll(async () => {
  folder = await freshFolder()
  const inputs = '-f lavfi -i testsrc2=s=64x48:r=10 -f lavfi -i sine'.split(' ')
  const outputs = Object.entries({ ...PLAIN, ...OTHER }).flatMap(([name, options]) => [
    ...options.split(' '),
    pathOf(name),
  ])
  execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...inputs, ...outputs])
})
afterAll(() => folder[Symbol.asyncDispose]())

function askProbe(path: string): ProbeOutput {
  const args = ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', '-show_chapters', path]
  return JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' })) as ProbeOutput
}

async function requireSameFacts(path: string): Promise<void> {
  const output = await describePlainFile(path)
  expect(output && parseMediaFacts(output)).toEqual(parseMediaFacts(askProbe(path)))
}

test.each(Object.keys(PLAIN))('tells of a plain recording %s what ffprobe tells', async name => {
  await requireSameFacts(pathOf(name))
})

test('tells of the sample what ffprobe tells', () => requireSameFacts(sample('clip.mp4')))

test.each(Object.keys(OTHER))('leaves to ffprobe: %s', async name => {
  expect(await describePlainFile(pathOf(name))).toBeUndefined()
})

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['nothing', () => Buffer.alloc(0)],
  ['another format', () => Buffer.from('RIFF\0\0\0\0WAVEfmt ')],
  ['a file that was cut off', bytes => bytes.subarray(0, -200)],
  ['a box that lasts to the end', bytes => Buffer.concat([bytes, Buffer.from([0, 0, 0, 0, ...Buffer.from('free')])])],
  ['samples beyond the media', bytes => replace(bytes, 'stsz', 12, Buffer.from([127, 255, 255, 255]))],
  ['more samples than the index has', bytes => replace(bytes, 'stsz', 8, Buffer.from([127, 255, 255, 255]))],
  ['a turned picture', bytes => replace(bytes, 'tkhd', 40, Buffer.from([0, 0, 0, 0]))],
  ['media in another file', bytes => replace(bytes, 'url ', 3, Buffer.from([0]))],
  ['an unknown box', bytes => replace(bytes, 'smhd', -4, Buffer.from('xmhd'))],
  ['a header of another profile', bytes => replace(bytes, 'avcC', 9, Buffer.from([110]))],
])('leaves to ffprobe: %s', async (_, change) => {
  expect(await describePlainFile(edit('with reordered frames', change))).toBeUndefined()
})

/** Writes bytes at a place after the name of a box. */
function replace(bytes: Buffer, box: string, offset: number, content: Buffer): Buffer {
  const at = bytes.indexOf(box) + 4 + offset
  expect(at).toBeGreaterThan(4)
  content.copy(bytes, at)
  return bytes
}

test('no changed bit of the index is an error, or loses a track', async () => {
  const start = readFileSync(pathOf('with reordered frames')).indexOf('moov')
  for (let step = 0; step < 500; step += 1) {
    const path = edit('with reordered frames', bytes => {
      bytes[start + step * 3]! ^= 1 << (step % 8)
      return bytes
    })
    const output = await describePlainFile(path)
    if (output) expect(output.streams).toHaveLength(2)
  }
})
