import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, type InputFile, listAudio, Problem } from '#kit'
import { AUDIO_CONTENT_TYPES, AUDIO_FORMATS, type AudioFormat } from '../formats/media/containers.ts'
import { countAudioUnits, perAudioUnit } from '../formats/media/price.ts'
import { rangeFields, resolveRange, type Time } from '../formats/media/times.ts'
import { requireAudio, type Track } from '../formats/media/tracks.ts'
import { writeSound } from '../formats/media/write-sound.ts'
import { checkParts } from '../formats/pdf/manifest.ts'
import { COPY_CONTENT_TYPES, checkCopy, copySound } from './audio-extract/copy.ts'
import {
  editFields,
  LONG_RUN_SECONDS,
  MediaInfo,
  MediaInput,
  SOUND_ERRORS,
  soundFields,
  tagFields,
  trackField,
} from './schema.ts'

interface Input {
  file: InputFile
  to: AudioFormat | 'copy'
  track: Track
  allTracks: boolean
  start?: Time
  end?: Time
}

const price = perAudioUnit<Input>(
  ({ file, allTracks, ...range }) => {
    const { start, end } = resolveRange(range, file.facts.seconds ?? 0)
    return countAudioUnits(end - start) * (allTracks ? Math.max(1, listAudio(file.facts.media).length) : 1)
  },
  [
    {
      when: 'the sound is copied',
      factor: 2,
      applies: ({ to }) => to === 'copy',
      unit: 'call',
      units: () => 1,
      maxUnits: 1,
    },
  ],
)

export default define({
  summary: 'Take the sound out of a video.',
  keywords:
    'extract audio, video to mp3, rip soundtrack, mp4 to m4a, get music from video, audio track, language, trim audio to mp3, part of a recording as mp3',
  converts: [{ from: 'video mp4 webm mov mkv avi wmv flv mpg', to: 'audio mp3 wav flac ogg opus aac m4a aiff' }],
  description:
    '`copy` takes the sound without loss into a file that fits it: aac into m4a, opus into ogg, ac3 into ac3. ' +
    'With `allTracks` every track becomes a file.',
  price,
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    track: trackField({ default: 1 }),
    to: Choice(['copy', ...AUDIO_FORMATS], { default: 'copy' }),
    allTracks: Type.Boolean({ default: false }),
    ...soundFields,
    ...editFields,
    ...rangeFields,
    ...tagFields,
  }),
  output: Type.Object({
    output: Type.Optional(FileOutput([...AUDIO_CONTENT_TYPES, ...COPY_CONTENT_TYPES])),
    media: Type.Optional(MediaInfo),
    files: Type.Optional(
      FileManifest([...AUDIO_CONTENT_TYPES, ...COPY_CONTENT_TYPES], {
        track: Type.Integer({ minimum: 1 }),
        language: Type.Optional(Type.String()),
        media: MediaInfo,
      }),
    ),
  }),
  errors: [...SOUND_ERRORS, 'TRACK_NOT_FOUND', 'TOO_MANY_OUTPUTS'],
  examples: [
    {
      title: 'The sound as it is',
      input: { file: 'sample:clip.mp4' },
      answer: { output: { contentType: 'audio/x-m4a' }, media: { audioCodec: 'aac' } },
    },
    { title: 'Every language as FLAC', input: { file: 'sample:captioned.mkv', to: 'flac', allTracks: true } },
  ],

  async run({ file, track, to, allTracks, start, end, ...options }, { ffmpeg, out }) {
    if (allTracks && track !== 1) throw new Problem('CONFLICTING_OPTIONS', { fields: ['allTracks', 'track'] })
    const media = file.facts.media!
    if (to === 'copy') checkCopy({ start, end, ...options })
    const range = resolveRange({ start, end }, media.seconds)
    const first = requireAudio(media, allTracks ? 1 : track)
    const extract = async (audio: typeof first, name: string) => {
      const source = { file, media, audio, range }
      if (to === 'copy') return copySound(ffmpeg, source, out, name, options)
      const written = await writeSound(ffmpeg, source, out(`${name}.${to}`), { ...options, to })
      return { ...written, result: { ...written.result, output: { ...written.result.output, name: `${name}.${to}` } } }
    }
    if (!allTracks) return extract(first, 'audio')
    const streams = listAudio(media)
    checkParts(streams.length, false)
    const files = []
    const warnings = []
    for (const [index, audio] of streams.entries()) {
      const { result, warnings: more } = await extract(audio, `track-${index + 1}`)
      const language = audio.language === undefined ? {} : { language: audio.language }
      files.push({ ...result.output, index, track: index + 1, ...language, media: result.media })
      warnings.push(...more)
    }
    return { result: { files }, warnings }
  },
})
