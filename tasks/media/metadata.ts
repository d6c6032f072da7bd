import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, type MediaFacts, Problem, perCall } from '#kit'
import { readCreationTime, readPlace, readTags, TAG_NAMES } from '../formats/media/tags.ts'
import { TimeField } from '../formats/media/times.ts'
import { type TagValues, WRITTEN_TYPES, writeTags } from './metadata/write.ts'
import { MEDIA_ERRORS, MediaInfo, MediaInput } from './schema.ts'

const MAX_COVER_BYTES = 5 * 2 ** 20
const COVER_TYPES: Record<string, string> = { mjpeg: 'image/jpeg', png: 'image/png' }
const Tags = Type.Record(Type.String(), Type.String())
const TagValue = Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()])
const Language = Type.Union([Type.String({ pattern: '^[a-z]{3}$' }), Type.Null()], {
  description: 'Of the first sound track, in three letters.',
})
const names = Object.keys(TAG_NAMES) as (keyof typeof TAG_NAMES)[]
const fields = Object.fromEntries(names.map(name => [name, Type.Optional(TagValue)]))

export default define({
  summary: 'Read, write or remove the tags of an audio or video file.',
  keywords:
    'id3, mp3 tags, title, artist, album, cover art, chapters, remove gps from video, strip metadata, vorbis comment',
  description:
    'Nothing is encoded. `set` changes single tags and null removes one; `cover` and `chapters` replace what is there. ' +
    '`strip` removes all tags, the cover, the place and the creation time, and keeps the chapters.',
  price: perCall<{ action: string }>('0.001', [
    { when: 'tags are written or removed', factor: 2, applies: ({ action }) => action !== 'read' },
  ]),
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    action: Choice(['read', 'write', 'strip'], { default: 'read' }),
    set: Type.Optional(Type.Object({ ...fields, language: Type.Optional(Language) }, { minProperties: 1 })),
    cover: Type.Optional(Type.Union([FileInput({ accept: ['image/jpeg', 'image/png'] }), Type.Null()])),
    chapters: Type.Optional(
      Type.Array(Type.Object({ start: TimeField(), title: Type.String({ maxLength: 500 }) }), { maxItems: 200 }),
    ),
  }),
  output: Type.Object({
    tags: Type.Optional(Tags),
    cover: Type.Optional(Type.Object({ mime: Type.String(), width: Type.Integer(), height: Type.Integer() })),
    chapters: Type.Optional(
      Type.Array(Type.Object({ start: Type.Number(), end: Type.Number(), title: Type.Optional(Type.String()) })),
    ),
    streams: Type.Optional(Type.Array(Type.Object({ index: Type.Integer(), type: Type.String(), tags: Tags }))),
    gps: Type.Optional(Type.Object({ lat: Type.Number(), lon: Type.Number(), alt: Type.Optional(Type.Number()) })),
    creationTime: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput(WRITTEN_TYPES)),
    media: Type.Optional(MediaInfo),
  }),
  errors: [...MEDIA_ERRORS, 'METADATA_INVALID', 'CONFLICTING_OPTIONS', 'MISSING_FIELD', 'BAD_TIME_RANGE'],
  examples: [
    { title: 'Read the tags', input: { file: 'sample:clip.mp4' }, answer: { tags: { title: 'Clip' } } },
    {
      title: 'Name a song',
      input: { file: 'sample:tone.wav', action: 'write', set: { title: 'A', artist: 'Ada' } },
      answer: { media: { audioCodec: 'pcm_s16le' } },
    },
  ],

  async run({ file, action, set, cover, chapters }, { ffmpeg, out }) {
    const given = Object.entries({ set, cover, chapters }).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    )
    if (action !== 'write' && given.length > 0)
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', ...given] })
    if (action === 'write' && given.length === 0)
      throw new Problem('MISSING_FIELD', { field: 'set', oneOf: ['set', 'cover', 'chapters'] })
    if (action === 'read') return { result: describe(file.facts.media!) }
    if (cover && cover.sizeBytes > MAX_COVER_BYTES)
      throw new Problem('METADATA_INVALID', { field: 'cover', limit: MAX_COVER_BYTES, actual: cover.sizeBytes })
    const changes = { set: set as TagValues, cover, chapters, isStripped: action === 'strip' }
    return writeTags({ ffmpeg, file, out, changes })
  },
})

function describe(media: MediaFacts) {
  const cover = media.streams.find(({ isCover }) => isCover)
  const [gps, creationTime] = [readPlace(media), readCreationTime(media)]
  return {
    tags: readTags(media),
    chapters: media.chapters,
    streams: media.streams.map(({ index, type, tags }) => ({ index, type, tags })),
    ...(cover && {
      cover: { mime: COVER_TYPES[cover.codec] ?? 'image/*', width: cover.width ?? 0, height: cover.height ?? 0 },
    }),
    ...(gps && { gps }),
    ...(creationTime !== undefined && { creationTime }),
  }
}
