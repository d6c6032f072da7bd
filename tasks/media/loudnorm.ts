import { Type } from 'typebox'
import { Choice, define, FileOutput, findVideo, type InputFile, Problem } from '#kit'
import { AUDIO_FORMATS } from '../formats/media/containers.ts'
import { countAudioUnits, perAudioUnit } from '../formats/media/price.ts'
import { readResult } from '../formats/media/result.ts'
import { chooseSoundFormat } from '../formats/media/sound-only.ts'
import { requireAudio } from '../formats/media/tracks.ts'
import { chooseContainer, encodeSound, muxOptions, nameVideo, planExtras } from '../formats/media/video-output.ts'
import { writeSound } from '../formats/media/write-sound.ts'
import { buildFilter, parseReport, readLoudness } from './loudnorm/measure.ts'
import { LONG_RUN_SECONDS, MediaInfo, MediaInput, OUTPUT_TYPES, quality, SOUND_ERRORS } from './schema.ts'

const PRESETS = { podcast: -16, broadcast: -23, streaming: -14 } as const
const Figure = Type.Union([Type.Number(), Type.Null()], { description: 'Null of digital silence.' })
const Loudness = Type.Object({ integrated: Figure, truePeak: Figure, lra: Type.Number(), threshold: Figure })

export default define({
  summary: 'Bring a recording to a loudness by EBU R128, or measure it.',
  keywords: 'normalise volume, loudness, lufs, too quiet, louder, podcast level, true peak, ebu r128, mastering',
  description:
    'Measures first and then changes the volume evenly wherever the peaks allow it. The sample rate stays, and the ' +
    'picture of a video is copied. Digital silence is returned unchanged.',
  price: perAudioUnit<{ file: InputFile; measureOnly: boolean }>(
    ({ file, measureOnly }) => countAudioUnits(file.facts.seconds ?? 0) * (measureOnly ? 1 : 2),
  ),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    target: Type.Optional(Type.Number({ minimum: -70, maximum: -5, description: 'LUFS, by default -16.' })),
    preset: Type.Optional(Choice(['podcast', 'broadcast', 'streaming'], { description: '-16, -23 or -14 LUFS.' })),
    truePeak: Type.Number({ default: -1.5, minimum: -9, maximum: 0 }),
    lra: Type.Number({ default: 11, minimum: 1, maximum: 50, description: 'The largest loudness range.' }),
    measureOnly: Type.Boolean({ default: false }),
    to: Choice(['keep', ...AUDIO_FORMATS], { default: 'keep' }),
    quality,
  }),
  output: Type.Object({
    output: Type.Optional(FileOutput(OUTPUT_TYPES)),
    media: Type.Optional(MediaInfo),
    loudness: Type.Object({ input: Loudness, output: Type.Optional(Loudness), linear: Type.Optional(Type.Boolean()) }),
  }),
  errors: [...SOUND_ERRORS],
  examples: [
    {
      title: 'How loud a tone is',
      input: { file: 'sample:tone.wav', measureOnly: true },
      answer: { loudness: { input: { lra: 0 } } },
    },
  ],

  async run({ file, target, preset, truePeak, lra, measureOnly, to, quality }, { ffmpeg, out }) {
    refuseBoth({ target, preset })
    refuseBoth({ measureOnly: measureOnly || undefined, to: to === 'keep' ? undefined : to })
    const media = file.facts.media!
    const audio = requireAudio(media)
    const goal = { target: target ?? PRESETS[preset ?? 'podcast'], truePeak, lra, isMono: audio.channels === 1 }
    const measure = { options: ['-map', `0:${audio.index}`, '-af', buildFilter(goal)] }
    const run = { inputs: [{ path: file.path }], outputs: [measure], seconds: media.seconds, logLevel: 'info' } as const
    const report = parseReport((await ffmpeg.run(run)).log)
    const input = readLoudness(report, 'input')
    if (measureOnly) return { result: { loudness: { input } } }
    const isSilent = input.integrated === null
    const filters = isSilent ? [] : [buildFilter(goal, report), `aresample=${audio.sampleRate ?? 48_000}`]
    const video = to === 'keep' ? findVideo(media) : undefined
    const written = video ? await writeVideo() : await writeAudio()
    const second = isSilent ? undefined : parseReport(written.log)
    const output = second ? readLoudness(second, 'output') : input
    const silence = { code: 'SILENT', message: 'The recording is silent, so its loudness was not changed.' }
    const linear = second?.normalization_type === 'linear'
    return {
      result: { ...written.result, loudness: { input, output, linear } },
      warnings: [...written.warnings, ...(isSilent ? [silence] : [])],
    }

    async function writeAudio() {
      const format = to === 'keep' ? chooseSoundFormat(media, audio) : to
      const keep = { sampleRate: 'keep', channels: 'keep', tags: 'keep', cover: 'keep' } as const
      const source = { file, media, audio, range: { start: 0, end: media.seconds } }
      return writeSound(ffmpeg, source, out(`audio.${format}`), {
        ...keep,
        to: format,
        quality,
        filters,
        logLevel: 'info',
      })
    }

    /** The picture is copied beside the new sound. */
    async function writeVideo() {
      const container = chooseContainer(media)
      const path = out(`video.${container}`)
      const sound = encodeSound(audio, container, { quality })
      const extras = planExtras(media, container, true)
      const maps = ['-map', `0:${video!.index}`, '-map', '[sound]', ...extras.options, '-c:v', 'copy', ...sound.encoder]
      const graph = `[0:${audio.index}]${[...filters, ...sound.filters].join(',')}[sound]`
      const outputs = [{ path, options: [...maps, ...muxOptions(container)] }]
      const { log } = await ffmpeg.run({
        inputs: [{ path: file.path }],
        graph,
        outputs,
        seconds: media.seconds,
        logLevel: 'info',
      })
      return { result: await readResult(ffmpeg, path, nameVideo(container)), warnings: extras.warnings, log }
    }
  },
})

function refuseBoth(options: Record<string, unknown>): void {
  const isGiven = Object.values(options).every(value => value !== undefined)
  if (isGiven) throw new Problem('CONFLICTING_OPTIONS', { fields: Object.keys(options) })
}
