import { Type } from 'typebox'
import { Choice, define, FileOutput } from '#kit'
import { AUDIO_FORMATS, isAudioFormat, VIDEO_FORMATS } from '../formats/media/containers.ts'
import { QUALITIES } from '../formats/media/encoders.ts'
import { perVideoUnit, soundVariant } from '../formats/media/price.ts'
import { rangeFields, resolveRange } from '../formats/media/times.ts'
import { requireAudio } from '../formats/media/tracks.ts'
import { FLIPS, TURNS } from '../formats/media/visual.ts'
import { writeSound } from '../formats/media/write-sound.ts'
import { type ConvertInput, checkOptions, copiesVisual, countUnits, writesSound } from './convert/plan.ts'
import { writeToSize } from './convert/target-size.ts'
import { writeVideo } from './convert/write.ts'
import {
  LONG_RUN_SECONDS,
  MediaInfo,
  MediaInput,
  OUTPUT_TYPES,
  sizeFields,
  trackField,
  VISUAL_ERRORS,
  visualQualityFields,
} from './schema.ts'

const { quality: _, ...qualityFields } = visualQualityFields

export default define({
  summary: 'Convert a video to another format, codec, size or quality, or rotate it.',
  keywords:
    'mp4, shrink a video, 720p, 1080p, 480p, mov to mp4, constant frame rate, webm, mkv, avi, transcode, compress video, h264, h265, hevc, vp9, av1, resize video, smaller, mute, remove the audio from a video, crop a video to vertical, rotate a video, turn a video by 90 degrees, flip or mirror a video, take the sound off a video, a video that is silent, mute a video',
  converts: [{ from: 'video mp4 webm mov mkv avi wmv flv mpg gif', to: 'video mp4 webm mov mkv avi' }],
  description:
    'If only the container changes, picture and sound are copied without loss. What is encoded is upright, has a ' +
    'constant frame rate, square pixels and standard dynamic range, and can be played while it loads. An audio format ' +
    'as `to` takes only the sound.',
  price: perVideoUnit<ConvertInput>(countUnits, [
    { when: 'the picture is copied', factor: 3, applies: copiesVisual, unit: 'call', units: () => 1, maxUnits: 1 },
    soundVariant('only sound is written', writesSound, countUnits),
  ]),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    to: Choice([...VIDEO_FORMATS, ...AUDIO_FORMATS]),
    videoCodec: Choice(['auto', 'h264', 'h265', 'vp9', 'av1', 'copy'], {
      default: 'auto',
      description: '`auto` copies the picture where nothing else about it changes; a codec always encodes.',
    }),
    audioCodec: Choice(['auto', 'aac', 'opus', 'mp3', 'copy', 'none'], { default: 'auto' }),
    ...sizeFields,
    rotate: Type.Optional(
      Type.Unsafe<(typeof TURNS)[number]>({
        type: 'integer',
        enum: [...TURNS],
        description: 'Clockwise, seen as players show it.',
      }),
    ),
    flip: Type.Optional(Choice(FLIPS, { description: 'After the rotation; `horizontal` mirrors left and right.' })),
    fps: Type.Union([Choice(['keep']), Type.Number({ minimum: 1, maximum: 60 })], { default: 'keep' }),
    ...qualityFields,
    quality: Type.Optional(Choice(QUALITIES, { description: 'Default medium; if given, the picture is encoded.' })),
    bitrateKbps: Type.Optional(Type.Integer({ minimum: 24, maximum: 100_000 })),
    targetBytes: Type.Optional(
      Type.Integer({
        minimum: 1000,
        maximum: 500_000_000,
        description: 'The largest size of the output; in two passes.',
      }),
    ),
    ...rangeFields,
    mute: Type.Boolean({ default: false }),
    hdr: Choice(['sdr', 'keep'], { default: 'sdr', description: '`keep` needs h265, vp9 or av1.' }),
    audioTrack: Type.Optional(trackField()),
    subtitles: Choice(['keep', 'drop'], { default: 'keep', description: 'Kept where the format has text subtitles.' }),
  }),
  output: Type.Object({
    output: FileOutput(OUTPUT_TYPES),
    media: MediaInfo,
    targetMet: Type.Optional(Type.Boolean({ description: 'Whether targetBytes was reached.' })),
  }),
  errors: [...VISUAL_ERRORS, 'NO_AUDIO_STREAM', 'TRACK_NOT_FOUND', 'INCOMPATIBLE_STREAMS', 'MISSING_FIELD'],
  examples: [
    {
      title: 'Into another container, without loss',
      input: { file: 'sample:clip.mp4', to: 'mkv' },
      answer: { media: { width: 64, height: 48, videoCodec: 'h264', audioCodec: 'aac' } },
    },
    {
      title: 'A smaller picture',
      input: { file: 'sample:clip.mp4', to: 'mp4', width: 32, speedPreset: 'ultrafast' },
      answer: { media: { width: 32, height: 24, fps: 10, videoCodec: 'h264' } },
    },
  ],

  async run(input, { ffmpeg, out }) {
    checkOptions(input)
    const { file, to, targetBytes } = input
    const media = file.facts.media!
    if (isAudioFormat(to)) {
      const audio = requireAudio(media, input.audioTrack)
      const source = { file, media, audio, range: resolveRange(input, media.seconds) }
      const keep = { sampleRate: 'keep', channels: 'keep', tags: 'keep', cover: 'keep' } as const
      return writeSound(ffmpeg, source, out(`audio.${to}`), { ...keep, to, quality: input.quality ?? 'medium' })
    }
    const job = { ffmpeg, input, media, to, path: out(`video.${to}`) }
    if (targetBytes !== undefined) return writeToSize(job, targetBytes, ffmpeg.sizeOf)
    const { result, warnings } = await writeVideo(job)
    return { result: result!, warnings }
  },
})
