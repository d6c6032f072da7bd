import { isInstantCall, listBatonEntries } from '#kit'
import type { NamedOperation } from '../../tasks/index.ts'
import type { ApiContext } from '../context.ts'
import type { RouteJob } from '../route.ts'
import type { FundedCall, PricedCall } from './call.ts'
import type { Answer } from './reply/answer.ts'
import { toProblem } from './reply/problem.ts'
import type { AnswerSink } from './reply/sink.ts'
import { runHeld } from './run-held.ts'
import { runDrawn, runInstant } from './run-instant.ts'
import { runQueued } from './run-queued.ts'
import { withFieldHints } from './validation/known-fields.ts'
import { setFailureHeaders } from './x402/payment-headers.ts'

/** The response to a failed call also tells where its payment went: money that arrived is credit of the wallet. */
export async function runCall(context: ApiContext, call: FundedCall, reply: AnswerSink): Promise<Answer> {
  try {
    return await chooseRun(context, call, reply)
  } catch (error) {
    if (call.funding) {
      await call.funding.keepCredit()
      setFailureHeaders(reply, call.funding, toProblem(error).code)
    }
    throw withFieldHints(call.billable.input, error)
  }
}

/** Calls of little work run at once, priced routes run here after the hold, everything else is queued. Workers deliver. */
function chooseRun(context: ApiContext, call: FundedCall, reply: AnswerSink): Promise<Answer> {
  const { execution } = call.billable
  if (execution.kind === 'route') {
    const { address, caller, request, staged, content } = call
    const asked = { address, caller, body: staged.input, request, reply, content }
    const work = (job: RouteJob) => execution.run({ ...asked, job }, context)
    return runHeld(context, call, work, execution.settles)
  }
  const { operation } = execution
  if (!isInstant(call, operation)) return runQueued(context, call)
  const entries = listBatonEntries(operation.input, call.staged.input)
  return entries.length > 0 ? runDrawn(context, call, operation, entries) : runInstant(context, call, operation)
}

function isInstant(call: PricedCall, operation: NamedOperation): boolean {
  const { instantBytes, isAsync, isDryRun, inputBytes, staged, delivery } = call
  if (isAsync || isDryRun || delivery || inputBytes > instantBytes || !staged.isInMemory) return false
  return isInstantCall(operation, staged.input, inputBytes)
}
