import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface AskedEmbedder {
  path: string
  authorization: string | undefined
  body: { model: string; input: string[]; dimensions?: number; encoding_format: string }
}

/** Answers as servers with the embeddings of OpenAI do: texts are near to each other if they are about the same animal. */
export interface FakeEmbedder extends AsyncDisposable {
  url: string
  asked: AskedEmbedder[]
  /** Taken instead of the usual answer. */
  reply?: { status: number; json: unknown } | undefined
}

const MEANINGS = [/\b(dog|hound|perro|hund)\b/i, /\b(cat|kitten|gato|katze)\b/i, /\b(fish|pez|fisch)\b/i]

function embed(text: string): number[] {
  return [...MEANINGS.map(meaning => (meaning.test(text) ? 1 : 0)), 0.1]
}

export async function openFakeEmbedder(): Promise<FakeEmbedder> {
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const fake: FakeEmbedder = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: [],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as AskedEmbedder['body']
    fake.asked.push({ path: request.url!, authorization: request.headers.authorization, body })
    // The order of the list is not that of the texts, as the API allows.
    const data = body.input.map((text, index) => ({ object: 'embedding', index, embedding: embed(text) })).reverse()
    const { status, json } = fake.reply ?? { status: 200, json: { data, usage: { prompt_tokens: 7 } } }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  }
  return fake
}
