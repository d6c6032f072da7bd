import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const WORDS = 'The tide comes twice a day and goes as often.'.split(' ')
const USAGE = { prompt_tokens: 20, completion_tokens: 12, total_tokens: 32 }

/** Answers as a provider of the OpenAI protocol does, at once, so that what a call takes is our own. */
export async function openModelServer() {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { stream } = JSON.parse(Buffer.concat(parts).toString()) as { stream?: boolean }
      if (stream) writeStream(response)
      else writeAnswer(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    url,
    env: { LLM_PROVIDER: 'openai', LLM_URL: url, LLM_API_KEY: 'bench', LLM_VALUE: 'medium 1 5' },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function writeAnswer(response: ServerResponse): void {
  const message = { role: 'assistant', content: WORDS.join(' ') }
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({
      ...{ id: 'c', object: 'chat.completion', created: 0, model: 'medium', usage: USAGE },
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    }),
  )
}

function writeStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (delta: object, finish: string | null, usage?: object) => {
    const choices = usage ? [] : [{ index: 0, delta, finish_reason: finish }]
    const chunk = {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'medium',
      choices,
      ...(usage && { usage }),
    }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  for (const word of WORDS) write({ content: `${word} ` }, null)
  write({}, 'stop')
  write({}, null, USAGE)
  response.end('data: [DONE]\n\n')
}
