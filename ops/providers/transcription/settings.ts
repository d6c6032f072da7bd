import { type Static, type TObject, Type } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { OptionalText, OptionalUrl } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Without a provider, speech is not written down. */
    transcription?: TranscriptionConfig
  }
}

export interface TranscriptionConfig {
  provider: 'whisper.cpp' | 'openai'
  url: string
  apiKey?: string
  /** A server of whisper.cpp has the one that it was started with. */
  model?: string
}

const variables = {
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

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Transcription',
  variables,
  secretsOf: { worker: ['TRANSCRIBE_API_KEY'] },
  read: values => ({ transcription: readTranscriptionConfig(values) }),
})

const NAMES = ['TRANSCRIBE_URL', 'TRANSCRIBE_MODEL', 'TRANSCRIBE_API_KEY'] as const
const OPENAI_URL = 'https://api.openai.com/v1'
const OPENAI_MODEL = 'whisper-1'

function readTranscriptionConfig(values: Values): TranscriptionConfig | undefined {
  const { TRANSCRIBE_PROVIDER: provider, TRANSCRIBE_URL: url, TRANSCRIBE_API_KEY: apiKey } = values
  if (!provider) {
    const stray = NAMES.find(name => values[name])
    if (stray) throw new ConfigError(`TRANSCRIBE_PROVIDER must be set when ${stray} is set.`)
    return undefined
  }
  if (provider === 'openai')
    return { provider, url: url ?? OPENAI_URL, apiKey, model: values.TRANSCRIBE_MODEL ?? OPENAI_MODEL }
  if (!url) throw new ConfigError('TRANSCRIBE_URL must be set when TRANSCRIBE_PROVIDER is whisper.cpp.')
  if (values.TRANSCRIBE_MODEL)
    throw new ConfigError('TRANSCRIBE_MODEL must not be set for whisper.cpp, whose server has one model.')
  return { provider, url, apiKey }
}
