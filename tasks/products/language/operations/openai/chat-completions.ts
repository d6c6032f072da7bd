import { define } from '#kit'
// What it throws is known once the products are, also in a thread that runs nothing else.
import '../../../index.ts'
import { answerChat, ChatAnswer } from '../../openai/chat-answer.ts'
import { ChatBody } from '../../openai/chat-body.ts'
import { CHAT_EVENTS } from '../../openai/chat-events.ts'
import { CHAT_PRICE, type ChatCall } from '../../openai/chat-price.ts'
import { chooseModel } from '../../openai/choose-model.ts'
import { PROBLEM_FORM } from '../../openai/problem-form.ts'

// Decision 0260: answer clients of the OpenAI API by the calls of this service.

export default define({
  path: '/v1/chat/completions',
  summary: 'Hold a conversation with a language model, as the OpenAI API has it.',
  keywords:
    'openai compatible endpoint, chat completion, chatgpt api, gpt, claude, llm proxy, language model gateway, ask a model, prompt, function calling, tool use, openai sdk base url, responses, completions',
  description:
    'For any client of the OpenAI API: its base URL is this service with /v1, its key one of ours, or none where its `fetch` pays by ' +
    'x402. What the answer may cost at most is held, what it took is charged, and a failure is free; a stream that breaks off or that ' +
    'its caller leaves is charged for what has come. Text alone is carried. Options that a model does not have are refused.',
  price: CHAT_PRICE as never,
  uses: ['languageModel'],
  limitSeconds: 120,
  streaming: CHAT_EVENTS,
  problemForm: PROBLEM_FORM,
  input: ChatBody,
  output: ChatAnswer,
  errors: [
    ...(['MODEL_NOT_FOUND', 'OPTION_UNSUPPORTED', 'CONFLICTING_OPTIONS', 'MISSING_FIELD', 'INVALID_PARAM'] as const),
    ...(['CONTEXT_TOO_LONG', 'CEILING_EXCEEDED', 'PROVIDER_NOT_CONFIGURED', 'PROVIDER_UNAVAILABLE'] as const),
    'TIME_LIMIT_EXCEEDED',
  ],
  examples: [
    {
      title: 'A question',
      input: { model: 'value', messages: [{ role: 'user', content: 'What causes the tides?' }], max_tokens: 200 },
    },
  ],
  configure: (call, offers) => ({ ...call, chosen: chooseModel(call, offers) }) as never,
  run: (call, context) => answerChat(call as ChatCall, context),
})
