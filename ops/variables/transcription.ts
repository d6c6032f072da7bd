import { Type } from 'typebox'
import { OptionalText, OptionalUrl } from './kinds.ts'

export const TRANSCRIPTION = {
  TRANSCRIBE_PROVIDER: Type.Optional(
    Type.Unsafe<'whisper.cpp' | 'openai'>({
      type: 'string',
      enum: ['whisper.cpp', 'openai'],
      displayDefault: 'no transcription',
      description:
        'Who writes down what is said in recordings: the server of whisper.cpp, or any with the transcriptions of OpenAI.',
    }),
  ),
  TRANSCRIBE_URL: OptionalUrl({
    displayDefault: "OpenAI's own",
    description:
      'Address of that server, such as `http://127.0.0.1:8081` for whisper.cpp; for `openai` with its version, such as `http://127.0.0.1:8000/v1`.',
  }),
  TRANSCRIBE_MODEL: OptionalText({
    displayDefault: 'whisper-1',
    description: 'Model that `openai` is asked for; it must offer `verbose_json`, because that tells the times.',
  }),
  TRANSCRIBE_API_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Key of that server; only workers get it.',
  }),
}
