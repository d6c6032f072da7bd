import { Problem, type RunContext, type Tools, type Warning } from '#kit'
import { explainEnd } from './broken.ts'
import type { ModelOffer } from './offer.ts'
import type { TaskCall } from './price.ts'
import type { Fault, ModelCall, Prompt, Task } from './task.ts'
import { computeTextCeiling } from './text-ceiling.ts'

/** What one text took. */
export interface TextUsage {
  model: string
  inputTokens: number
  outputTokens: number
  providerCostMicros: number
  chargedMicros: number
  ceilingMicros: number
}

export interface ModelAnswer {
  result: unknown
  warnings: Warning[]
  usage: TextUsage
}

export type AskedCall = ModelCall<unknown> & Pick<TaskCall, 'tier' | 'seed'> & { offer: ModelOffer }

export type AskTools = Pick<Tools, 'languageModel'> & Pick<RunContext, 'emit'>

/** Has a model do a task for one text. An answer that cannot be used is asked for again; only the one that can is charged. */
export async function askModel(
  { model }: Pick<Task, 'model'>,
  call: AskedCall,
  { languageModel, emit }: AskTools,
): Promise<ModelAnswer> {
  const work = model!
  const { tier, seed, offer, text, params } = call
  const ceilingMicros = computeTextCeiling(work as never, call, offer)
  const maxOutputTokens = work.maxOutputTokens(Buffer.byteLength(text), params as never)
  const onText = emit && openPieces(work, call, emit)
  await work.prepare?.(call as never)
  let prompt: Prompt = work.prompt(call as never)
  for (let round = 0; ; round++) {
    const request = {
      ...{ tier, ...prompt, maxOutputTokens, ceilingMicros },
      ...(seed !== undefined && { seed }),
      ...(round === 0 && onText && { onText }),
    }
    const completion = await languageModel.complete(request)
    const { text: answer, usage } = completion
    // What is not complete is not checked.
    const warnings = explainEnd(completion)
    if (warnings) return { result: { text: answer }, warnings, usage }
    const read = await work.read(answer, call as never)
    if ('result' in read) return { result: read.result, warnings: read.warnings ?? [], usage }
    if (round === work.rounds) throw describeFault(work, read)
    prompt = { ...prompt, user: tellFault(prompt.user, answer, read.fault) }
  }
}

function describeFault({ problem = 'OUTPUT_INVALID' }: NonNullable<Task['model']>, { fault, errors }: Fault): Problem {
  return new Problem(problem, { detail: fault, ...(errors && { errors }) })
}

const MAX_FAULT_CHARS = 1_500

function tellFault(user: string, answer: string, fault: string): string {
  return `${user}\n\nYour answer was:\n${answer}\n\nIt cannot be used: ${fault.slice(0, MAX_FAULT_CHARS)}\nAnswer again, in full.`
}

function openPieces(
  { openPieces: open }: NonNullable<Task['model']>,
  call: AskedCall,
  emit: (piece: unknown) => void,
): ((piece: string) => void) | undefined {
  const read = open?.(call as never)
  if (!read) return undefined
  return piece => {
    const text = read(piece)
    if (text !== '') emit({ text })
  }
}
