import { clampPrice, type Outcome, Problem, type RunContext, type Tools, type Warning } from '#kit'
import { guessLanguage } from '../../engines/language/guess-language.ts'
import { estimateTokens } from '../../formats/language/tiers.ts'
import { askInParts } from './ask-in-parts.ts'
import type { TextUsage } from './ask-model.ts'
import { mapInOrder } from './in-order.ts'
import { checkText, type DocumentTools, readTexts } from './input.ts'
import { priceService, type ServiceOffer, type ServiceTool } from './offer.ts'
import { chargeUnits, computeCallCeiling, countEmbeddedUnits, type TaskCall } from './price.ts'
import type { Task } from './task.ts'

export type TaskTools = DocumentTools & Pick<Tools, 'regex' | 'speller' | 'languageModel' | ServiceTool> & RunContext

/** What became of one text. */
type Done = { result: unknown; warnings: Warning[]; usage: TextUsage } | { problem: Problem }

const PARALLEL = 4

/** Does the task for each text. A text that fails costs nothing; if all do, the call fails. */
export async function runTask(task: Task, call: TaskCall, tools: TaskTools): Promise<Outcome<never>> {
  const { texts, warnings } = await readTexts(call.input, tools)
  const isList = Array.isArray(call.input)
  const done = await mapInOrder(texts, PARALLEL, async (text, index): Promise<Done> => {
    try {
      checkText(text)
      const answer = await runOne(task, { ...call, text }, tools)
      if (isList) tools.progress(index + 1, texts.length, 'text')
      return answer
    } catch (error) {
      if (!isList || !isCallersProblem(error)) throw error
      return { problem: error }
    }
  })
  const failed = done.find(one => 'problem' in one)
  if (failed && done.every(one => 'problem' in one)) throw failed.problem
  const { usage, ...price } = settle(task, call, texts, done)
  const answer = {
    ...{ task: task.slug, method: isAsked(call) ? 'provider' : 'embedded', engine: usage.engine },
    ...(!isAsked(call) && { quality: 'basic' }),
    ...(isList ? { results: done.map(describe) } : { result: (done[0] as { result: unknown }).result }),
    usage: usage.record,
  }
  const all = done.flatMap(one => ('problem' in one ? [] : one.warnings))
  return { result: answer as never, ...price, warnings: [...warnings, ...all] }
}

function countTexts({ input }: TaskCall): number {
  return Array.isArray(input) ? Math.min(input.length, PARALLEL) : 1
}

function isAsked({ offer, service }: TaskCall): boolean {
  return offer !== undefined || service !== undefined
}

/** What is wrong with the service ends the whole call, so that it can be repeated. */
function isCallersProblem(error: unknown): error is Problem {
  return error instanceof Problem && error.status < 500
}

function describe(one: Done, index: number): object {
  if (!('problem' in one)) return { index, result: one.result }
  return { index, error: one.problem.toBody() }
}

async function runOne(task: Task, call: TaskCall & { text: string }, tools: TaskTools): Promise<Done> {
  const { text, params = {} } = call
  const language = (call.language ?? guessLanguage(text))?.toLowerCase().split('-')[0]
  if (call.offer)
    return askInParts(
      task,
      { ...call, offer: call.offer, params, language, regex: tools.regex, parallel: PARALLEL / countTexts(call) },
      tools,
    )
  if (call.service) return askService(task, { text, params, language: call.language, offer: call.service }, tools)
  const { embedded } = task
  if (!embedded) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: `llm.${task.slug}` })
  if (embedded.languages !== 'any' && language !== undefined && !embedded.languages.includes(language))
    throw new Problem('LANGUAGE_UNSUPPORTED', { language, supported: embedded.languages })
  const { result, warnings = [] } = await embedded.run({
    ...{ text, params, language, locale: call.language, dictionaries: call.dictionaries, tools },
  } as never)
  const usage = {
    ...{
      model: `embedded:${embedded.engine}`,
      inputTokens: estimateTokens(text),
      providerCostMicros: 0,
      chargedMicros: 0,
    },
    ...{ outputTokens: estimateTokens(JSON.stringify(result)), ceilingMicros: 0 },
  }
  return { result, warnings, usage }
}

interface ServiceCall {
  text: string
  params: unknown
  language: string | undefined
  offer: ServiceOffer
}

async function askService({ service }: Task, { offer, ...call }: ServiceCall, tools: TaskTools): Promise<Done> {
  const { result, warnings = [] } = await service!.run(call as never, tools)
  const { text } = call
  const { costMicros, chargedMicros } = priceService(offer, text.length)
  const usage = {
    ...{
      model: offer.provider,
      inputTokens: estimateTokens(text),
      outputTokens: estimateTokens(JSON.stringify(result)),
    },
    ...{ providerCostMicros: costMicros, chargedMicros, ceilingMicros: chargedMicros },
  }
  return { result, warnings, usage }
}

/** What the call is charged, and the record of it. */
function settle({ flatUnits, embedded, model }: Task, call: TaskCall, texts: readonly string[], done: readonly Done[]) {
  const used = done.flatMap(one => ('problem' in one ? [] : [one.usage]))
  const sum = (name: 'inputTokens' | 'outputTokens' | 'providerCostMicros' | 'chargedMicros' | 'ceilingMicros') =>
    used.reduce((total, usage) => total + usage[name], 0)
  const counted = {
    ...{
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
      providerCostMicros: sum('providerCostMicros'),
    },
    model: used[0]!.model,
  }
  const offer = call.offer ?? call.service
  if (offer) {
    // More than what was held for a text that was not known yet is not charged.
    const charged = clampPrice(BigInt(Math.min(sum('chargedMicros'), computeCallCeiling(model, call))))
    const ceilingMicros = Number(clampPrice(BigInt(sum('ceilingMicros'))))
    const record = { ...counted, markupPct: offer.markupPct, chargedMicros: Number(charged), ceilingMicros }
    return { usage: { engine: counted.model, record }, units: 0, baseMicros: charged }
  }
  const bytes = texts.map((text, index) => ('problem' in done[index]! ? 0 : Buffer.byteLength(text)))
  const units = flatUnits ?? countEmbeddedUnits(bytes)
  const chargedMicros = Number(chargeUnits(call, units))
  const record = { ...counted, markupPct: 0, chargedMicros, ceilingMicros: chargedMicros }
  return { usage: { engine: embedded!.engine, record }, units }
}
