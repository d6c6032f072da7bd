import { type Static, Type } from 'typebox'
import { Choice, NULLS_RULE } from '#kit'

const NAME = '^[A-Za-z0-9_-]{1,64}$'
const MAX_MESSAGES = 2_000
const MAX_TOOLS = 128
export const DEFAULT_OUTPUT_TOKENS = 4_096

/** Clients of this protocol write null for what they leave out. */
const NULLS = { [NULLS_RULE]: true }

const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

const Part = Type.Object(
  { type: Type.String({ description: '`text`.' }), text: Type.Optional(Type.String()) },
  { additionalProperties: true },
)

const AskedCall = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 256 }),
  type: Choice(['function']),
  function: Type.Object({ name: Type.String({ pattern: NAME }), arguments: Type.String() }),
  index: Type.Optional(Type.Integer({ minimum: 0, description: 'Left by clients that have joined a stream.' })),
})

const Message = Type.Object(
  {
    role: Choice(['system', 'developer', 'user', 'assistant', 'tool']),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Who speaks, where the models take names. Of a tool, nothing.',
      }),
    ),
    content: Type.Optional(Type.Union([Type.String(), Type.Array(Part, { minItems: 1 }), Type.Null()])),
    refusal: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'Of an earlier answer.' })),
    tool_calls: Type.Optional(Type.Array(AskedCall, { minItems: 1, maxItems: MAX_TOOLS })),
    tool_call_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  },
  NULLS,
)

const Tool = Type.Object({
  type: Choice(['function']),
  function: Type.Object(
    {
      name: Type.String({ pattern: NAME }),
      description: Type.Optional(Type.String({ maxLength: 10_000 })),
      parameters: Type.Optional(AnyObject),
      strict: Type.Optional(Type.Boolean()),
    },
    NULLS,
  ),
})

const ResponseFormat = Type.Object({
  type: Choice(['text', 'json_object', 'json_schema']),
  json_schema: Type.Optional(
    Type.Object({
      name: Type.String({ pattern: NAME }),
      description: Type.Optional(Type.String({ maxLength: 10_000 })),
      schema: AnyObject,
      strict: Type.Optional(Type.Boolean()),
    }),
  ),
})

const Tokens = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 200_000, description }))
const Penalty = Type.Optional(Type.Number({ minimum: -2, maximum: 2 }))

const FIELDS = {
  model: Type.String({
    minLength: 1,
    maxLength: 100,
    description: '`budget`, `value`, `best`, or a model of GET /v1/models by its name, which has no substitute.',
  }),
  messages: Type.Array(Message, { minItems: 1, maxItems: MAX_MESSAGES, description: 'Text only.' }),
  max_completion_tokens: Tokens(`${DEFAULT_OUTPUT_TOKENS} if left out. What it may cost at most is held.`),
  max_tokens: Tokens('The same, under its older name.'),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  stop: Type.Optional(
    Type.Union([
      Type.String({ minLength: 1 }),
      Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 4 }),
    ]),
  ),
  seed: Type.Optional(Type.Integer()),
  presence_penalty: Penalty,
  frequency_penalty: Penalty,
  reasoning_effort: Type.Optional(Type.String({ pattern: '^[a-z]{1,20}$' })),
  response_format: Type.Optional(ResponseFormat),
  tools: Type.Optional(Type.Array(Tool, { minItems: 1, maxItems: MAX_TOOLS })),
  tool_choice: Type.Optional(
    Type.Union([
      Choice(['none', 'auto', 'required']),
      Type.Object({ type: Choice(['function']), function: Type.Object({ name: Type.String({ pattern: NAME }) }) }),
    ]),
  ),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  n: Type.Optional(Type.Integer({ description: '1: a call has one answer.' })),
  logprobs: Type.Optional(Type.Literal(false)),
  store: Type.Optional(Type.Literal(false)),
  user: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Told to the provider.' })),
  safety_identifier: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'The newer name of `user`.' }),
  ),
  prompt_cache_key: Type.Optional(Type.String({ maxLength: 256, description: 'Not told to the provider.' })),
  metadata: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), {
      ...{ maxProperties: 16, description: 'Neither kept nor told to the provider.' },
    }),
  ),
  service_tier: Type.Optional(Choice(['auto', 'default'])),
  stream: Type.Optional(Type.Boolean({ description: 'Answer with server-sent events.' })),
  stream_options: Type.Optional(
    Type.Object(
      {
        include_usage: Type.Optional(Type.Boolean()),
        include_obfuscation: Type.Optional(Type.Boolean({ description: 'No chunk is padded here.' })),
      },
      NULLS,
    ),
  ),
  max_cost_micros: Type.Optional(
    Type.Integer({ minimum: 1_000, maximum: 1_000_000, description: 'The call is refused before it could cost more.' }),
  ),
}

export const ChatBody = Type.Object(FIELDS, NULLS)

export type AskedChat = Static<typeof ChatBody>
export type AskedMessage = Static<typeof Message>
