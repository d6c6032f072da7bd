import type { MediaFacts } from '#kit'

/** Our names of common tags, and ffmpeg's. */
export const TAG_NAMES = {
  title: 'title',
  artist: 'artist',
  album: 'album',
  albumArtist: 'album_artist',
  year: 'date',
  genre: 'genre',
  track: 'track',
  disc: 'disc',
  composer: 'composer',
  comment: 'comment',
  description: 'description',
  copyright: 'copyright',
} as const

const OUR_NAMES = new Map<string, string>(Object.entries(TAG_NAMES).map(([ours, theirs]) => [theirs, ours]))
/** Facts of the file format that ffprobe lists as tags. */
const TECHNICAL =
  /^(major_brand|minor_version|compatible_brands|encoder|duration|handler_name|vendor_id|language|rotate|bps|number_of_\w+|_statistics_\w+)/i

/** The tags under names that do not depend on the format. Ogg keeps them with the stream. */
export function readTags({ container, tags, streams }: MediaFacts): Record<string, string> {
  const all = container === 'ogg' ? { ...streams[0]?.tags, ...tags } : tags
  const plain = Object.entries(all).filter(([name]) => !TECHNICAL.test(name))
  return Object.fromEntries(plain.map(([name, value]) => [OUR_NAMES.get(name.toLowerCase()) ?? name, value]))
}

const GPS = /^([+-]\d+(?:\.\d+)?)([+-]\d+(?:\.\d+)?)([+-]\d+(?:\.\d+)?)?/

export function readPlace({ tags }: MediaFacts): { lat: number; lon: number; alt?: number } | undefined {
  const text = tags.location ?? tags['com.apple.quicktime.location.ISO6709'] ?? tags['location-eng'] ?? ''
  const [, lat, lon, alt] = GPS.exec(text) ?? []
  if (lat === undefined || lon === undefined) return undefined
  return { lat: Number(lat), lon: Number(lon), ...(alt !== undefined && { alt: Number(alt) }) }
}

export function readCreationTime({ tags, streams }: MediaFacts): string | undefined {
  return tags['com.apple.quicktime.creationdate'] ?? tags.creation_time ?? streams[0]?.tags.creation_time
}

/** Escapes a value for the text form of tags that ffmpeg reads. */
function escapeTag(text: string): string {
  return text.replace(/[=;#\\\n]/g, '\\$&')
}

interface WrittenChapter {
  start: number
  end: number
  title: string
}

/** A file of chapters as ffmpeg reads it. */
export function renderChapters(chapters: readonly WrittenChapter[]): string {
  const milliseconds = (seconds: number) => Math.round(seconds * 1000)
  const sections = chapters.map(
    ({ start, end, title }) =>
      `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${milliseconds(start)}\nEND=${milliseconds(end)}\ntitle=${escapeTag(title)}\n`,
  )
  return `;FFMETADATA1\n${sections.join('')}`
}
