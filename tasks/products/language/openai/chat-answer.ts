import { type Static, Type } from 'typebox'
import { Choice, clampPrice, type Outcome, type Tools, type Warning } from '#kit'
import type { ToolCall } from '../../../formats/language/chat.ts'
import { explainEnd } from '../broken.ts'
import type { ChatCall } from './chat-price.ts'
import { computeChatCeiling } from './chat-price.ts'
import { readChat, readOutputTokens } from './read-chat.ts'

const Call = Type.Object({
  id: Type.String(),
  type: Choice(['function']),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
})

/** With what the call was charged, beside the counts of the protocol. */
const ChatUsage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  prompt_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
  provider_cost_micros: Type.Integer({ description: 'What the provider takes.' }),
  markup_pct: Type.Integer(),
  charged_micros: Type.Integer({ description: 'What the call is charged, in millionths of a US dollar.' }),
  ceiling_micros: Type.Integer({ description: 'The most that it could have been.' }),
})

export const ChatAnswer = Type.Object({
  id: Type.String({ description: '`chatcmpl-` and the id of the job.' }),
  object: Choice(['chat.completion']),
  created: Type.Integer(),
  model: Type.String({ description: 'That answered.' }),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({
        role: Choice(['assistant']),
        content: Type.Union([Type.String(), Type.Null()]),
        refusal: Type.Union([Type.String(), Type.Null()]),
        tool_calls: Type.Optional(Type.Array(Call)),
      }),
      finish_reason: Type.Union([Choice(['stop', 'length', 'tool_calls', 'content_filter']), Type.Null()], {
        description: '`content_filter`: the model refused. null: the answer is not whole.',
      }),
      logprobs: Type.Null(),
    }),
  ),
  usage: ChatUsage,
})

export type AnsweredChat = Static<typeof ChatAnswer> & { warnings?: readonly Warning[] }

type Completion = Awaited<ReturnType<Tools['languageModel']['complete']>>

interface Context {
  languageModel: Tools['languageModel']
  emit?(piece: unknown): void
  jobId?: string
  now(): Date
}

/** Has the model answer. It is charged what it took, also for a refusal. */
export async function answerChat(call: ChatCall, context: Context): Promise<Outcome<AnsweredChat>> {
  const { emit, jobId, now } = context
  const { tier, model, offer } = call.chosen!
  const completion = await context.languageModel.complete({
    ...{ tier, system: '', user: '', chat: readChat(call) },
    ...(model !== undefined && { model }),
    maxOutputTokens: readOutputTokens(call),
    ceilingMicros: computeChatCeiling(call, offer),
    ...(emit && {
      onText: (text, from) => emit({ text, model: from }),
      onToolCall: (toolCall, from) => emit({ toolCall, model: from }),
    }),
  })
  const { usage } = completion
  const charged = clampPrice(BigInt(usage.chargedMicros))
  const result: AnsweredChat = {
    ...{ id: nameChat(jobId ?? 'example'), object: 'chat.completion', model: usage.model },
    created: Math.floor(now().getTime() / 1_000),
    choices: [{ index: 0, message: writeMessage(completion), finish_reason: nameEnd(completion), logprobs: null }],
    usage: writeUsage(completion, Number(charged)),
  }
  return { result, units: 0, baseMicros: charged, warnings: explainEnd(completion) ?? [] }
}

export function nameChat(jobId: string): string {
  return `chatcmpl-${jobId}`
}

function writeMessage({ text, toolCalls, isRefused }: Completion): AnsweredChat['choices'][0]['message'] {
  if (isRefused) return { role: 'assistant', content: null, refusal: text || 'The model refuses to answer.' }
  const content = text === '' && toolCalls ? null : text
  return { role: 'assistant', content, refusal: null, ...(toolCalls && { tool_calls: toolCalls.map(writeCall) }) }
}

function writeCall({ id, ...called }: ToolCall): Static<typeof Call> {
  return { id, type: 'function', function: called }
}

function nameEnd({ isRefused, isCut, isStopped, isBroken, toolCalls }: Completion) {
  if (isStopped || isBroken) return null
  if (isRefused) return 'content_filter'
  if (isCut) return 'length'
  return toolCalls ? 'tool_calls' : 'stop'
}

function writeUsage({ usage, cachedInputTokens }: Completion, chargedMicros: number): Static<typeof ChatUsage> {
  const { inputTokens, outputTokens, providerCostMicros, markupPct, ceilingMicros } = usage
  return {
    ...{ prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens },
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    ...{ provider_cost_micros: providerCostMicros, markup_pct: markupPct },
    ...{ charged_micros: chargedMicros, ceiling_micros: Math.max(chargedMicros, ceilingMicros) },
  }
}
