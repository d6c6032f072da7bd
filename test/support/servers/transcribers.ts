import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TranscriptionConfig } from '../../../ops/providers/transcription/settings.ts'

interface AskedTranscriber {
  path: string
  authorization: string | undefined
  fields: [name: string, value: string][]
  sound: Buffer
}

/** An answer of the server, or what goes wrong instead of one. */
type TranscriberReply =
  | { json: unknown; status?: number; headers?: Record<string, string> }
  | { raw: string }
  | { isCutOff: true }
  | { isSilent: true }

/** Answers as the servers of whisper.cpp and OpenAI do, and fails as they do. */
export interface FakeTranscriber extends AsyncDisposable {
  asked: AskedTranscriber[]
  reply: (asked: AskedTranscriber) => TranscriberReply
  config(provider: TranscriptionConfig['provider']): TranscriptionConfig
}

export async function openFakeTranscriber(): Promise<FakeTranscriber> {
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeTranscriber = {
    asked: [],
    reply: () => ({ json: { text: '' } }),
    config: provider =>
      provider === 'openai'
        ? { provider, url: `${url}/v1`, apiKey: 'key-of-the-tests', model: 'whisper-1' }
        : { provider, url },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = { 'content-type': request.headers['content-type']! }
    const form = await new Response(Buffer.concat(chunks), { headers }).formData()
    const sound = Buffer.from(await (form.get('file') as File).arrayBuffer())
    const fields = [...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    const one = { path: request.url!, authorization: request.headers.authorization, fields, sound }
    fake.asked.push(one)
    send(response, fake.reply(one))
  }
  return fake
}

function send(response: ServerResponse, reply: TranscriberReply): void {
  if ('isSilent' in reply) return
  if ('isCutOff' in reply) {
    response.writeHead(200, { 'content-length': 1000 }).write('{"text":')
    response.destroy()
    return
  }
  if ('raw' in reply) return void response.end(reply.raw)
  const { status = 200, headers, json } = reply
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json))
}

/** As whisper.cpp writes it: tokens with their spaces, and the language by its name. */
export const WHISPER_ANSWER = {
  ...{ task: 'transcribe', language: 'german', duration: 2, text: ' Guten Tag.\n Auf Wiedersehen\n' },
  segments: [
    {
      ...{ id: 0, text: ' Guten Tag.', start: 0, end: 0.9, tokens: [1, 2], temperature: 0, avg_logprob: -0.2 },
      words: [
        { word: ' Gu', start: 0, end: 0.2, t_dtw: -1, probability: 0.9 },
        { word: 'ten', start: 0.2, end: 0.4, t_dtw: -1, probability: 0.9 },
        { word: ' Tag', start: 0.5, end: 0.8, t_dtw: -1, probability: 0.9 },
        { word: '.', start: 0.8, end: 0.9, t_dtw: -1, probability: 0.9 },
      ],
    },
    { id: 1, text: ' Auf Wiedersehen', start: 1, end: 30, words: [] },
    { id: 2, text: ' [BLANK_AUDIO]', start: 1.5, end: 2, words: [] },
  ],
}

/** As OpenAI writes it: words beside the segments. */
export const OPENAI_ANSWER = {
  ...{ task: 'transcribe', language: 'english', duration: 2, text: 'Good day. Goodbye <now>.' },
  segments: [
    { id: 0, seek: 0, start: 0, end: 0.9, text: ' Good day.', tokens: [1], no_speech_prob: 0.01 },
    { id: 1, seek: 0, start: 1, end: 1.9, text: ' Goodbye <now>.', tokens: [2], no_speech_prob: 0.01 },
  ],
  words: [
    { word: 'Good', start: 0, end: 0.4 },
    { word: 'day', start: 0.5, end: 0.9 },
    { word: 'Goodbye', start: 1, end: 1.5 },
    { word: 'now', start: 1.5, end: 1.9 },
  ],
}
