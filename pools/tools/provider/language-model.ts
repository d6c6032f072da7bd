import type { Ajv2020 } from 'ajv/dist/2020.js'
import { Problem } from '#kit'
import type { Completion, CompletionRequest, LanguageModels } from '../../../ops/providers/llm/contract.ts'
import type { HostContext } from '../../host-context.ts'

/** The language models of the provider that the operator configured. */
export function bind(context: HostContext) {
  return {
    /** Asks for an answer as it comes. */
    complete: (request: CompletionRequest) => requireModels(context.languageModels).complete(request, context),
    /** Asks for JSON of a schema. The schema is ours; one of a caller must be compiled elsewhere. */
    completeJson: (request: CompletionRequest & { schema: object }) => completeJson(context, request),
  }
}

/** The tool is there where a provider is configured. */
export async function version({ languageModels }: HostContext): Promise<string> {
  return requireModels(languageModels).description
}

function requireModels(models: HostContext['languageModels']): LanguageModels {
  if (!models)
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'llm', adapters: ['openai', 'anthropic', 'bedrock'] })
  return models
}

const MAX_ATTEMPTS = 2
let checker: Promise<Ajv2020> | undefined

/** Loaded with the first schema, because it takes memory that most workers never need. */
async function openChecker(): Promise<Ajv2020> {
  const { Ajv2020: Checker } = await import('ajv/dist/2020.js')
  return new Checker({ strict: false })
}

/** An answer that does not fit the schema is asked for once more. Only the one that fits is charged. */
async function completeJson(
  { languageModels, signal, deadlineMs }: HostContext,
  request: CompletionRequest & { schema: object },
): Promise<Completion & { json: unknown }> {
  const models = requireModels(languageModels)
  checker ??= openChecker()
  const isValid = (await checker).compile(request.schema)
  const system = `${request.system}\n\nAnswer with JSON of this schema and nothing else:\n${JSON.stringify(request.schema)}`
  for (let attempt = 1; ; attempt++) {
    const completion = await models.complete({ ...request, system }, { signal, deadlineMs })
    const json = parseJson(completion.text)
    if (json !== undefined && isValid(json)) return { ...completion, json }
    if (attempt === MAX_ATTEMPTS)
      throw new Problem('OUTPUT_INVALID', { detail: 'the answer has not the form it was asked for' })
  }
}

/** Some models put JSON into a fence, or words around it. */
function parseJson(text: string): unknown {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start) return undefined
  try {
    return JSON.parse(text.slice(start, end + 1))
  } catch {
    return undefined
  }
}
