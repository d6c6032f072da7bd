import { Problem } from '#kit'
import type { CallLimits } from '../../call-limits.ts'
import { ProviderRefusal } from '../../http/client.ts'
import type { AdapterConfig, ModelAdapter, ModelAnswer, ModelRequest } from '../contract.ts'
import { openPoster, openStreamer, readRefusal, toProblem } from '../post.ts'
import { readAnswer, readStream } from './answer.ts'
import { buildBody, type Form } from './body.ts'
import { readFrames } from './frames.ts'

// Decision 0613: ask Bedrock by Converse, with an API key.

const FRAMES = { accept: 'application/vnd.amazon.eventstream', read: readFrames }
/** What is tried where a model has no such way to be given a form. */
const NEXT: Readonly<Record<Form, Form | undefined>> = { tool: 'any', any: 'text', text: undefined }

/** The Converse API of Amazon Bedrock, which is one for all of its models. */
export function openBedrock(config: AdapterConfig): ModelAdapter {
  const { apiKey } = config
  const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  const post = openPoster(config, headers)
  const stream = openStreamer(config, headers, FRAMES)
  const forms = new Map<string, Form>()

  async function ask(request: ModelRequest, limits: CallLimits): Promise<ModelAnswer> {
    for (;;) {
      const form = forms.get(request.model) ?? 'tool'
      try {
        return await askOnce(request, form, limits)
      } catch (error) {
        forms.set(request.model, learn(request, form, error))
      }
    }
  }

  /** The model, a profile or an ARN, is part of the address. */
  async function askOnce(request: ModelRequest, form: Form, limits: CallLimits): Promise<ModelAnswer> {
    const path = `/model/${encodeURIComponent(request.model)}/converse`
    const body = buildBody(request, form)
    const hasTools = request.chat?.tools !== undefined
    if (!request.pieces) return readAnswer(await post(path, body, limits), hasTools)
    const events = stream(`${path}-stream`, body, limits)
    return readStream(events, request.pieces, { signal: limits.signal, hasTools })
  }

  return {
    ask,
    lacks: [
      ...['seed', 'presence_penalty', 'frequency_penalty', 'reasoning_effort', 'hot'],
      ...['formatted_tools', 'strict_tools', 'single_tools', 'withheld_tools', 'named_messages'],
    ],
  }
}

/** Gives another way to ask, if the model refused the one that was tried; throws if that is not what failed. */
function learn(request: ModelRequest, form: Form, error: unknown): Form {
  if (!(error instanceof ProviderRefusal)) throw error
  const { schema, chat } = request
  const isAboutForm = error.status === 400 && /toolChoice|toolConfig|tool use/i.test(readRefusal(error))
  const hasForm = schema !== undefined || (chat?.format !== undefined && chat.tools === undefined)
  const next = NEXT[form]
  if (!isAboutForm || !hasForm || !next) throw toProblem(error, chat !== undefined)
  // A form that the caller has asked for is not left to chance.
  if (chat && next === 'text') throw new Problem('OPTION_UNSUPPORTED', { field: 'response_format' })
  return next
}
