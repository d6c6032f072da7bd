import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile } from '#kit'
import { AUDIO_CONTENT_TYPES, AUDIO_FORMATS } from '../formats/media/containers.ts'
import { countAudioUnits, perAudioUnit } from '../formats/media/price.ts'
import { rangeFields, resolveRange, type Time } from '../formats/media/times.ts'
import { requireAudio } from '../formats/media/tracks.ts'
import { writeSound } from '../formats/media/write-sound.ts'
import { editFields, LONG_RUN_SECONDS, MediaInfo, MediaInput, SOUND_ERRORS, soundFields, tagFields } from './schema.ts'

const price = perAudioUnit<{ file: InputFile; start?: Time; end?: Time }>(({ file, ...range }) => {
  const { start, end } = resolveRange(range, file.facts.seconds ?? 0)
  return countAudioUnits(end - start)
})

export default define({
  summary: 'Convert audio to another format or bitrate.',
  keywords:
    'mp3, wav to mp3, m4a, aac, ogg, opus, flac, aiff, transcode sound, music, voice memo, podcast, bitrate, downmix 5.1 surround to stereo, mono',
  converts: [
    { from: 'audio mp3 wav flac ogg opus aac m4a aiff wma amr', to: 'audio mp3 wav flac ogg opus aac m4a aiff' },
  ],
  description:
    'Reads any audio file, and the sound of a video. Tags are kept, and the cover picture where the format has one. ' +
    'Sound of more channels than the format holds is mixed down with the dialogue kept.',
  price,
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    to: Choice(AUDIO_FORMATS),
    ...soundFields,
    ...editFields,
    ...rangeFields,
    ...tagFields,
  }),
  output: Type.Object({ output: FileOutput(AUDIO_CONTENT_TYPES), media: MediaInfo }),
  errors: SOUND_ERRORS,
  examples: [
    {
      title: 'To MP3',
      input: { file: 'sample:tone.wav', to: 'mp3', bitrate: 64 },
      answer: { media: { audioCodec: 'mp3' } },
    },
  ],

  async run({ file, to, start, end, ...options }, { ffmpeg, out }) {
    const media = file.facts.media!
    const audio = requireAudio(media)
    const range = resolveRange({ start, end }, media.seconds)
    const source = { file, media, audio, range }
    return writeSound(ffmpeg, source, out(`audio.${to}`), { ...options, to })
  },
})
