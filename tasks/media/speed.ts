import { Type } from 'typebox'
import { Choice, define, FileOutput, findVideo, listAudio, Problem } from '#kit'
import { damageWarnings, readResult } from '../formats/media/result.ts'
import { retimeExtras } from '../formats/media/segments.ts'
import { chooseSoundFormat } from '../formats/media/sound-only.ts'
import { formatSeconds } from '../formats/media/times.ts'
import {
  addressStream,
  chooseContainer,
  encodeSound,
  encodeVisual,
  muxOptions,
  nameVideo,
} from '../formats/media/video-output.ts'
import { formatRate, planRate } from '../formats/media/visual.ts'
import { writeSound } from '../formats/media/write-sound.ts'
import { LONG_RUN_SECONDS, MediaInfo, MediaInput, OUTPUT_TYPES, VISUAL_ERRORS, visualQualityFields } from './schema.ts'
import { PRICE } from './speed/price.ts'
import { buildTempoFilters, SMOOTHING } from './speed/tempo.ts'

export default define({
  summary: 'Play a video or an audio file faster or slower.',
  keywords:
    'speed up, slow motion, time lapse, 2x, playback rate, tempo, faster, slower, fast forward, speed up a lecture, play a recording faster',
  description: 'The pitch of voices stays unless `pitch` is `shift`. Subtitles and chapters move along.',
  price: PRICE,
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    factor: Type.Number({ minimum: 0.25, maximum: 4, description: '2 is twice as fast.' }),
    pitch: Choice(['keep', 'shift'], { default: 'keep' }),
    smooth: Choice(['none', 'blend', 'motion'], {
      default: 'none',
      description: 'How frames between frames are made; `motion` takes very long.',
    }),
    fpsCap: Type.Number({ default: 60, minimum: 1, maximum: 60 }),
    ...visualQualityFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), media: MediaInfo }),
  errors: [...VISUAL_ERRORS, 'NO_AUDIO_STREAM'],
  examples: [
    {
      title: 'Twice as fast',
      input: { file: 'sample:clip.mp4', factor: 2, speedPreset: 'ultrafast' },
      answer: { media: { durationSec: 0.5, fps: 10 } },
    },
  ],

  async run({ file, factor, pitch, smooth, fpsCap, ...encoding }, { ffmpeg, out }) {
    const media = file.facts.media!
    const video = findVideo(media)
    const seconds = media.seconds / factor
    if (!video) {
      const [audio] = listAudio(media)
      if (!audio) throw new Problem('NO_AUDIO_STREAM')
      const to = chooseSoundFormat(media, audio)
      const keep = { sampleRate: 'keep', channels: 'keep', tags: 'keep', cover: 'keep' } as const
      const source = { file, media, audio, range: { start: 0, end: media.seconds } }
      const filters = buildTempoFilters(factor, pitch, audio.sampleRate)
      return writeSound(ffmpeg, source, out(`audio.${to}`), {
        ...keep,
        to,
        quality: encoding.quality,
        filters,
        seconds,
      })
    }
    const to = chooseContainer(media)
    const path = out(`video.${to}`)
    const rate = Math.min(fpsCap, planRate(video))
    const { filters, encoder } = encodeVisual(video, to, { videoCodec: 'auto', ...encoding })
    const motion = smooth === 'none' ? [] : [`${SMOOTHING[smooth]}:fps=${formatRate(rate)}`]
    const timed = [...filters, `setpts=PTS/${factor}`, ...motion, `fps=${formatRate(rate)}:start_time=0`]
    const sounds = listAudio(media).map(audio => {
      const sound = encodeSound(audio, to)
      return { ...sound, filters: [...sound.filters, ...buildTempoFilters(factor, pitch, audio.sampleRate)], audio }
    })
    const graph = [
      `[0:${video.index}]${timed.join(',')}[visual]`,
      ...sounds.map(({ filters: chain, audio }, at) => `[0:${audio.index}]${chain.join(',')}[sound${at}]`),
    ]
    const timeline = ({ start, end }: { start: number; end: number }) => [{ start: start / factor, end: end / factor }]
    const extras = await retimeExtras({ ffmpeg, path: file.path, media, to, out, timeline, firstInput: 1 })
    const maps = sounds.flatMap(sound => [
      '-map',
      `[sound${sounds.indexOf(sound)}]`,
      ...addressStream(sound.encoder, sounds.indexOf(sound)),
    ])
    const options = [
      '-map',
      '[visual]',
      ...encoder,
      ...maps,
      ...extras.options,
      '-t',
      formatSeconds(seconds),
      ...muxOptions(to),
    ]
    const inputs = [{ path: file.path }, ...extras.inputs]
    const { isDamaged } = await ffmpeg.run({ inputs, graph: graph.join(';'), outputs: [{ path, options }], seconds })
    return { result: await readResult(ffmpeg, path, nameVideo(to)), warnings: damageWarnings(isDamaged) }
  },
})
