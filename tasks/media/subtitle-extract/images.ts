import { createHash } from 'node:crypto'
import { type MediaFacts, type MediaStream, Problem, type Tools } from '#kit'
import { keepTimesOptions } from '../../formats/media/times.ts'
import { nameLanguage } from '../../formats/media/tracks.ts'
import { resolveLanguages } from '../../formats/ocr/languages.ts'
import type { Cue } from '../../formats/subtitles/cue.ts'

/** Of one call, which a long film does not reach. */
export const MAX_READ_CUES = 2_000
/** A film of that many cues has each once as shown and once as cleared, and some again. */
const MAX_FRAMES = 4 * MAX_READ_CUES
/** ffmpeg rounds the times of pictures to frames of this length. */
const FRAME_SECONDS = 0.04
/** A picture whose end the file does not tell is shown this long. */
const OPEN_END_SECONDS = 5
const BLOCK_LAYOUT = 6

interface Source {
  ffmpeg: Tools['ffmpeg']
  tesseract: Tools['tesseract']
  out(name: string): string
  path: string
  stream: MediaStream
  media: MediaFacts
  languages: readonly string[]
}

interface ReadCues {
  cues: Cue[]
  /** Mean of all cues, from 0 to 100. */
  confidence: number
}

/** The languages that are asked for, else that of the track. */
export async function chooseLanguages(
  tesseract: Tools['tesseract'],
  requested: readonly string[] | undefined,
  { language }: MediaStream,
): Promise<string[]> {
  const tagged = language === undefined || language === 'und' ? 'eng' : nameLanguage(language)
  return resolveLanguages(requested ?? [tagged], await tesseract.listLanguages())
}

/** Reads each picture of a track once, however often it is shown again. */
export async function readImages(source: Source, name: string, maxCues: number): Promise<ReadCues> {
  const { tesseract, languages, media } = source
  const { frames, packetTimes } = await drawFrames(source, name)
  const shown = listShown(frames, packetTimes, media.seconds)
  if (shown.length > maxCues) throw new Problem('TOO_MANY_OUTPUTS', { limit: MAX_READ_CUES, unit: 'cues' })
  const readings = new Map<string, Promise<{ text: string; confidence: number }>>()
  const read = ({ hash, path }: Shown) => {
    const reading =
      readings.get(hash) ?? tesseract.recognizePage({ path }, { languages, layout: BLOCK_LAYOUT, dpi: DPI })
    readings.set(hash, reading)
    return reading
  }
  const found = await Promise.all(shown.map(async image => ({ ...image, ...(await read(image)) })))
  const cues = found.flatMap(({ start, end, text }) => {
    const lines = text.split('\n').flatMap(line => line.trim() || [])
    return lines.length > 0 ? [{ start, end, text: lines.join('\n') }] : []
  })
  const sum = found.reduce((total, { confidence }) => total + confidence, 0)
  return { cues, confidence: found.length === 0 ? 0 : Math.round((sum / found.length) * 10) / 10 }
}

const DPI = 150
/** Letters of subtitles are then about as high as Tesseract reads them best; twice as high it takes ß for fs. */
const READ_WIDTH = 1_280

interface Frame {
  seconds: number
  hash: string
  path: string
}

/** Subtitles are light with a dark outline: on black and then inverted, only their letters are dark. */
async function drawFrames({ ffmpeg, out, path, stream, media }: Source, name: string) {
  const flatten = `format=gbrap,premultiply=inplace=1,format=gray,negate,scale=${READ_WIDTH}:-1`
  const limits = ['-fps_mode', 'passthrough', '-frames:v', String(MAX_FRAMES)]
  const [times, packets] = [out(`${name}.md5`), out(`${name}.crc`)]
  await ffmpeg.run({
    inputs: [{ path, options: keepTimesOptions(media.startSeconds) }],
    graph: `[0:${stream.index}]${flatten},split[drawn][timed]`,
    outputs: [
      { path: out(`${name}-%d.png`), options: ['-map', '[drawn]', ...limits, '-f', 'image2'] },
      { path: times, options: ['-map', '[timed]', ...limits, '-f', 'framemd5'] },
      { path: packets, options: ['-map', `0:${stream.index}`, '-c:s', 'copy', '-f', 'framecrc'] },
    ],
  })
  const readList = async (list: string) => parseFrameList(Buffer.from(await ffmpeg.read(list)).toString('latin1'))
  const frames = (await readList(times)).map(
    ({ seconds, size, hash }, index): Frame => ({
      seconds,
      hash: hash === hashBlank(size) ? '' : hash,
      path: out(`${name}-${index + 1}.png`),
    }),
  )
  if (frames.length >= MAX_FRAMES) throw new Problem('TOO_MANY_OUTPUTS', { limit: MAX_READ_CUES, unit: 'cues' })
  return { frames, packetTimes: (await readList(packets)).map(({ seconds }) => seconds) }
}

/** Lines of a list of frames: stream, decoding time, time, duration, size, hash. */
function parseFrameList(text: string): { seconds: number; size: number; hash: string }[] {
  const [, numerator = '1', denominator = '1'] = /^#tb 0: (\d+)\/(\d+)/m.exec(text) ?? []
  const unit = Number(numerator) / Number(denominator)
  return text.split('\n').flatMap(line => {
    const fields = line.split(',').map(field => field.trim())
    if (line.startsWith('#') || fields.length < 6) return []
    return [{ seconds: Number(fields[2]) * unit, size: Number(fields[4]), hash: fields[5]! }]
  })
}

const blanks = new Map<number, string>()

function hashBlank(size: number): string {
  const known = blanks.get(size) ?? createHash('md5').update(Buffer.alloc(size, 255)).digest('hex')
  blanks.set(size, known)
  return known
}

interface Shown extends Frame {
  start: number
  end: number
}

/** When each picture appears and goes. ffmpeg repeats frames, and shows some for no time. */
function listShown(frames: readonly Frame[], packetTimes: readonly number[], totalSeconds: number): Shown[] {
  const changes = frames.filter(({ seconds }, index) => frames[index + 1]?.seconds !== seconds)
  const distinct = changes.filter(({ hash }, index) => changes[index - 1]?.hash !== hash)
  return distinct.flatMap((frame, index) => {
    if (frame.hash === '') return []
    const start = snap(frame.seconds, packetTimes)
    const next = distinct[index + 1]?.seconds ?? Infinity
    const isOpen = next > Math.max(totalSeconds, start) + 1
    const end = isOpen ? Math.min(start + OPEN_END_SECONDS, Math.max(totalSeconds, start + 1)) : snap(next, packetTimes)
    return end > start ? [{ ...frame, start, end }] : []
  })
}

/** The time of the packet that a frame was made of, which is exact. */
function snap(seconds: number, packetTimes: readonly number[]): number {
  return packetTimes.find(time => Math.abs(time - seconds) <= FRAME_SECONDS) ?? seconds
}
