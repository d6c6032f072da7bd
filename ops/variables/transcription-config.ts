import type { TranscriptionConfig } from '../providers/transcription/contract.ts'
import { ConfigError, type VariableValues } from '../variables.ts'

const NAMES = ['TRANSCRIBE_URL', 'TRANSCRIBE_MODEL', 'TRANSCRIBE_API_KEY'] as const
const OPENAI_URL = 'https://api.openai.com/v1'
const OPENAI_MODEL = 'whisper-1'

export function readTranscriptionConfig(values: VariableValues): TranscriptionConfig | undefined {
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
