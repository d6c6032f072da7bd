import type { CallLimits } from '../../call-limits.ts'
import { ProviderRefusal } from '../../http/client.ts'
import type { AdapterConfig, ModelAdapter, ModelAnswer, ModelRequest } from '../contract.ts'
import { openPoster, openStreamer, toProblem } from '../post.ts'
import { readAnswer, readStream } from './answer.ts'
import { buildBody } from './body.ts'

const VERSION = '2023-06-01'

/** The messages API of Anthropic. */
export function openAnthropic(config: AdapterConfig): ModelAdapter {
  const { apiKey } = config
  const headers = { 'anthropic-version': VERSION, ...(apiKey && { 'x-api-key': apiKey }) }
  const post = openPoster(config, headers)
  const stream = openStreamer(config, headers)

  async function ask(request: ModelRequest, limits: CallLimits): Promise<ModelAnswer> {
    const body = buildBody(request)
    const hasTools = request.chat?.tools !== undefined
    try {
      if (!request.pieces) return readAnswer(await post('/messages', body, limits), hasTools)
      return await readStream(stream('/messages', body, limits), request.pieces, { signal: limits.signal, hasTools })
    } catch (error) {
      throw error instanceof ProviderRefusal ? toProblem(error, request.chat !== undefined) : error
    }
  }
  return {
    ask,
    lacks: [
      'seed',
      'presence_penalty',
      'frequency_penalty',
      'reasoning_effort',
      'hot',
      'formatted_tools',
      'strict_tools',
      'named_messages',
    ],
  }
}
