import { Type } from 'typebox'
import { MODEL_RULE, OptionalText, OptionalUrl } from './kinds.ts'

export const LANGUAGE_MODELS = {
  LLM_PROVIDER: Type.Optional(
    Type.Unsafe<'openai' | 'anthropic'>({
      type: 'string',
      enum: ['openai', 'anthropic'],
      displayDefault: 'no language model',
      description:
        'The API of the language models: `openai` is also that of OpenRouter, vLLM, Ollama, LM Studio and LiteLLM.',
    }),
  ),
  LLM_URL: OptionalUrl({
    displayDefault: "the provider's own",
    description: 'Address of the API with its version, such as `http://127.0.0.1:11434/v1`; only workers call it.',
  }),
  LLM_API_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Key of that API; set it for workers only. `npm start` does not pass it to the api.',
  }),
  LLM_VALUE: OptionalText({
    ...MODEL_RULE,
    displayDefault: 'no language model',
    description:
      'Model of the tier `value`, and what the provider takes for a million tokens of input, output and (optional) cached input, in USD: `a-model 0.4 1.6 0.1`.',
  }),
  LLM_BUDGET: OptionalText({
    ...MODEL_RULE,
    displayDefault: 'LLM_VALUE',
    description: 'The same of the tier `budget`.',
  }),
  LLM_BEST: OptionalText({
    ...MODEL_RULE,
    displayDefault: 'LLM_VALUE',
    description: 'The same of the tier `best`.',
  }),
  LLM_MARKUP_PCT: Type.Integer({
    default: 20,
    minimum: 0,
    maximum: 400,
    description: 'What callers pay beyond the price of the provider, in per cent.',
  }),
}
