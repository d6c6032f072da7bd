import type { TranscriptionFormat } from './contract.ts'

/** The server of whisper.cpp. Without a language it would take English, whatever is spoken. */
export const WHISPER_CPP: TranscriptionFormat = {
  path: '/inference',
  listFields: ({ language }) => [
    ['response_format', 'verbose_json'],
    ['temperature', '0'],
    ['language', language ?? 'auto'],
  ],
}
