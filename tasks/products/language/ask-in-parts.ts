import { Problem, type Warning } from '#kit'
import { type AskedCall, type AskTools, askModel, type ModelAnswer, type TextUsage } from './ask-model.ts'
import { mapInOrder } from './in-order.ts'
import { cutIntoParts, joinNotes, planParts } from './parts.ts'
import type { Task } from './task.ts'

/** Has a model do a task for a text that may be longer than it reads at once; so many parts are read at the same time. */
export async function askInParts(
  task: Pick<Task, 'model'>,
  { parallel, ...call }: AskedCall & { parallel: number },
  tools: AskTools,
): Promise<ModelAnswer> {
  const usages: TextUsage[] = []
  const counts: number[] = []
  let { text } = call
  for (let plan = planFor(text); plan; plan = planFor(text)) {
    const parts = cutIntoParts(text, plan.partBytes)
    const model = plan.work as never as Task['model']
    const noted = await mapInOrder(parts, Math.floor(parallel), part =>
      askModel({ model }, { ...call, text: part }, { languageModel: tools.languageModel }),
    )
    usages.push(...noted.map(({ usage }) => usage))
    counts.push(parts.length)
    text = joinNotes(
      noted.map(({ result }) => (result as { text: string }).text),
      plan,
    )
    // A model that is given nothing would invent.
    if (text === '') throw new Problem('OUTPUT_INVALID', { detail: 'nothing was noted of any part of the text' })
  }
  const answer = await askModel(task, { ...call, text }, tools)
  if (usages.length === 0) return answer
  return {
    result: answer.result,
    warnings: [describeParts(counts[0]!), ...answer.warnings],
    usage: addUsages(answer.usage, usages),
  }

  function planFor(of: string) {
    return planParts(task.model as never, { ...call, text: of }, call.offer)
  }
}

function describeParts(count: number): Warning {
  return {
    code: 'READ_IN_PARTS',
    message: `The text is longer than the model reads at once: it was read in ${count} parts, and the answer is of what was noted of each.`,
  }
}

function addUsages(last: TextUsage, others: readonly TextUsage[]): TextUsage {
  const sum = (name: Exclude<keyof TextUsage, 'model'>) => others.reduce((total, one) => total + one[name], last[name])
  return {
    model: last.model,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    providerCostMicros: sum('providerCostMicros'),
    chargedMicros: sum('chargedMicros'),
    ceilingMicros: sum('ceilingMicros'),
  }
}
