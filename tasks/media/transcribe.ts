import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, type Price, usd } from '#kit'
import { SPOKEN_LANGUAGES } from '../formats/language/spoken.ts'
import { damageWarnings } from '../formats/media/result.ts'
import { joinSpeech, SAMPLE_RATE } from '../formats/media/speech.ts'
import { rangeFields, resolveRange, roundSeconds, seekOptions, type Time } from '../formats/media/times.ts'
import { requireAudio, type Track } from '../formats/media/tracks.ts'
import { LONG_RUN_SECONDS, MEDIA_ERRORS, MediaInput, trackField } from './schema.ts'
import { renderTranscript, TRANSCRIPT_TYPES } from './transcribe/render.ts'

interface Input {
  file: InputFile
  track: Track
  start?: Time
  end?: Time
}

function choosePart({ file, ...range }: Pick<Input, 'file' | 'start' | 'end'>) {
  const part = resolveRange(range, file.facts.seconds ?? 0)
  return { ...part, seconds: part.end - part.start }
}

const PRICE: Price<Input> = {
  unit: 'started minute',
  rateMicros: usd('0.008'),
  baseMicros: 0n,
  basis: 'content',
  minUnits: 1,
  units: input => Math.max(1, Math.ceil(choosePart(input).seconds / 60)),
}

const times = { start: Type.Number({ minimum: 0 }), end: Type.Number({ minimum: 0 }) }
const Word = Type.Object({ ...times, word: Type.String() })

export default define({
  summary: 'Write down what is said in a recording.',
  keywords:
    'transcribe, speech to text, stt, asr, whisper, transcript of a podcast or meeting, dictation, voice memo to text, ' +
    'auto captions, make subtitles, transcriptions',
  converts: [{ from: 'audio video mp3 wav m4a mp4 speech voice', to: 'text srt vtt' }],
  description:
    'Gives the text, its segments with seconds from the beginning of the recording, and a file of subtitles or text. The ' +
    'provider that the operator chose gets the sound alone.',
  price: PRICE,
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg', 'transcriber'],
  input: Type.Object({
    file: MediaInput(),
    to: Choice(['srt', 'vtt', 'txt', 'json'], { default: 'srt', description: 'What the file is.' }),
    language: Type.Optional(Choice(SPOKEN_LANGUAGES, { description: 'What is spoken; detected by default.' })),
    words: Type.Boolean({ default: false, description: 'Times of words too, where the provider tells them.' }),
    track: trackField({ default: 1 }),
    ...rangeFields,
  }),
  output: Type.Object({
    text: Type.String(),
    segments: Type.Array(Type.Object({ ...times, text: Type.String(), words: Type.Optional(Type.Array(Word)) })),
    language: Type.Optional(Type.String({ description: 'ISO 639-1; absent if the provider does not tell it.' })),
    durationSec: Type.Number({ minimum: 0 }),
    output: FileOutput(Object.values(TRANSCRIPT_TYPES)),
  }),
  errors: [
    ...MEDIA_ERRORS,
    'NO_AUDIO_STREAM',
    'TRACK_NOT_FOUND',
    'BAD_TIME_RANGE',
    'INVALID_PARAM',
    'PROVIDER_UNAVAILABLE',
  ],
  examples: [{ title: 'As subtitles', input: { file: 'sample:tone.wav' } }],

  async run({ file, to, language, words, track, ...range }, { ffmpeg, transcriber, out }) {
    const media = file.facts.media!
    const audio = requireAudio(media, track)
    const { start, end, seconds } = choosePart({ file, ...range })
    const path = out('sound.raw')
    const { isDamaged } = await ffmpeg.run({
      inputs: [{ path: file.path, options: seekOptions({ start, end }, media.seconds) }],
      graph: `[0:${audio.index}]aresample=${SAMPLE_RATE}:async=1:first_pts=0[sound]`,
      outputs: [{ path, options: ['-map', '[sound]', '-ac', '1', '-c:a', 'pcm_s16le', '-f', 's16le'] }],
    })
    const speech = await transcriber.transcribe(path, { language, words })
    const move = <Timed extends { start: number; end: number }>(timed: Timed) => ({
      ...timed,
      start: roundSeconds(timed.start + start),
      end: roundSeconds(timed.end + start),
    })
    const segments = speech.segments.map(segment => ({
      ...move(segment),
      ...(segment.words && { words: segment.words.map(move) }),
    }))
    const text = joinSpeech(segments.map(segment => segment.text))
    const transcript = {
      text,
      segments,
      ...(speech.language && { language: speech.language }),
      durationSec: roundSeconds(seconds),
    }
    const lacksWords = words && segments.length > 0 && !segments.some(segment => segment.words)
    return {
      result: { ...transcript, output: renderTranscript(transcript, to) },
      warnings: [
        ...damageWarnings(isDamaged),
        ...(segments.length === 0 ? [{ code: 'NO_SPEECH_FOUND', message: 'Nothing that is said was found.' }] : []),
        ...(lacksWords ? [{ code: 'NO_WORD_TIMES', message: 'The provider tells no times of words.' }] : []),
      ],
    }
  },
})
