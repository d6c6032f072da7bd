import { type TObject, type TSchema, Type } from 'typebox'
import {
  Choice,
  define,
  type Example,
  type Operation,
  Problem,
  type ProblemCode,
  type Streaming,
  type ToolName,
} from '#kit'
import { LanguageUsage } from '../../formats/language/usage.ts'
// What a task throws is known once the products are, also in a thread that runs nothing else.
import '../index.ts'
import { describeBreak, isBroken } from './broken.ts'
import { DOCUMENT_TOOLS, isDocument, TASK_FIELDS } from './input.ts'
import type { ServiceOffer } from './offer.ts'
import { priceTask, type TaskCall, toUnitPrice } from './price.ts'
import { runTask, type TaskTools } from './run-task.ts'
import type { Task } from './task.ts'

const LIMIT_SECONDS = 120

/** `piece` has text as it comes, `result` the whole answer. */
const EVENT_STREAM: Streaming = {
  open: () => ({
    writePiece: piece => writeEvent('piece', piece),
    writeEnd: answer => (isBroken(answer) ? writeEvent('error', describeBreak(answer)) : writeEvent('result', answer)),
    writeError: problem => writeEvent('error', problem),
  }),
}

function writeEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The operation of a task: `POST /v1/llm/{task}`. */
export function defineTask<Params extends TObject, Result extends TSchema>(declared: Task<Params, Result>): Operation {
  const task = declared as unknown as Task
  const {
    slug,
    summary,
    keywords,
    description,
    params,
    result,
    embedded,
    model,
    service,
    uses = [],
    errors = [],
    examples,
  } = task
  const tools: readonly ToolName[] = [
    ...DOCUMENT_TOOLS,
    ...uses,
    ...(model ? (['languageModel'] as const) : []),
    ...(service ? [service.tool] : []),
    ...(embedded?.looksUpWords ? (['speller'] as const) : []),
  ]
  const isOnlyModel = model !== undefined && embedded === undefined
  return define({
    ...{
      summary,
      keywords,
      description,
      examples: withFile(examples),
      limitSeconds: LIMIT_SECONDS,
      streaming: EVENT_STREAM,
    },
    path: `/v1/llm/${slug}`,
    price: priceTask(task) as never,
    uses: tools as readonly never[],
    optional: tools.filter(tool => !(isOnlyModel && !service && tool === 'languageModel')) as never[],
    ...(service && isOnlyModel && { anyOf: ['languageModel', service.tool] as never[] }),
    needs: call => listNeeded(task, call as TaskCall) as never[],
    configure: (call, offers, rates) => {
      task.checkParams?.((call as TaskCall).params as never)
      return configure(task, call as TaskCall, offers, rates) as never
    },
    input: Type.Object({ ...TASK_FIELDS, method: methodOf(task), params: withDefault(params) }),
    output: Type.Object({
      task: Type.Literal(slug),
      result: Type.Optional(result),
      results: Type.Optional(
        Type.Array(
          Type.Object({
            index: Type.Integer({ minimum: 0 }),
            result: Type.Optional(result),
            error: Type.Optional(
              Type.Object({ code: Type.String(), error: Type.String() }, { additionalProperties: true }),
            ),
          }),
          { description: 'One for each text of a list. One that failed costs nothing.' },
        ),
      ),
      method: Choice(['embedded', 'provider']),
      engine: Type.String({ description: 'Our own engine, or the model.' }),
      quality: Type.Optional(Choice(['basic'], { description: 'Of our own engine.' })),
      usage: LanguageUsage,
    }),
    errors: listErrors(task, errors),
    run: (call, context) => runTask(task, call as TaskCall, context as unknown as TaskTools),
  })
}

/** The first example again, with its text as a file. */
function withFile(examples: readonly Example[]): Example[] {
  const [first] = examples
  const { input, ...options } = first!.input
  const answer = first!.answer && { answer: first!.answer }
  return [...examples, { title: 'The text as a file', input: { ...options, input: { text: input } }, ...answer }]
}

function methodOf({ embedded, model }: Task) {
  const allowed = [...(embedded ? (['embedded'] as const) : []), ...(model ? (['provider'] as const) : [])]
  const { description } = TASK_FIELDS.method as { description?: string }
  return Choice(['auto', ...allowed], { default: 'auto', description })
}

/** Parameters of which none must be given need not be given themselves. */
function withDefault(params: TObject): TSchema {
  const { required = [], properties } = params as {
    required?: string[]
    properties: Record<string, { default?: unknown }>
  }
  const isNeeded = required.some(name => properties[name]?.default === undefined)
  return isNeeded ? params : ({ ...params, default: {} } as TSchema)
}

function listNeeded(
  { uses = [], model, service }: Task,
  { input, offer, params, dictionaries, service: asked }: TaskCall,
): readonly ToolName[] {
  const hasPattern = JSON.stringify(params ?? {}).search(/"pattern(?:Properties)?":/) >= 0
  return [
    ...(isDocument(input) ? DOCUMENT_TOOLS : []),
    ...(service && asked ? [service.tool] : []),
    ...(!offer || hasPattern ? uses : []),
    ...(dictionaries ? (['speller'] as const) : []),
    ...(offer && model ? (['languageModel'] as const) : []),
  ]
}

/** Chooses who answers: a model where there is one, else our own engine if it can do what is asked. */
function configure(
  task: Task,
  call: TaskCall,
  offers: Parameters<NonNullable<Operation['configure']>>[1],
  rates: Parameters<NonNullable<Operation['configure']>>[2],
): TaskCall {
  const { embedded, model } = task
  const unitPrice = toUnitPrice(rates)
  const priced = unitPrice ? { ...call, unitPrice } : call
  const canEmbed = embedded !== undefined && (embedded.accepts?.(call.params as never) ?? true)
  if (call.method === 'embedded' && !canEmbed) throw refuseEmbedded(embedded?.needs)
  const offer = model && call.method !== 'embedded' ? offers.language?.[call.tier] : undefined
  const asked = chooseService(task, call, offers, offer !== undefined)
  if (asked) return { ...priced, service: asked }
  if (offer) {
    requireSeed(call, offers)
    return { ...priced, offer }
  }
  if (canEmbed && call.method !== 'provider') return { ...priced, ...chooseDictionaries(task, offers) }
  throw missModel(task, canEmbed)
}

function refuseEmbedded(needs: string | undefined): Problem {
  const reason = needs ? `the built-in engine needs ${needs}` : 'only a language model can do this'
  return new Problem('INVALID_PARAM', { field: 'method', reason })
}

function missModel({ slug, embedded, service }: Task, canEmbed: boolean): Problem {
  const needs = canEmbed ? undefined : embedded?.needs
  return new Problem('PROVIDER_NOT_CONFIGURED', {
    ...{ capability: `llm.${slug}`, adapters: ['openai', 'anthropic', 'bedrock', ...(service?.adapters ?? [])] },
    install: "LLM_PROVIDER=openai LLM_API_KEY=... LLM_VALUE='model 0.4 1.6' npm start",
    ...(needs && { instead: `The built-in engine needs ${needs}.` }),
  })
}

function chooseDictionaries(
  { embedded }: Task,
  { dictionaries }: Parameters<NonNullable<Operation['configure']>>[1],
): Pick<TaskCall, 'dictionaries'> | undefined {
  return embedded?.looksUpWords && dictionaries ? { dictionaries } : undefined
}

/** Refuses a seed that the API of the provider does not have. */
function requireSeed({ seed }: TaskCall, { chat }: Parameters<NonNullable<Operation['configure']>>[1]): void {
  if (seed === undefined || !chat?.lacks.includes('seed')) return
  throw new Problem('OPTION_UNSUPPORTED', {
    field: 'seed',
    reason: 'The models here do not have this option; leave it out.',
  })
}

/** A service that does all that is asked comes before a language model, but not before the best. */
function chooseService(
  { service }: Task,
  { method, tier, params, seed }: TaskCall,
  { services }: Parameters<NonNullable<Operation['configure']>>[1],
  hasModel: boolean,
): ServiceOffer | undefined {
  const offer = service && services?.[service.tool]
  if (!offer || method === 'embedded' || (hasModel && tier === 'best')) return undefined
  const lack = service.findLack?.(params as never, offer)
  const field = seed !== undefined ? 'seed' : lack && `params.${lack}`
  if (field === undefined) return offer
  if (hasModel) return undefined
  throw new Problem('OPTION_UNSUPPORTED', {
    field,
    reason: `${offer.provider} does not do that`,
  })
}

function listErrors({ model, embedded, service }: Task, own: readonly ProblemCode[]): ProblemCode[] {
  return [
    ...new Set<ProblemCode>([
      ...(['INPUT_EMPTY', 'CONTEXT_TOO_LONG', 'CEILING_EXCEEDED', 'UNSUPPORTED_FORMAT', 'ENCODING_INVALID'] as const),
      ...(['PDF_PARSE_FAILED', 'PDF_PASSWORD_REQUIRED', 'PDF_PASSWORD_INCORRECT', 'DOC_PARSE_FAILED'] as const),
      ...([
        'HTML_PARSE_FAILED',
        'OUTPUT_TOO_LARGE',
        'INVALID_PARAM',
        'TIME_LIMIT_EXCEEDED',
        'MEMORY_LIMIT_EXCEEDED',
      ] as const),
      ...(['SANDBOX_UNAVAILABLE', 'PROVIDER_NOT_CONFIGURED'] as const),
      ...(model ? (['PROVIDER_UNAVAILABLE', 'CONTENT_REFUSED', 'OUTPUT_INVALID'] as const) : []),
      ...(embedded && embedded.languages !== 'any' ? (['LANGUAGE_UNSUPPORTED'] as const) : []),
      ...(model || service ? (['OPTION_UNSUPPORTED'] as const) : []),
      ...(service ? (['LANGUAGE_UNSUPPORTED'] as const) : []),
      ...own,
    ]),
  ]
}
