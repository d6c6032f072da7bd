import type { TranscriptionFormat } from './contract.ts'

/** Transcriptions as OpenAI defines them, which Groq, speaches, LocalAI and others serve too. */
export const OPENAI: TranscriptionFormat = {
  path: '/audio/transcriptions',
  listFields: ({ language, words }, model = '') => [
    ['model', model],
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'segment'],
    ...(words ? [['timestamp_granularities[]', 'word'] as [string, string]] : []),
    ...(language ? [['language', language] as [string, string]] : []),
  ],
}
