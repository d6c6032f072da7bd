import type { MediaChapter, MediaFacts, MediaStream } from '#kit'
import { parseBlocks, renderSrt } from '../subtitles/cue.ts'
import { VIDEO_CONTAINERS, type VideoFormat } from './containers.ts'
import type { Ffmpeg } from './result.ts'
import { readSubtitleTrack } from './subtitle-track.ts'
import { renderChapters } from './tags.ts'
import { formatSeconds, type TimeRange } from './times.ts'
import { isTextSubtitle } from './video-output.ts'

/** Where a part of the input is found in the output: nowhere, once, or in several pieces. */
type Timeline = (range: TimeRange) => TimeRange[]

/** The timeline of an output that joins these parts. */
export function joinTimeline(segments: readonly TimeRange[]): Timeline {
  return range => {
    let offset = 0
    const pieces: TimeRange[] = []
    for (const { start, end } of segments) {
      const [from, to] = [Math.max(start, range.start), Math.min(end, range.end)]
      if (to > from) pieces.push({ start: from - start + offset, end: to - start + offset })
      offset += end - start
    }
    return pieces
  }
}

export function sumSeconds(segments: readonly TimeRange[]): number {
  return segments.reduce((sum, { start, end }) => sum + end - start, 0)
}

interface Fades {
  seconds: number
}

/**
 * Filters that cut parts out of a picture and its sounds and join them. The joining filter fills what a sound lacks of
 * its picture with silence, so that both stay in step after every cut.
 */
export function buildSegmentGraph(
  segments: readonly TimeRange[],
  visual: { source: string; filters: readonly string[] } | undefined,
  sounds: readonly { source: string; filters: readonly string[] }[],
  { seconds: fade }: Fades = { seconds: 0 },
): string {
  const tracks = [...(visual ? [{ ...visual, kind: 'v' }] : []), ...sounds.map(sound => ({ ...sound, kind: 'a' }))]
  const graph = tracks.flatMap(({ source, filters, kind }, track) => {
    const prefix = kind === 'v' ? '' : 'a'
    const names = segments.map((_, at) => `[t${track}s${at}]`)
    const split = `[${source}]${[...filters, `${prefix}split=${segments.length}`].join(',')}${names.join('')}`
    const cuts = segments.map(({ start, end }, at) => {
      const cut = [
        `${prefix}trim=${formatSeconds(start)}:${formatSeconds(end)}`,
        `${prefix}setpts=PTS-STARTPTS`,
        ...fadeFilters(`${prefix}fade`, end - start, fade),
      ]
      return `${names[at]}${cut.join(',')}[c${track}s${at}]`
    })
    return [split, ...cuts]
  })
  const order = segments.flatMap((_, at) => tracks.map((__, track) => `[c${track}s${at}]`)).join('')
  const ends = `${visual ? '[visual]' : ''}${sounds.map((_, at) => `[sound${at}]`).join('')}`
  const concat = `${order}concat=n=${segments.length}:v=${visual ? 1 : 0}:a=${sounds.length}${ends}`
  return [...graph, concat].join(';')
}

function fadeFilters(name: string, seconds: number, fade: number): string[] {
  const length = Math.min(fade, seconds / 2)
  if (length <= 0) return []
  return [
    `${name}=t=in:st=0:d=${formatSeconds(length)}`,
    `${name}=t=out:st=${formatSeconds(seconds - length)}:d=${formatSeconds(length)}`,
  ]
}

interface Retiming {
  ffmpeg: Ffmpeg
  path: string
  media: MediaFacts
  to: VideoFormat
  out(name: string): string
  timeline: Timeline
  /** The number of the first input that may be added. */
  firstInput: number
}

/** Moves text subtitles and chapters to where their parts of the recording are now, as further inputs of the run. */
export async function retimeExtras(retiming: Retiming) {
  const { media, to, firstInput } = retiming
  const { subtitle } = VIDEO_CONTAINERS[to]
  const texts = subtitle === undefined ? [] : media.streams.filter(isTextSubtitle)
  const paths = await retimeSubtitles(retiming, texts)
  const chapters = media.chapters.flatMap(chapter => moveChapter(chapter, retiming.timeline))
  const inputs = paths.map(({ path }) => ({ path }))
  const options = paths.flatMap(({ stream }, index) => [
    ...['-map', `${firstInput + index}:0`, `-c:s:${index}`, subtitle!],
    ...(stream.language ? [`-metadata:s:s:${index}`, `language=${stream.language}`] : []),
  ])
  if (chapters.length === 0) return { inputs, options: [...options, '-map_chapters', '-1'] }
  const first = chapters[0]!.start
  // QuickTime chapters are lengths without gaps, so what comes before the first is one of them.
  const lead = first > 0 && (to === 'mp4' || to === 'mov') ? [{ start: 0, end: first, title: '-' }] : []
  const path = await retiming.ffmpeg.write('chapters.txt', renderChapters([...lead, ...chapters]))
  const place = ['-map_chapters', String(firstInput + inputs.length)]
  return { inputs: [...inputs, { path }], options: [...options, ...place] }
}

async function retimeSubtitles(retiming: Retiming, streams: readonly MediaStream[]) {
  const { ffmpeg, timeline } = retiming
  const written: { path: string; stream: MediaStream }[] = []
  for (const [index, stream] of streams.entries()) {
    const content = await readSubtitleTrack(retiming, stream, 'srt', `extracted-${index}`)
    if (!content.includes('-->')) continue
    const cues = parseBlocks(content).flatMap(cue => timeline(cue).map(range => ({ ...cue, ...range })))
    if (cues.length > 0) written.push({ path: await ffmpeg.write(`moved-${index}.srt`, renderSrt(cues)), stream })
  }
  return written
}

function moveChapter({ start, end, title = '' }: MediaChapter, timeline: Timeline) {
  const pieces = timeline({ start, end })
  if (pieces.length === 0) return []
  return [{ start: pieces[0]!.start, end: pieces.at(-1)!.end, title }]
}
